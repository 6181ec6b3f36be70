import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { wavOf } from '../rig/probes/tone.ts'
import { ApiBed, operatorKey } from './bed/api-bed.ts'

// HEAD is GET without the content (RFC 9110 §9.3.2), over real HTTP, for Node leaves out of an answer to HEAD what it may not have.

const bed = await ApiBed.open()
await bed.app.listen({ host: '127.0.0.1', port: 0 })
const { port } = bed.app.server.address() as AddressInfo
/** One connection for all: content that a HEAD must not have would be taken for the next answer. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
await bed.conforming('PUT', '/assets/beep', {
  raw: Buffer.from(wavOf(new Int16Array(800))),
  headers: { 'content-type': 'audio/wav' },
})
const asset = '/assets/beep'

interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly bytes: number
}

function ask(method: string, path: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, headers, agent }, answer => {
      let bytes = 0
      answer.on('data', (piece: Buffer) => {
        bytes += piece.length
      })
      answer.on('end', () => {
        const { date: _date, ...rest } = answer.headers
        resolve({ status: answer.statusCode, headers: rest, bytes })
      })
    })
    asked.on('error', reject).end()
  })
}

const rows: readonly [path: string, status: number, headers?: Readonly<Record<string, string>>][] = [
  ['/health/', 200, {}],
  ['/health', 200, {}],
  ['/account/', 200],
  ['/account/', 401, {}],
  ['/account/', 401, bearer('vk_wrong')],
  ['/account/?a=1', 200],
  ['/%61ccount', 200],
  ['/calls/?limit=1', 200],
  ['/calls/?limit=0', 422],
  ['/calls/0197e2d1-7a4a-7000-8000-000000000000', 404],
  ['/operator/accounts', 200, bearer(operatorKey)],
  ['/operator/accounts', 401],
  ['/metrics', 401],
  ['/openapi.json', 200, {}],
  ['/openapi.json', 200, { 'accept-encoding': 'gzip' }],
  ['/docs/', 200, {}],
  ['/phone/', 200, {}],
  [asset, 200],
  [asset, 412, { ...bearer(bed.key), 'if-match': '"other"' }],
  ['/nothing', 404],
  ['/calls/%00', 404],
  ['/calls/%ff', 400],
]
for (const [path, status, headers = bearer(bed.key)] of rows) {
  test(`HEAD ${path} ${JSON.stringify(Object.keys(headers))} is GET without content: ${status}`, async () => {
    const got = await ask('GET', path, headers)
    const head = await ask('HEAD', path, headers)
    assert.is(got.status, status)
    assert.is(got.headers['content-length'], String(got.bytes))
    assert.equal(head, { ...got, bytes: 0 })
  })
}

test('a range is of GET alone (RFC 9110 §14.2)', async () => {
  const headers = { ...bearer(bed.key), range: 'bytes=0-1' }
  assert.is((await ask('GET', asset, headers)).status, 206)
  const head = await ask('HEAD', asset, headers)
  assert.equal([head.status, head.headers['content-length'], head.headers['content-range']], [200, '1644', undefined])
})

test('not modified has no content, and no length (RFC 9110 §8.6)', async () => {
  for (const path of ['/docs/', asset]) {
    const { headers } = await ask('GET', path, bearer(bed.key))
    const known = { ...bearer(bed.key), 'if-none-match': String(headers.etag) }
    const head = await ask('HEAD', path, known)
    assert.equal([head.status, head.headers['content-length']], [304, undefined])
    assert.equal(head, await ask('GET', path, known))
  }
})

test('HEAD of what only POST has, or of a GET that changes something, is 405', async () => {
  for (const [path, allow] of [
    ['/calls/originate', 'OPTIONS, POST'],
    ['/calls/hangup?sid=CA0000000000000000', 'GET, OPTIONS, POST'],
    ['/calls/hangup/CA0000000000000000', 'GET, OPTIONS'],
  ] as const) {
    const head = await ask('HEAD', path, bearer(bed.key))
    assert.equal([head.status, head.headers.allow, head.bytes], [405, allow, 0], path)
  }
})

test.after(async () => {
  agent.destroy()
  await bed.close()
})
test.run()
