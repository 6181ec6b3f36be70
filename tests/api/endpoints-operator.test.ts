import { randomUUID } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { AudioCaptures } from '../../core/adapters/exchange/index.ts'
import { Destinations } from '../../core/billing/destinations.ts'
import { ApiBed } from './bed/api-bed.ts'
import { isOfPortal } from './bed/portal-paths.ts'

// Every answer of `customer`, `operator` and `conforming` is compared with /openapi.json by the bed.
const captures = new AudioCaptures({
  exchange: { known: () => undefined, live: () => [], callOfLeg: () => undefined },
  recorder: { command: () => {} },
  clock: { now: () => performance.now(), unixMs: () => Date.now(), at: () => () => {} },
  uuid: randomUUID,
})
const bed = await ApiBed.open({}, { captures })
const unknownUuid = '00000000-0000-4000-8000-000000000000'

test('operator: accounts', async () => {
  const made = await bed.operator('POST', '/operator/accounts', {
    name: 'Second',
    wallet_balance: '10.1234',
    grace_amount: '5',
    credit_limit: '2.50',
    max_concurrent_calls: 3,
    max_calls_per_second: 1,
  })
  assert.is(made.status, 201)
  const { account, key } = made.body
  assert.is((await bed.ask('GET', '/account/', { key })).body.wallet_balance, '10.1234')
  assert.equal(
    [account.grace_amount, account.credit_limit, account.held_amount, account.live_calls],
    ['5.00', '2.50', '0.00', 0],
  )
  const path = `/operator/accounts/${account.uuid}`
  const changed = await bed.operator('PATCH', path, { max_concurrent_calls: 7, wallet_balance: '999' })
  assert.equal([changed.body.max_concurrent_calls, changed.body.wallet_balance], [7, '10.1234'])
  assert.is((await bed.operator('PATCH', `/operator/accounts/${unknownUuid}`, { name: 'x' })).status, 404)
  assert.equal((await bed.operator('GET', path)).body, changed.body)
  assert.is((await bed.operator('GET', `/operator/accounts/${unknownUuid}`)).status, 404)

  const credit = (amount: string, reference?: string) =>
    bed.operator('POST', `${path}/credit`, { amount, ...(reference === undefined ? {} : { reference }) })
  assert.is((await credit('5', 'mpesa-1')).body.wallet_balance, '15.1234')
  assert.is((await credit('5', 'mpesa-1')).body.wallet_balance, '15.1234')
  assert.is((await credit('-20')).body.wallet_balance, '-4.8766')
  assert.is((await credit('0')).status, 422)
  assert.is((await bed.operator('POST', `/operator/accounts/${unknownUuid}/credit`, { amount: '1' })).status, 404)
  const ledger = await bed.operator('GET', `${path}/ledger?limit=2`)
  assert.equal(
    ledger.body.entries.map((entry: { amount: string }) => entry.amount),
    ['-20.00', '5.00'],
  )
  assert.is(ledger.body.total, 3)

  const second = await bed.operator('POST', `${path}/keys`, { name: 'second' })
  assert.is((await bed.ask('GET', '/account/', { key: second.body.key })).status, 200)
  assert.is((await bed.operator('POST', `/operator/accounts/${unknownUuid}/keys`, { name: 'x' })).status, 404)
  const list = await bed.operator('GET', '/operator/accounts?limit=1&offset=1')
  assert.equal([list.body.total, list.body.accounts.length], [2, 1])
})

test('operator: trunks', async () => {
  const made = await bed.operator('POST', '/operator/trunks', {
    name: 'Carrier',
    host: 'sip.carrier.test',
    prefixes: ['254'],
    password: 'hush',
    inbound_hosts: ['192.0.2.0/24', '2001:db8::1'],
    media_hosts: ['198.51.100.0/25'],
  })
  assert.is(made.status, 201)
  assert.equal(made.body.prefixes, ['+254'])
  assert.is(made.body.password, '********')
  assert.equal(made.body.media_hosts, ['198.51.100.0/25'])
  assert.is(made.body.media_source, 'learned')
  const path = `/operator/trunks/${made.body.uuid}`
  const changed = await bed.operator('PATCH', path, { ...made.body, priority: 5, media_source: 'signalled' })
  assert.is(changed.body.media_source, 'signalled')
  assert.is(bed.repositories.trunks.current()[0]?.mediaSource, 'signalled')
  assert.is(changed.body.priority, 5)
  assert.is(bed.repositories.trunks.current()[0]?.password, 'hush')
  assert.equal((await bed.operator('GET', path)).body, changed.body)
  const every = await bed.operator('PATCH', path, { prefixes: ['+', '255', ''] })
  assert.equal(every.body.prefixes, ['+', '+255', '+'])
  assert.equal(bed.repositories.trunks.current()[0]?.prefixes, ['', '+255', ''])
  assert.is((await bed.operator('GET', '/operator/trunks')).body.total, 1)
  for (const bad of [
    { inbound_hosts: ['10.0.0.0/33'] },
    { inbound_hosts: ['a.test'] },
    { media_hosts: ['10.0.0.0/33'] },
    { media_hosts: 'a.test' },
    { media_source: 'sdp' },
    { transport: 'sctp' },
    { port: 70000 },
    { name: '' },
    { prefixes: ['x'] },
    { strip: '3' },
  ]) {
    assert.is((await bed.operator('PATCH', path, bad)).status, 422, JSON.stringify(bad))
  }
  assert.is((await bed.operator('POST', '/operator/trunks', {})).status, 422)
  assert.is((await bed.operator('DELETE', path)).status, 200)
  for (const method of ['DELETE', 'GET']) assert.is((await bed.operator(method, path)).status, 404)
  assert.is((await bed.operator('PATCH', path, {})).status, 404)
})

test('operator: accounts are found by a part of their name, numbers by digits, and say whose they are', async () => {
  const { account } = (await bed.operator('POST', '/operator/accounts', { name: 'Mama Mboga Deliveries' })).body
  const found = async (search: string) => {
    const { body } = await bed.operator('GET', `/operator/accounts?search=${encodeURIComponent(search)}`)
    return [body.total, ...body.accounts.map(({ uuid }: { uuid: string }) => uuid)]
  }
  assert.equal(await found('mboga DEL'), [1, account.uuid])
  assert.equal(await found(account.uuid), [1, account.uuid])
  assert.equal(await found('%'), [0])
  const number = '+254203004777'
  const { uuid } = (await bed.operator('POST', '/operator/numbers', { number })).body
  assert.is((await bed.customer('POST', '/numbers/acquire', { uuid })).status, 200)
  const { name } = (await bed.operator('GET', `/operator/accounts/${bed.accountUuid}`)).body
  const { body } = await bed.operator('GET', '/operator/numbers?search=203 004 7&names=true')
  assert.equal([body.total, body.numbers[0].uuid, body.numbers[0].account_name], [1, uuid, name])
  const plain = (await bed.operator('GET', '/operator/numbers?search=2030047')).body.numbers
  assert.equal(Object.keys(plain[0]), ['uuid', 'number', 'setup_fee', 'account'])
  assert.is((await bed.operator('GET', '/operator/numbers?search=999999999999')).body.total, 0)
})

test('operator: the rate deck is replaced whole', async () => {
  const put = await bed.operator('PUT', '/operator/rates', {
    rates: [
      { prefix: '254', direction: 'outbound', rate_per_minute: '3' },
      {
        prefix: '+2547',
        direction: 'outbound',
        rate_per_minute: '0.0375',
        increment_seconds: 1,
        minimum_seconds: 6,
        connection_fee: '1',
      },
    ],
  })
  assert.equal(put.body.rates[0], {
    prefix: '+254',
    direction: 'outbound',
    rate_per_minute: '3.00',
    increment_seconds: 60,
    minimum_seconds: 0,
    connection_fee: '0.00',
  })
  assert.is(put.body.rates[1].rate_per_minute, '0.0375')
  assert.equal((await bed.operator('GET', '/operator/rates')).body, put.body)
  const bad = await bed.operator('PUT', '/operator/rates', {
    rates: [{ prefix: '254', direction: 'outbound', rate_per_minute: 3 }],
  })
  assert.equal([bad.status, bad.body.errors[0].field], [422, 'rates[0].rate_per_minute'])
  assert.is((await bed.operator('GET', '/operator/rates')).body.rates.length, 2)
  const sip = await bed.operator('PUT', '/operator/rates', {
    rates: ['sip:', 'sip:PBX.example.com.', 'sip:[2001:db8::1]:5080', '254'].map(prefix => ({
      prefix,
      direction: 'outbound',
      rate_per_minute: '1',
    })),
  })
  assert.equal(
    sip.body.rates.map((each: { prefix: string }) => each.prefix),
    ['+254', 'sip:', 'sip:[2001:db8::1]:5080', 'sip:pbx.example.com'],
  )
  for (const [prefix, direction, field] of [
    ['sip:a b', 'outbound', 'rates[0].prefix'],
    ['sips:a.test', 'outbound', 'rates[0].prefix'],
    ['sip:user@a.test', 'outbound', 'rates[0].prefix'],
    ['sip:', 'inbound', 'rates[0].direction'],
  ]) {
    const refused = await bed.operator('PUT', '/operator/rates', {
      rates: [{ prefix, direction, rate_per_minute: '1' }],
    })
    assert.equal([refused.status, refused.body.errors[0].field], [422, field])
  }
  const large = Array.from({ length: 20_000 }, (_, at) => ({
    prefix: String(100_000 + at),
    direction: 'outbound',
    rate_per_minute: '1',
  }))
  assert.is((await bed.operator('PUT', '/operator/rates', { rates: large })).body.rates.length, 20_000)
  assert.equal((await bed.operator('PUT', '/operator/rates', { rates: [] })).body, { rates: [] })
})

test('operator: destinations; premium and satellite stay blocked until allowed', async () => {
  const fresh = await bed.operator('GET', '/operator/destinations')
  assert.ok(fresh.body.blocked.includes('+881'))
  const put = await bed.operator('PUT', '/operator/destinations', { blocked: ['7'], allowed: ['+8816'] })
  assert.equal(put.body, { blocked: ['+7'], allowed: ['+8816'] })
  assert.equal((await bed.operator('GET', '/operator/destinations')).body, put.body)
  const mayCall = (number: string) => {
    const { blocked, allowed } = bed.repositories.destinations.current()
    return new Destinations(blocked, allowed).allows(number)
  }
  assert.equal(['+8816123', '+8811234', '+7123', '+254722'].map(mayCall), [true, false, false, true])
  await bed.operator('PUT', '/operator/destinations', { blocked: fresh.body.blocked, allowed: ['+881'] })
  assert.equal(['+8811234', '+870123'].map(mayCall), [true, false])
  assert.is((await bed.operator('PUT', '/operator/destinations', { blocked: ['x'], allowed: [] })).status, 422)
})

test('operator: drain', async () => {
  assert.equal((await bed.operator('GET', '/operator/drain')).body, { draining: false, live_calls: 0 })
  assert.is((await bed.operator('POST', '/operator/drain', { seconds: 5 })).body.draining, true)
  assert.is((await bed.operator('GET', '/operator/drain')).body.draining, true)
  assert.is((await bed.operator('DELETE', '/operator/drain')).body.draining, false)
  assert.is((await bed.operator('POST', '/operator/drain')).body.draining, true)
  assert.is((await bed.operator('DELETE', '/operator/drain')).body.draining, false)
  assert.is((await bed.operator('POST', '/operator/drain', { seconds: -1 })).status, 422)
  // A body that is null is no order to drain.
  for (const body of [null, [], 5]) assert.is((await bed.operator('POST', '/operator/drain', body)).status, 422)
  assert.is((await bed.operator('DELETE', '/operator/drain')).body.draining, false)
})

test('operator: captures of audio', async () => {
  const account = bed.accountUuid
  const made = await bed.operator('POST', '/operator/captures', { account })
  assert.equal([made.status, made.body.account, made.body.call], [201, account, null])
  assert.is(Date.parse(made.body.ends_at) - Date.parse(made.body.began_at), 300_000)
  assert.equal((await bed.operator('GET', '/operator/captures')).body, [made.body])
  const path = `/operator/captures/${made.body.uuid}`
  assert.is((await bed.operator('DELETE', path)).status, 200)
  assert.is((await bed.operator('DELETE', path)).status, 404)
  for (let count = 0; count < 100; count++) captures.ofAccount(account as Parameters<typeof captures.ofAccount>[0], 60)
  assert.is((await bed.operator('POST', '/operator/captures', { account })).status, 409)
})

test('every operation of these paths was answered with success', () => {
  assert.equal(
    bed.unanswered(path => !isOfPortal(path) && /^\/operator\/(?!numbers|calls)/.test(path)),
    [],
  )
})

test('no secret was logged', () => {
  assert.equal(bed.leaked(['hush', 'whsec_']), [])
})

test.after(() => bed.close())
test.run()
