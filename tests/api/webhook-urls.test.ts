import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiBed } from './bed/api-bed.ts'

// What an account may set as its webhooks, for itself and for a number.
const bed = await ApiBed.open()
const { uuid } = (await bed.operator('POST', '/operator/numbers', { number: '+254711000009' })).body
await bed.customer('POST', '/numbers/acquire', { uuid })

type Setting = readonly [name: string, set: (url: string) => ReturnType<typeof bed.customer>, field: string]
const settings: readonly Setting[] = [
  ['default', url => bed.customer('POST', '/account/webhooks', { url }), 'url'],
  ['endpoint', url => bed.customer('POST', '/account/webhooks/endpoint', { url }), 'url'],
  [
    'of a number',
    url => bed.customer('POST', '/numbers/configure', { uuid, webhook_urls: { voice_inbound: url } }),
    'webhook_urls.voice_inbound',
  ],
]

test('the scheme may be written in any case (RFC 3986 §3.1), and stays as it was set', async () => {
  for (const [name, set] of settings) {
    for (const url of ['HTTP://a.test/Voice', 'https://A.test/v', '']) {
      const { status, body } = await set(url)
      assert.is(status, 200, `${name} ${url}`)
      assert.is((body.endpoints ?? body.webhook_urls).voice_inbound, url)
    }
  }
})

test('what looks like a URL and is none is 422 before a call needs it, and changes nothing', async () => {
  for (const [name, set, field] of settings) {
    await set('https://a.test/kept')
    for (const url of ['http://[::1/v', 'http://a.test:99999/', 'http:///v', 'http://?v', 'http://#', 'http://%/']) {
      const { status, body } = await set(url)
      assert.equal([status, body.errors?.[0].field], [422, field], `${name} ${url}`)
      assert.match(body.detail, /must be an absolute http or https URL/)
    }
    const kept = (await bed.customer('GET', '/numbers/')).body[0].webhook_inbound.url
    assert.is(kept, 'https://a.test/kept', name)
  }
  const fallback = { fallback_mode: 'play', fallback_value: 'http://[::1/sorry.wav' }
  const refused = await bed.customer('POST', '/account/webhooks', fallback)
  assert.equal([refused.status, refused.body.errors[0].field], [422, 'fallback_value'])
})

test('a hosted document cannot receive status callbacks, and may be every other webhook', async () => {
  const order = { name: 'Greeting', body: '<Response><Say>Hello.</Say></Response>' }
  const { url } = (await bed.customer('POST', '/documents/', order)).body
  const perNumber = (purpose: string) =>
    bed.customer('POST', '/numbers/configure', { uuid, webhook_urls: { [purpose]: `${url}?a=1` } })
  for (const path of ['/account/webhooks', '/account/webhooks/endpoint']) {
    for (const purpose of ['voice_inbound', 'voice_outbound'])
      assert.is((await bed.customer('POST', path, { purpose, url })).status, 200)
    const refused = await bed.customer('POST', path, { purpose: 'status', url: url.replace('http:', 'HTTP:') })
    assert.equal([refused.status, refused.body.errors?.[0].field], [422, 'url'])
    assert.match(refused.body.detail, /your own server: a hosted document cannot receive status callbacks/)
  }
  assert.is((await perNumber('voice_inbound')).status, 200)
  const refused = await perNumber('status')
  assert.equal([refused.status, refused.body.errors?.[0].field], [422, 'webhook_urls.status'])
  const config = (await bed.customer('GET', '/account/webhooks')).body
  assert.is(config.endpoints.status, '')
  assert.not.ok(config.numbers.some((each: { purpose: string }) => each.purpose === 'status'))
})

test.after(() => bed.close())
test.run()
