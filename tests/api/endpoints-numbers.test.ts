import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiBed } from './bed/api-bed.ts'

// Every answer of `customer`, `operator` and `conforming` is compared with /openapi.json by the bed.
const bed = await ApiBed.open()
const unknownUuid = '00000000-0000-4000-8000-000000000000'
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

test('a number from the pool to its owner and back', async () => {
  const pool = await bed.operator('POST', '/operator/numbers', { number: '+254711000001', setup_fee: '12.5' })
  assert.equal([pool.status, pool.body.setup_fee, pool.body.account], [201, '12.50', null])
  const { uuid } = pool.body
  const listed = await bed.customer('GET', '/numbers/available')
  assert.equal(listed.body, [{ uuid, number: '+254711000001' }])
  const priced = await bed.customer('GET', '/numbers/available?fees=true')
  assert.equal(priced.body, [{ uuid, number: '+254711000001', setup_fee: '12.50' }])
  assert.is((await bed.customer('GET', '/numbers/available?fees=yes')).status, 422)

  const acquired = await bed.customer('POST', '/numbers/acquire', { uuid })
  assert.is(acquired.status, 200)
  assert.match(acquired.body.acquired_at, timestamp)
  assert.equal(acquired.body.webhook_inbound, { url: '', source: 'none' })
  assert.is((await bed.customer('GET', '/account/')).body.wallet_balance, '987.50')
  assert.is((await bed.customer('POST', '/numbers/acquire', { uuid })).status, 409)
  assert.is((await bed.customer('POST', '/numbers/acquire', { uuid: unknownUuid })).status, 404)
  assert.is((await bed.operator('DELETE', `/operator/numbers/${uuid}`)).status, 409)

  await bed.customer('POST', '/account/webhooks', { url: 'https://a.test/default' })
  assert.equal((await bed.customer('GET', '/numbers/')).body[0].webhook_inbound, {
    url: 'https://a.test/default',
    source: 'default',
  })
  const configure = (body: object) => bed.customer('POST', '/numbers/configure', { uuid, ...body })
  const custom = await configure({ webhook_urls: { voice_inbound: 'https://a.test/own' }, friendly_name: 'Front desk' })
  assert.equal(custom.body.webhook_inbound, { url: 'https://a.test/own', source: 'custom' })
  const more = await configure({ webhook_urls: { status: 'https://a.test/s', voice_outbound: null } })
  assert.equal(more.body.webhook_urls, {
    voice_inbound: 'https://a.test/own',
    voice_outbound: '',
    status: 'https://a.test/s',
  })
  assert.is(more.body.friendly_name, 'Front desk')
  assert.equal((await bed.customer('GET', '/account/webhooks')).body.numbers, [
    { number: '+254711000001', purpose: 'voice_inbound', url: 'https://a.test/own' },
    { number: '+254711000001', purpose: 'status', url: 'https://a.test/s' },
  ])
  assert.is((await configure({ webhook_urls: { voice_inbound: '' } })).body.webhook_inbound.source, 'default')
  assert.is((await configure({ webhook_urls: null, friendly_name: null })).body.friendly_name, 'Front desk')
  assert.is((await bed.customer('POST', '/numbers/configure', { uuid: unknownUuid })).status, 404)

  assert.is((await bed.customer('POST', '/numbers/release', { uuid })).status, 200)
  assert.is((await bed.customer('POST', '/numbers/release', { uuid })).status, 404)
  assert.equal((await bed.customer('GET', '/numbers/')).body, [])
  const again = await bed.customer('POST', '/numbers/acquire', { uuid })
  assert.equal([again.body.friendly_name, again.body.webhook_urls.status], ['', ''])
  await bed.customer('POST', '/numbers/release', { uuid })
  assert.is((await bed.operator('DELETE', `/operator/numbers/${uuid}`)).status, 200)
  assert.is((await bed.operator('DELETE', `/operator/numbers/${uuid}`)).status, 404)
})

test('only what can be called and presented is a number of the pool: E.164 from + and 1 to 9', async () => {
  for (const number of ['+0711000001', '+123456', '+1234567890123456', '254711000001', '+254 711 000 001']) {
    const refused = await bed.operator('POST', '/operator/numbers', { number })
    assert.equal([refused.status, refused.body.detail], [422, 'number: must be E.164: + and 7 to 15 digits'], number)
  }
  for (const number of ['+1234567', '+123456789012345']) {
    const { status, body } = await bed.operator('POST', '/operator/numbers', { number })
    assert.is(status, 201, number)
    await bed.operator('DELETE', `/operator/numbers/${body.uuid}`)
  }
})

test('a number that cannot be paid for', async () => {
  const { uuid } = (await bed.operator('POST', '/operator/numbers', { number: '+254711000002', setup_fee: '100000' }))
    .body
  const refused = await bed.customer('POST', '/numbers/acquire', { uuid })
  assert.is(refused.status, 402)
  assert.is(refused.body.code, 'BILL.0402')
  assert.ok(refused.body.detail.startsWith('BILL.0402: '))
  assert.is((await bed.operator('POST', '/operator/numbers', { number: '+254711000002' })).status, 409)
  const all = await bed.operator('GET', '/operator/numbers')
  assert.equal([all.body.total, all.body.numbers[0].uuid], [1, uuid])
  await bed.operator('POST', '/operator/numbers', { number: '+254711000001' })
  const { numbers } = (await bed.operator('GET', '/operator/numbers')).body
  assert.equal(
    numbers.map((each: { number: string }) => each.number),
    ['+254711000001', '+254711000002'],
    'by number, as described',
  )
})

test('every operation of these paths was answered with success', () => {
  assert.equal(
    bed.unanswered(path => /^(\/operator)?\/numbers\b/.test(path)),
    [],
  )
})

test('no secret was logged', () => {
  assert.equal(bed.leaked(['hush', 'whsec_']), [])
})

test.after(() => bed.close())
test.run()
