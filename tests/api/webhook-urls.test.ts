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

test.after(() => bed.close())
test.run()
