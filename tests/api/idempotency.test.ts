import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startHousekeeping } from '../../api/housekeeping.ts'
import { idempotencyLifeMs } from '../../core/adapters/store/idempotency.ts'
import { silentLog } from '../../core/adapters/system/silent-log.ts'
import { refusedBy } from '../../core/contract/originate-order.ts'
import { ApiBed } from './bed/api-bed.ts'

const bed = await ApiBed.open()
const order = { to: '+254722000001', from: '+254700000001', url: 'https://a.test/v', customPayload: { a: 1, b: 2 } }
const place = (key: string, body: object = order) =>
  bed.customer('POST', '/calls/originate', body, { 'idempotency-key': key })
const balance = async () => (await bed.customer('GET', '/account/')).body.wallet_balance

test('a retry replays the first answer verbatim, and places nothing', async () => {
  const first = await place('one')
  const placed = bed.calls.placed
  await bed.customer('POST', '/calls/hangup', { sid: first.body.sid })
  const again = await place('one')
  assert.equal([again.status, again.text], [201, first.text])
  assert.is(again.headers['content-type'], first.headers['content-type'])
  assert.is(bed.calls.placed, placed)
})

test('white space, key order and a trailing slash make no other request; another value or path does', async () => {
  await place('two')
  const raw =
    '{ "url": "https://a.test/v", "customPayload": {"b":2,"a":1}, "from":"+254700000001", "to": "+254722000001" }'
  const same = await bed.conforming('POST', '/calls/originate/', {
    raw,
    headers: { 'content-type': 'application/json', 'idempotency-key': 'two' },
  })
  assert.is(same.status, 201)
  const other = await place('two', { ...order, to: '+254722000002' })
  assert.equal([other.status, other.body.errors[0].field], [422, 'Idempotency-Key'])
  const path = await bed.customer('POST', '/numbers/acquire', { uuid: 'x' }, { 'idempotency-key': 'two' })
  assert.is(path.status, 422)
})

test('while the first runs, the second is 409', async () => {
  let open: () => void = () => {}
  bed.calls.gate = new Promise(resolve => {
    open = resolve
  })
  const first = place('three')
  while ((await place('three')).status !== 409) await new Promise(resolve => setImmediate(resolve))
  open()
  bed.calls.gate = Promise.resolve()
  const done = await first
  assert.is(done.status, 201)
  assert.is((await place('three')).text, done.text)
})

test('a refusal frees the idempotency key: by the core, by validation, by suspension, by a fault', async () => {
  bed.calls.refusal = refusedBy('LIMIT.0430', 'more than 10 new calls per second')
  assert.is((await place('four')).status, 429)
  bed.calls.refusal = undefined
  assert.is((await place('four', { ...order, timeout: 0 })).status, 422)
  await bed.operator('PATCH', `/operator/accounts/${bed.accountUuid}`, { status: 'suspended' })
  assert.is((await place('four')).status, 403)
  await bed.operator('PATCH', `/operator/accounts/${bed.accountUuid}`, { status: 'active' })
  const { originate } = bed.calls
  bed.calls.originate = () => Promise.reject(new Error('database'))
  assert.is((await place('four')).status, 500)
  bed.calls.originate = originate
  assert.is((await place('four', { ...order, to: '+254722000009' })).status, 201)
})

test('a suspended account still gets its stored answer', async () => {
  const first = await place('five')
  await bed.operator('PATCH', `/operator/accounts/${bed.accountUuid}`, { status: 'suspended' })
  assert.is((await place('five')).text, first.text)
  await bed.operator('PATCH', `/operator/accounts/${bed.accountUuid}`, { status: 'active' })
})

test('acquire: charged once, and the answer commits with the number', async () => {
  const { uuid } = (await bed.operator('POST', '/operator/numbers', { number: '+254711000001', setup_fee: '10' })).body
  const acquire = () => bed.customer('POST', '/numbers/acquire', { uuid }, { 'idempotency-key': 'six' })
  const first = await acquire()
  assert.equal([first.status, await balance()], [200, '990.00'])
  const again = await acquire()
  assert.equal([again.status, again.text, await balance()], [200, first.text, '990.00'])
  assert.is((await bed.customer('POST', '/numbers/acquire', { uuid })).status, 409)
})

test('many at once under one key: one effect', async () => {
  const { uuid } = (await bed.operator('POST', '/operator/numbers', { number: '+254711000002', setup_fee: '10' })).body
  const before = await balance()
  const all = await Promise.all(
    Array.from({ length: 20 }, () =>
      bed.customer('POST', '/numbers/acquire', { uuid }, { 'idempotency-key': 'seven' }),
    ),
  )
  assert.ok(all.every(answer => answer.status === 200 || answer.status === 409))
  assert.ok(all.some(answer => answer.status === 200))
  assert.is(Number(before) - Number(await balance()), 10)
})

test('keys are per account, 1 to 255 printable characters', async () => {
  const { key } = (await bed.operator('POST', '/operator/accounts', { name: 'Other' })).body
  const other = await bed.conforming('POST', '/calls/originate', {
    key,
    body: order,
    headers: { 'idempotency-key': 'one' },
  })
  assert.is(other.status, 201)
  assert.is((await place('k'.repeat(255))).status, 201)
  for (const bad of ['', 'k'.repeat(256), 'ké', 'a\tb']) {
    const refused = await place(bad)
    assert.equal([refused.status, refused.body.errors[0].field], [422, 'Idempotency-Key'], JSON.stringify(bad))
  }
})

test('a day after its first use a key is free', async () => {
  const first = await place('eight')
  bed.store.database
    .prepare('UPDATE idempotency SET created_unix = created_unix - ? WHERE key = ?')
    .run(idempotencyLifeMs - 5000, 'eight')
  assert.is((await place('eight')).text, first.text)
  bed.store.database.prepare('UPDATE idempotency SET created_unix = created_unix - 10000 WHERE key = ?').run('eight')
  assert.is.not((await place('eight')).text, first.text)
})

test('marks that a crash left in flight are freed at start; answers stay, old ones go', async () => {
  const { idempotency } = bed.repositories
  const account = bed.accountUuid as Parameters<typeof idempotency.begin>[0]
  await idempotency.begin(account, 'crashed', 'f', Date.now())
  await idempotency.begin(account, 'ancient', 'f', 1)
  await idempotency.free(account, 'one')
  const stop = await startHousekeeping(bed.repositories, silentLog)
  await stop()
  assert.equal(await idempotency.begin(account, 'crashed', 'other', Date.now()), { state: 'begun' })
  assert.is((await place('one')).status, 201)
  const rows = bed.store.database.prepare<[], { n: number }>(
    "SELECT count(*) AS n FROM idempotency WHERE key = 'ancient'",
  )
  assert.is(rows.get()?.n, 0)
})

test('keys that are too old go a batch at a time: the writer is held up by none', async () => {
  const { idempotency } = bed.repositories
  const insert = bed.store.database.prepare<[string, string, number]>(
    "INSERT INTO idempotency (account_uuid, key, fingerprint, status, body, created_unix) VALUES (?, ?, 'f', 201, '{}', ?)",
  )
  for (let nth = 0; nth < 1200; nth++) insert.run(bed.accountUuid, `old ${nth}`, 1000 - (nth % 7))
  const left = () =>
    bed.store.database.prepare<[], { n: number }>("SELECT count(*) AS n FROM idempotency WHERE key LIKE 'old %'").get()
      ?.n
  assert.is(await idempotency.forgetOld(Date.now()), true)
  assert.is(left(), 700)
  const stop = await startHousekeeping(bed.repositories, silentLog)
  for (let waits = 0; left() !== 0 && waits < 200; waits++) await sleep(10)
  await stop()
  assert.is(left(), 0)
  assert.is(await idempotency.forgetOld(Date.now()), false)
})

test('the use of a key is durable after housekeeping', async () => {
  const stop = await startHousekeeping(bed.repositories, silentLog)
  await bed.customer('GET', '/account/')
  await stop()
  const used = bed.store.database.prepare<[], { n: number }>(
    'SELECT count(*) AS n FROM api_keys WHERE last_used_unix IS NOT NULL',
  )
  assert.ok((used.get()?.n ?? 0) >= 1)
})

test.after(() => bed.close())
test.run()
