import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { refusedBy, refusedField } from '../../core/contract/originate-order.ts'
import { ApiBed } from './bed/api-bed.ts'
import { isOfPortal } from './bed/portal-paths.ts'

// Every answer of `customer`, `operator` and `conforming` is compared with /openapi.json by the bed.
const bed = await ApiBed.open()
const unknownUuid = '00000000-0000-4000-8000-000000000000'

test('originate, read, list, hang up', async () => {
  const order = {
    to: '+254722000001',
    from: '+254700000001',
    url: 'https://a.test/v',
    customPayload: { a: [1, { b: null }] },
  }
  const made = await bed.customer('POST', '/calls/originate', { ...order, nonsense: 1 })
  assert.is(made.status, 201)
  const { sid, uuid } = made.body
  assert.equal(made.body.customPayload, { a: [1, { b: null }] })
  assert.equal([made.body.status, made.body.cost, made.body.reason_code], ['initiated', '0.00', ''])
  assert.equal((await bed.customer('GET', `/calls/${uuid}`)).body, made.body)
  assert.is((await bed.customer('GET', `/calls/${unknownUuid}`)).status, 404)
  const live = await bed.operator('GET', '/operator/calls')
  assert.equal([live.body.total, live.body.calls[0].legs[0].number], [1, '+254722000001'])
  assert.is((await bed.operator('GET', `/operator/accounts/${bed.accountUuid}`)).body.live_calls, 1)
  for (const id of [uuid, sid]) {
    const { status, body } = await bed.operator('GET', `/operator/calls/${id}/dump`)
    assert.equal([status, body.sid, body.phase, body.legs[0].state], [200, sid, 'live', 'dialled'])
  }
  assert.is((await bed.operator('GET', `/operator/calls/${sid}/dump?format=xml`)).status, 422)
  assert.ok([401, 403].includes((await bed.customer('GET', `/operator/calls/${sid}/dump`)).status))

  const lives = async () =>
    (await bed.customer('GET', '/calls/?status=live')).body.calls.map((call: { sid: string }) => call.sid)
  assert.equal(await lives(), [sid])
  const ended = await bed.customer('POST', '/calls/hangup', { sid })
  assert.equal(await lives(), [])
  assert.is((await bed.operator('GET', `/operator/calls/${sid}/dump`)).status, 404)
  assert.equal(
    [ended.body.status, ended.body.reason_code, ended.body.reason_label],
    ['failed', 'END.0201', 'Hung up by API'],
  )
  assert.equal((await bed.customer('GET', `/calls/hangup/${sid}`)).body, ended.body)
  assert.equal((await bed.customer('GET', `/calls/hangup?sid=${sid}`)).body, ended.body)
  for (const [method, url, body] of [
    ['POST', '/calls/hangup', { sid: 'CA0000000000000000' }],
    ['GET', '/calls/hangup/CA0000000000000000', undefined],
    ['GET', '/calls/hangup?sid=CA0000000000000000', undefined],
  ] as const) {
    assert.is((await bed.customer(method, url, body)).status, 404)
  }
  assert.is((await bed.customer('GET', '/calls/hangup')).status, 422)
})

test('an extension is one of the account, and the call internal', async () => {
  const { users } = bed.repositories
  const amina = await users.create(
    bed.accountUuid as Parameters<typeof users.create>[0],
    { email: 'a@a.test', displayName: '' },
    1,
  )
  const order = { to: amina?.extensionNumber, from: '+254700000001', url: 'https://a.test/v' }
  const placed = await bed.customer('POST', '/calls/originate', order)
  assert.equal([placed.status, placed.body.direction], [201, 'internal'])
  const unknown = await bed.customer('POST', '/calls/originate', { ...order, to: '9999' })
  assert.equal([unknown.status, unknown.body.errors[0].field], [422, 'to'])
  const { key } = (await bed.operator('POST', '/operator/accounts', { name: 'Stranger' })).body
  assert.is((await bed.conforming('POST', '/calls/originate', { key, body: order })).status, 422)
})

test('the core refuses: its status, its code once in front, Retry-After', async () => {
  const order = { to: '+254722000001', from: '+254700000001', url: 'https://a.test/v' }
  for (const [status, code, wait] of [
    [402, 'BILL.0402', undefined],
    [402, 'BILL.0404', undefined],
    [403, 'END.0403', undefined],
    [429, 'LIMIT.0429', '1'],
    [429, 'LIMIT.0430', '1'],
    [503, 'END.5503', '30'],
    [503, 'LIMIT.0503', '2'],
  ] as const) {
    bed.calls.refusal = refusedBy(code, 'the switch is draining')
    const refused = await bed.customer('POST', '/calls/originate', order)
    assert.is(refused.status, status)
    assert.equal(refused.body, { detail: `${code}: the switch is draining`, code })
    assert.is(refused.headers['retry-after'], wait)
  }
  bed.calls.refusal = refusedField('from', '+ and 7 to 15 digits')
  const { status, body } = await bed.customer('POST', '/calls/originate', order)
  const message = '+ and 7 to 15 digits'
  assert.equal([status, body], [422, { detail: `from: ${message}`, errors: [{ field: 'from', message }] }])
  bed.calls.refusal = undefined
})

test('a loaded switch refuses before it looks a key up; the key may be used again', async () => {
  const order = { to: '+254722000001', from: '+254700000001', url: 'https://a.test/v' }
  const headers = { 'idempotency-key': 'while-loaded' }
  const { placed } = bed.calls
  bed.calls.load = refusedBy('LIMIT.0503', 'the switch is loaded and takes no new calls for now')
  const refused = await bed.customer('POST', '/calls/originate', order, headers)
  assert.equal([refused.status, refused.body.code, refused.headers['retry-after']], [503, 'LIMIT.0503', '2'])
  assert.is(bed.calls.placed, placed)
  bed.calls.load = undefined
  assert.is((await bed.customer('POST', '/calls/originate', order, headers)).status, 201)
})

test('a suspended account reads, but spends and calls nothing', async () => {
  const { account, key } = (await bed.operator('POST', '/operator/accounts', { name: 'S', wallet_balance: '5' })).body
  await bed.operator('PATCH', `/operator/accounts/${account.uuid}`, { status: 'suspended' })
  assert.is((await bed.conforming('GET', '/account/', { key })).body.status, 'suspended')
  assert.is((await bed.conforming('GET', '/calls/', { key })).status, 200)
  for (const [url, body] of [
    ['/calls/originate', { to: '+254722000001', from: '+254700000001', url: 'https://a.test/v' }],
    ['/numbers/acquire', { uuid: unknownUuid }],
  ] as const) {
    const refused = await bed.conforming('POST', url, { key, body })
    assert.equal([refused.status, refused.body.code], [403, 'BILL.0403'])
    assert.ok(refused.body.detail.startsWith('BILL.0403: '))
  }
})

test('every operation of these paths was answered with success', () => {
  assert.equal(
    // What is recorded of a call: traces.test.ts.
    bed.unanswered(path => !isOfPortal(path) && /^(\/operator)?\/calls\b(?!.*\/trace)/.test(path)),
    [],
  )
})

test('no secret was logged', () => {
  assert.equal(bed.leaked(['hush', 'whsec_']), [])
})

test.after(() => bed.close())
test.run()
