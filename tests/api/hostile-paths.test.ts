import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiBed } from './bed/api-bed.ts'

// What stands in a request's line: queries and paths.

const bed = await ApiBed.open()

const queries: readonly [query: string, status: number][] = [
  ['', 200],
  ['limit=1&offset=0', 200],
  ['limit=200', 200],
  ['limit=0', 422],
  ['limit=201', 422],
  ['limit=abc', 422],
  ['limit=', 422],
  ['limit=1e1', 422],
  ['limit=0x10', 422],
  ['limit=1.0', 422],
  ['limit=%2010', 422],
  ['limit=5&limit=6', 422],
  ['offset=-1', 422],
  ['offset=99999999999999999999', 422],
  ['offset=1000000', 200],
  ['direction=inbound&status=failed', 200],
  ['direction=sideways', 422],
  ['status=done', 422],
  ['direction=inbound&direction=outbound', 422],
  ['from_dt=2026-01-01', 200],
  ['from_dt=2026-01-01T00:00:00Z&to_dt=2026-12-31T23:59:59.999999%2B03:00', 200],
  ['from_dt=2026-01-01T00:00:00+03:00', 200],
  ['from_dt=20260101T083000Z&to_dt=20260102T0830%2B0300', 200],
  ['from_dt=2026-01-01T08:30:00%2B03&to_dt=2026-01-01T24:00:00Z', 200],
  ['from_dt=20260101&to_dt=2026-01-01T08Z', 200],
  ['from_dt=2026-01-01T24:00:01Z', 422],
  ['from_dt=2026-0101', 422],
  ['from_dt=202601', 422],
  ['from_dt=1767225600', 422],
  ['from_dt=yesterday', 422],
  ['from_dt=2026-02-30', 422],
  ['to_dt=2026-01-01T25:00:00Z', 422],
  ['to_dt=1767225600', 422],
  ['to_dt=', 422],
  ['search=%2B254', 200],
  ['search=%00', 200],
  ["search='%20OR%201=1--", 200],
  ['unknown=1', 200],
]
for (const [query, status] of queries) {
  test(`calls?${query} is ${status}`, async () => {
    assert.is((await bed.customer('GET', `/calls/?${query}`)).status, status)
  })
}

test('paths: unknown 404, wrong method 405 with Allow, OPTIONS and HEAD', async () => {
  for (const url of [
    '/nothing',
    '/calls/a/b/c',
    '/account/%2e%2e/operator',
    '/operator',
    '/docs/../package.json',
    '/docs/%2e%2e%2fserver.ts',
  ]) {
    const answer = await bed.ask('GET', url)
    assert.is(answer.status, 404, url)
    assert.type(answer.body.detail, 'string')
  }
  for (const [method, url, allow] of [
    ['DELETE', '/account/', 'GET, HEAD, OPTIONS'],
    ['POST', '/numbers/', 'GET, HEAD, OPTIONS'],
    ['GET', '/calls/originate', 'OPTIONS, POST'],
    ['PATCH', '/documents', 'GET, HEAD, OPTIONS, POST'],
    ['POST', '/openapi.json', 'GET, HEAD, OPTIONS'],
    ['PUT', '/c%61lls/?a=1', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/operator/trunks/states/', 'GET, HEAD, OPTIONS'],
    ['POST', '/calls/0197e2d1-7a4a-7000-8000-000000000000/trace.pcapng', 'GET, HEAD, OPTIONS'],
  ] as const) {
    const answer = await bed.ask(method, url)
    assert.equal([answer.status, answer.headers.allow], [405, allow], `${method} ${url}`)
    assert.type(answer.body.detail, 'string')
  }
  const options = await bed.ask('OPTIONS', '/account', { key: '' })
  assert.equal([options.status, options.headers.allow], [204, 'GET, HEAD, OPTIONS'])
  assert.is(options.headers['access-control-allow-origin'], undefined)
  const head = await bed.ask('HEAD', '/account')
  assert.equal([head.status, head.text], [200, ''])
  assert.is((await bed.ask('HEAD', '/calls/hangup/CA0000000000000000')).status, 405)
})

test('a trailing slash makes no difference', async () => {
  for (const url of [
    '/account',
    '/account/webhooks',
    '/numbers',
    '/numbers/available',
    '/calls',
    '/keys',
    '/documents',
    '/assets',
    '/health',
    '/docs',
    '/openapi.json',
  ]) {
    assert.is((await bed.ask('GET', url)).status, 200, url)
    assert.is((await bed.ask('GET', `${url}/`)).status, 200, `${url}/`)
  }
  assert.is((await bed.ask('POST', '/account/webhooks/secret/rotate/')).status, 200)
})

test('paths that are no paths', async () => {
  for (const url of ['/calls/%ff', '/calls/%', '/calls/%00', `/calls/${'a'.repeat(300)}`]) {
    const answer = await bed.ask('GET', url)
    assert.ok([400, 404, 414, 422].includes(answer.status), `${url}: ${answer.status}`)
    assert.type(answer.body.detail, 'string')
  }
})

test.after(() => bed.close())
test.run()
