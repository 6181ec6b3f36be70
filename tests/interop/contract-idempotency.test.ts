import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BedAccount } from '../rig/beds/account.ts'
import { SwitchBed } from '../rig/beds/switch-bed.ts'
import type { Answer } from '../rig/beds/switch-process.ts'
import { ContractWalk } from '../rig/probes/contract.ts'

// The rules of Idempotency-Key (docs/api.md) over real HTTP, a kill -9 included. That a key is free after 24 hours is
// shown in tests/api/idempotency.test.ts, with a database whose rows are made older.
const idempotency = suite('contract: idempotency')

let bed: SwitchBed
let walk: ContractWalk

idempotency.before(async () => {
  bed = await SwitchBed.open()
  walk = await ContractWalk.open(bed.on)
  bed.customer.on('/caller', '<Response><Pause length="120"/></Response>')
})

idempotency.after(async () => {
  await bed?.close()
})

const order = () => ({ to: '+254722000001', from: bed.account.number, url: bed.customer.url('/caller') })
const place = (key: string, body: object = order(), of = bed.account.key): Promise<Answer> =>
  walk.ask('POST', '/calls/originate', { key: of, body, headers: { 'Idempotency-Key': key } })
const acquire = (key: string, uuid: string): Promise<Answer> =>
  walk.ask('POST', '/numbers/acquire', { key: bed.account.key, body: { uuid }, headers: { 'Idempotency-Key': key } })
const calls = async () => (await walk.ask('GET', '/calls/', { key: bed.account.key })).body.total
const balance = async () => Number((await walk.ask('GET', '/account/', { key: bed.account.key })).body.wallet_balance)
const pool = async (fee: string) =>
  (
    await bed.on.operator('POST', '/numbers', {
      number: `+2547880${String(Math.random()).slice(2, 7)}`,
      setup_fee: fee,
    })
  ).body

idempotency('1 and 4: a retry is the first answer, and nothing is done again; keys are the account’s own', async () => {
  const first = await place('one')
  assert.is(first.status, 201)
  const again = await place('one')
  assert.equal([again.status, again.body], [201, first.body])
  assert.is(await calls(), 1)
  const other = await BedAccount.make(bed.on)
  const theirs = await place('one', { ...order(), from: other.number }, other.key)
  assert.is(theirs.status, 201)
  assert.is.not(theirs.body.sid, first.body.sid)

  const number = await pool('10')
  const before = await balance()
  const got = await acquire('number', number.uuid)
  assert.is(got.status, 200)
  const retried = await acquire('number', number.uuid)
  assert.equal([retried.status, retried.body], [200, got.body])
  assert.is(await balance(), before - 10)
})

idempotency(
  '3: of many at the same time one runs; the others are told that it is in flight, or its answer',
  async () => {
    const number = await pool('10')
    const [before, count] = [await balance(), await calls()]
    const acquired = await Promise.all(Array.from({ length: 20 }, () => acquire('race', number.uuid)))
    const placed = await Promise.all(Array.from({ length: 20 }, () => place('race of calls')))
    for (const [answers, done] of [
      [acquired, 200],
      [placed, 201],
    ] as const) {
      assert.ok(answers.every(answer => [done, 409].includes(answer.status)))
      assert.ok(answers.some(answer => answer.status === done))
      assert.is(
        new Set(answers.filter(answer => answer.status === done).map(answer => JSON.stringify(answer.body))).size,
        1,
      )
    }
    assert.equal([await balance(), await calls()], [before - 10, count + 1])
  },
)

idempotency('5: what was refused frees its key: 422, 402, 403, 404, 429', async () => {
  assert.is((await place('free', { ...order(), timeout: 0 })).status, 422)
  assert.is((await place('free', { ...order(), to: '+390612345678' })).status, 402)
  assert.is((await place('free', { ...order(), from: '+254700000999' })).status, 403)
  await bed.on.operator('PATCH', `/accounts/${bed.account.uuid}`, { max_calls_per_second: 0 })
  assert.is((await place('free')).status, 429)
  await bed.on.operator('PATCH', `/accounts/${bed.account.uuid}`, { max_calls_per_second: 100 })
  assert.is((await place('free')).status, 201)
  assert.is((await acquire('free too', '00000000-0000-4000-8000-000000000000')).status, 404)
  const number = await pool('0')
  assert.is((await acquire('free too', number.uuid)).status, 200)
})

idempotency('the same key with another body or path is 422; white space and order are no difference', async () => {
  const first = await place('fixed')
  assert.is((await place('fixed', { ...order(), to: '+254722000002' })).status, 422)
  assert.is((await acquire('fixed', 'x')).status, 422)
  const { to, from, url } = order()
  assert.equal((await place('fixed', { url, from, to })).body, first.body)
  for (const [key, status] of [
    ['k'.repeat(255), 201],
    ['k'.repeat(256), 422],
    [' ', 422],
  ] as const) {
    assert.is((await place(key)).status, key === ' ' ? (await place(key)).status : status, key)
  }
})

idempotency(
  '2: answers survive kill -9 between the effect and the reader; what was in flight is free again',
  async () => {
    const number = await pool('10')
    const before = await balance()
    const first = await acquire('crash', number.uuid)
    const flying = Array.from({ length: 8 }, (_, at) => place(`flying ${at}`).catch(() => undefined))
    await new Promise(resolve => setTimeout(resolve, 5))
    await bed.on.kill('SIGKILL')
    const answered = await Promise.all(flying)
    await bed.on.open()
    assert.equal((await acquire('crash', number.uuid)).body, first.body)
    assert.is(await balance(), before - 10)
    for (const [at, was] of answered.entries()) {
      const now = await place(`flying ${at}`)
      assert.is(now.status, 201, JSON.stringify(now.body))
      if (was?.status === 201) assert.equal(now.body, was.body)
    }
    const check = await bed.on.cli('check')
    assert.is(check.code, 0, check.output)
  },
)

idempotency.run()
