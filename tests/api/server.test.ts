import { connect } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiBed } from './bed/api-bed.ts'

const bed = await ApiBed.open()
const base = await bed.app.listen({ host: '127.0.0.1', port: 0 })
const port = Number(new URL(base).port)

/** What the server says to these bytes, until it closes or is silent. */
function say(text: string, ms = 1500): Promise<string> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    let received = ''
    socket.on('data', chunk => {
      received += chunk
    })
    socket.on('error', () => resolve(received))
    socket.on('close', () => resolve(received))
    setTimeout(() => socket.destroy(), ms).unref()
  })
}

test('a real request over a real socket', async () => {
  const answer = await fetch(`${base}/account`, { headers: { authorization: `Bearer ${bed.key}` } })
  assert.equal([answer.status, ((await answer.json()) as { name: string }).name], [200, 'Bed'])
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
})

test('a POST without body and type, as curl -X POST sends it', async () => {
  const received = await say(
    `POST /account/webhooks/secret/rotate HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${bed.key}\r\nConnection: close\r\n\r\n`,
  )
  assert.match(received, /^HTTP\/1\.1 200/)
})

test('bytes that are not HTTP get 400 with detail, and other requests go on', async () => {
  for (const text of [
    'nonsense\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n',
  ]) {
    const received = await say(text)
    assert.match(received, /^HTTP\/1\.1 400/)
    assert.match(received, /\{"detail":"[^"]+"\}$/)
  }
  const headers = await say(`GET /health/ HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`)
  assert.match(headers, /^HTTP\/1\.1 431/)
  assert.is((await fetch(`${base}/health/`)).status, 200)
})

test('two lengths, a chunked lie: refused, never smuggled', async () => {
  const head = `POST /keys/create HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${bed.key}\r\nContent-Type: application/json\r\n`
  for (const lie of [
    'Content-Length: 2\r\nContent-Length: 5\r\n\r\n{}{}}',
    'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n',
    'Transfer-Encoding: chunked\r\n\r\nzz\r\n',
  ]) {
    assert.match(await say(head + lie), /^HTTP\/1\.1 400/)
  }
})

test('a transfer coding beside chunked is 501 (RFC 9112 §6.1); one after it, or none of chunked, is 400 (§6.3)', async () => {
  const status = async (codings: string, key = bed.key) => {
    const head = `POST /keys/create HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nConnection: close`
    const received = await say(`${head}\r\nTransfer-Encoding: ${codings}\r\n\r\nd\r\n{"name":"te"}\r\n0\r\n\r\n`)
    assert.ok(received.startsWith('HTTP/1.1 201') || /\{"detail":"[^"]+"\}$/.test(received), received)
    return Number(received.split(' ')[1])
  }
  for (const codings of ['gzip, chunked', 'GZIP,Chunked', 'gzip\r\nTransfer-Encoding: chunked'])
    assert.is(await status(codings), 501, codings)
  for (const codings of ['gzip', 'chunked, gzip', 'xchunked']) assert.is(await status(codings), 400, codings)
  assert.is(await status('Chunked'), 201)
  assert.is(await status('gzip, chunked', 'vk_wrong'), 401)
})

test('OPTIONS of the whole server names the methods that it has (RFC 9110 §9.3.7)', async () => {
  const received = await say('OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  assert.match(received, /^HTTP\/1\.1 204 /)
  assert.match(received, /\r\nallow: DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT\r\n/i)
  assert.match(await say('PUT * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'), /^HTTP\/1\.1 404 /)
})

test('a body over 1 MB ends with 413 before it is read whole', async () => {
  const received = await say(
    `POST /keys/create HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${bed.key}\r\nContent-Type: application/json\r\nContent-Length: 900000000\r\n\r\n{`,
  )
  assert.match(received, /^HTTP\/1\.1 413/)
})

test('API keys that are longer than a header may be, or contain odd bytes', async () => {
  for (const key of ['a'.repeat(9000), '"\\', '\xff\xfe']) {
    assert.match(
      await say(`GET /account/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`),
      /^HTTP\/1\.1 401/,
    )
  }
})

test('refusals of Node itself have a detail, too: no Host, an unknown Expect', async () => {
  for (const [head, status] of [
    ['Connection: close', 400],
    ['Host: a\r\nExpect: something\r\nConnection: close', 417],
  ] as const) {
    const received = await say(`GET /health/ HTTP/1.1\r\n${head}\r\n\r\n`)
    assert.match(received, new RegExp(`^HTTP/1\\.1 ${status}`))
    assert.match(received, /\{"detail":"[^"]+"\}/)
  }
})

test('two Authorization lines: neither is taken', async () => {
  const line = (key: string) => `Authorization: Bearer ${key}\r\n`
  for (const lines of [line(bed.key) + line('x'), line('x') + line(bed.key), line(bed.key) + line(bed.key)]) {
    const received = await say(`GET /account/ HTTP/1.1\r\nHost: a\r\n${lines}Connection: close\r\n\r\n`)
    assert.match(received, /^HTTP\/1\.1 400/)
  }
})

test('the explorer and the document need no key and nothing from elsewhere', async () => {
  const page = await fetch(`${base}/docs`)
  const html = await page.text()
  assert.is(page.status, 200)
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(match => match[1] ?? '')
  for (const url of named) assert.match(url, /^(\/|data:)/)
  for (const url of named.filter(url => url.startsWith('/'))) assert.is((await fetch(base + url)).status, 200, url)
  const script = await (await fetch(`${base}/docs/explorer.js`)).text()
  assert.not.match(script, /https?:\/\//)
  const document = (await (await fetch(`${base}/openapi.json`)).json()) as {
    openapi: string
    servers: { url: string }[]
  }
  assert.equal([document.openapi, document.servers[0]?.url], ['3.1.0', 'http://voice.test'])
})

test.after(() => bed.close())
test('one Host, and a readable one: anything else is 400, at the WebSocket too', async () => {
  const status = async (hosts: string, path = '/health/', more = '') =>
    Number(
      (
        await say(`GET ${path} HTTP/1.1\r\n${hosts}${more}Connection: ${more === '' ? 'close' : 'Upgrade'}\r\n\r\n`)
      ).split(' ')[1],
    )
  for (const host of [
    'voice.test',
    'voice.test:8080',
    '[::1]:8080',
    '127.0.0.1',
    'a_b.test',
    'localhost:',
    'a%2Db',
    'a:65535',
    '[::ffff:1.2.3.4]',
  ])
    assert.is(await status(`Host: ${host}\r\n`), 200, host)
  const bad = [
    'a b',
    'a/b',
    'a@b',
    'a:b',
    'a:80:80',
    '[::1',
    '',
    '<script>',
    'a, b',
    'a:65536',
    'a%zz',
    'a%',
    '[:::]',
    '[1.2]',
    '[12345::]',
  ]
  for (const host of bad) assert.is(await status(`Host: ${host}\r\n`), 400, host)
  assert.is(await status('Host: a\r\nHost: b\r\n'), 400)
  assert.is(await status('Host: a\r\nhost: a\r\n'), 400)
  assert.is(await status(''), 400)
  const upgrade = 'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'
  assert.is(await status('Host: a\r\nHost: b\r\n', '/stream', upgrade), 400)
})

test.run()
