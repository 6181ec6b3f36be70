import { createHmac } from 'node:crypto'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { SignedPost } from '../../core/adapters/http/http-client.ts'
import { type HttpAnswer, HttpClient, webhookMaxBytes } from '../../core/adapters/http/index.ts'
import { type RawRequest, rawServer, response } from '../core/bed/raw-server.ts'

const ok = (status: number) => status === 200

function post(client: HttpClient, url: string, fields: Partial<SignedPost> = {}): Promise<HttpAnswer> {
  return client.signedPost({ url, body: '{}', secret: 's', unixSeconds: 1, wants: ok, timeoutMs: 400, ...fields })
}

async function against(
  answer: (request: RawRequest) => void,
  run: (client: HttpClient, url: string, requests: RawRequest[]) => Promise<void>,
): Promise<void> {
  const server = await rawServer(answer)
  const client = new HttpClient({ allowPrivateUrls: true })
  try {
    await run(client, server.url('/hook?a=1'), server.requests)
  } finally {
    await client.close()
    await server.close()
  }
}

const faultOf = (answer: HttpAnswer) => (answer.ok ? `status ${answer.status}` : answer.fault)
const text = (answer: HttpAnswer) => (answer.ok ? new TextDecoder().decode(answer.body) : answer.detail)

test('a signed post: URL as configured, timestamp and raw body', () =>
  against(
    ({ socket }) => socket.write(response(200, '<Response/>', 'Content-Type: text/xml\r\nETag: "e1"\r\n')),
    async (client, url, requests) => {
      const answer = await post(client, url, { body: '{"a":"ü"}', unixSeconds: 1_790_000_000, event: 'call.ringing' })
      assert.is(text(answer), '<Response/>')
      assert.ok(answer.ok && answer.contentType === 'text/xml' && answer.etag === '"e1"')
      const { head, body } = requests[0]!
      assert.match(head, /^POST \/hook\?a=1 HTTP\/1\.1\r\n/)
      assert.match(head, /content-type: application\/json/)
      assert.match(head, /x-voice-event: call\.ringing/)
      assert.match(head, /x-voice-timestamp: 1790000000/)
      const raw = Buffer.from(body, 'latin1')
      const expected = createHmac('sha256', 's').update(`${url}1790000000`).update(raw).digest('base64')
      assert.is(/x-voice-signature: (.*)/.exec(head)?.[1], expected)
      assert.is(raw.toString('utf8'), '{"a":"ü"}')
    },
  ))

const chunked = (text: string, length: number) =>
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${(text.match(new RegExp(`[\\s\\S]{1,${length}}`, 'g')) ?? [])
    .map(piece => `${piece.length.toString(16)}\r\n${piece}\r\n`)
    .join('')}0\r\n\r\n`

test('an answer in thousands of chunks of one octet is given up, wanted or not; in few, or of 20, it is read', () => {
  const page = `<Response>${'<Pause/>'.repeat(5000)}</Response>`
  const rows: [answer: string, expected: RegExp][] = [
    [chunked(page, 1), /pieces of a few octets/],
    [chunked(page.slice(0, 900), 1), /^<Response>/],
    [chunked(page, 20), /^<Response>(<Pause\/>){5000}<\/Response>$/],
  ]
  let at = 0
  return against(
    ({ socket }) => socket.write(rows[at]![0]),
    async (client, url) => {
      for (; at < rows.length; at++) assert.match(text(await post(client, url)), rows[at]![1])
      at = 0
      const excerpt = await post(client, url, { wants: () => false, excerptBytes: 100 })
      assert.ok(excerpt.ok && excerpt.body.length <= 100)
      assert.is(faultOf(await post(client, url, { wants: () => false })), 'status 200')
    },
  )
})

test('a body that its server compressed unasked is what it was before, within the same bounds', () => {
  const page = Buffer.from(`<Response>${'<Pause/>'.repeat(2000)}</Response>`)
  const bomb = gzipSync(Buffer.alloc(10_000_000))
  const rows: [encoding: string, body: Buffer, expected: RegExp][] = [
    ['gzip', gzipSync(page), /^<Response>(<Pause\/>){2000}<\/Response>$/],
    ['X-GZIP', gzipSync(page), /^<Response>/],
    ['deflate', deflateSync(page), /^<Response>/],
    ['br', brotliCompressSync(page), /^<Response>/],
    ['identity', page, /^<Response>/],
    ['zstd', page, /^the server sent it encoded as zstd, which was not asked for$/],
    ['gzip', page, /^what the server sent as gzip is not$/],
    ['gzip', gzipSync(page).subarray(0, -20), /^what the server sent as gzip is not$/],
    ['gzip', bomb, new RegExp(`^more than ${webhookMaxBytes} bytes$`)],
  ]
  return rows.reduce(
    (before, [encoding, body, expected]) =>
      before.then(() =>
        against(
          ({ socket }) => {
            const head = `HTTP/1.1 200 X\r\nContent-Length: ${body.length}\r\nContent-Encoding: ${encoding}\r\n\r\n`
            socket.write(Buffer.concat([Buffer.from(head), body]))
          },
          async (client, url) => {
            assert.match(text(await post(client, url, { timeoutMs: 2000 })), expected, encoding)
          },
        ),
      ),
    Promise.resolve(),
  )
})

test('of a status that is not wanted its first bytes, where they are asked for', () =>
  against(
    ({ socket }) => socket.write(response(500, `no such tenant ${'x'.repeat(100_000)}`)),
    async (client, url) => {
      const answer = await post(client, url, { excerptBytes: 20 })
      assert.is(text(answer), 'no such tenant xxxxx')
      assert.ok(answer.ok && answer.status === 500)
      assert.is(text(await post(client, url)), '')
    },
  ))

test('an answer that breaks off or stalls has said its status all the same', () =>
  against(
    ({ socket }) => socket.write('HTTP/1.1 502 Bad\r\nContent-Length: 900\r\n\r\nhalf'),
    async (client, url) => {
      const answer = await post(client, url, { excerptBytes: 1024 })
      assert.ok(answer.ok && answer.status === 502, faultOf(answer))
      assert.is(text(answer), 'half')
    },
  ))

test('the signature covers the URL as it is written, though the request line is normal', () =>
  against(
    ({ socket }) => socket.write(response(200)),
    async (client, url, requests) => {
      const odd = url.replace('/hook?a=1', '/a b/../c#part')
      await post(client, odd)
      assert.match(requests[0]!.head, /^POST \/c HTTP/)
      const expected = createHmac('sha256', 's').update(`${odd}1{}`).digest('base64')
      assert.is(/x-voice-signature: (.*)/.exec(requests[0]!.head)?.[1], expected)
    },
  ))

const big = 'x'.repeat(webhookMaxBytes)
const answers: readonly [what: string, write: (request: RawRequest) => void, expected: string][] = [
  ['64 KB exactly is read', ({ socket }) => socket.write(response(200, big)), 'status 200'],
  ['64 KB and a byte is too large', ({ socket }) => socket.write(response(200, `${big}x`)), 'too-large'],
  [
    'too large in chunks, without an announced length',
    ({ socket }) => {
      socket.write('HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n')
      for (let at = 0; at < 9; at++) socket.write(`2000\r\n${'x'.repeat(0x2000)}\r\n`)
    },
    'too-large',
  ],
  [
    '64 KB in chunks is read',
    ({ socket }) => {
      socket.write('HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n')
      for (let at = 0; at < 8; at++) socket.write(`2000\r\n${'x'.repeat(0x2000)}\r\n`)
      socket.write('0\r\n\r\n')
    },
    'status 200',
  ],
  [
    'a length announced as too large is not waited for',
    ({ socket }) => socket.write('HTTP/1.1 200 X\r\nContent-Length: 65537\r\n\r\n'),
    'too-large',
  ],
  ['no answer', () => {}, 'timeout'],
  ['a status line, then nothing', ({ socket }) => socket.write('HTTP/1.1 200 OK\r\n'), 'timeout'],
  ['a head, then nothing', ({ socket }) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab'), 'timeout'],
  [
    'a byte at a time',
    ({ socket }) => {
      const bytes = response(200, 'slow')
      let at = 0
      const timer = setInterval(() => socket.write(bytes.charAt(at++)), 50)
      socket.on('close', () => clearInterval(timer))
    },
    'timeout',
  ],
  [
    'a head that never ends',
    ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => socket.write(`X: ${'y'.repeat(4000)}\r\n`), 5)
      socket.on('close', () => clearInterval(timer))
    },
    'transport',
  ],
  [
    'closed before the announced end',
    ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort'),
    'transport',
  ],
  ['closed without a word', ({ socket }) => socket.destroy(), 'transport'],
  ['no HTTP', ({ socket }) => socket.end('SSH-2.0-OpenSSH_9.6\r\n\r\n'), 'transport'],
  ['a 500', ({ socket }) => socket.write(response(500, 'oops')), 'status 500'],
  [
    'a 500 that stalls is a 500 all the same',
    ({ socket }) => socket.write('HTTP/1.1 500 X\r\nContent-Length: 9\r\n\r\n'),
    'status 500',
  ],
  [
    'a redirect is not followed',
    ({ socket }) => socket.write(response(302, '', 'Location: http://127.0.0.1:1/\r\n')),
    'status 302',
  ],
  [
    'a body until the connection closes',
    ({ socket }) => socket.end('HTTP/1.0 200 OK\r\n\r\n<Response/>'),
    'status 200',
  ],
  ['only an interim answer', ({ socket }) => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 'timeout'],
]

for (const [what, write, expected] of answers) {
  test(`answer: ${what}`, () =>
    against(write, async (client, url) => {
      const started = performance.now()
      assert.is(faultOf(await post(client, url)), expected)
      const took = performance.now() - started
      assert.ok(expected === 'timeout' ? took > 350 && took < 900 : took < 350, `${took} ms`)
    }))
}

test('a refused connection, a name that does not exist, and what is no URL', async () => {
  const server = await rawServer(() => {})
  const url = server.url()
  await server.close()
  const client = new HttpClient({ allowPrivateUrls: true, resolve: (_host, done) => done(new Error('ENOTFOUND'), []) })
  assert.is(faultOf(await post(client, url)), 'transport')
  assert.is(faultOf(await post(client, 'http://nowhere.example/')), 'transport')
  assert.is(faultOf(await post(client, 'nonsense')), 'transport')
  assert.is(faultOf(await post(client, 'http://')), 'transport')
  for (const other of ['ftp://example.com/', 'file:///etc/passwd', 'javascript:1', 'data:text/xml,<Response/>']) {
    assert.is(faultOf(await post(client, other)), 'refused-address', other)
  }
  await client.close()
})

test('a stalled answer delays no other request, and the connection after a good answer is used again', async () => {
  const server = await rawServer(({ head, socket }) => {
    if (!head.includes('/stall')) socket.write(response(200, 'ok'))
  })
  const client = new HttpClient({ allowPrivateUrls: true, connectionsPerOrigin: 8 })
  const stalled = Array.from({ length: 5 }, () => post(client, server.url('/stall')))
  for (let at = 0; at < 20; at++) {
    const started = performance.now()
    assert.is(text(await post(client, server.url('/good'))), 'ok')
    assert.ok(performance.now() - started < 200)
  }
  assert.ok(server.connections < 10, `${server.connections} connections for 25 requests`)
  assert.equal((await Promise.all(stalled)).map(faultOf), Array(5).fill('timeout'))
  await client.close()
  await server.close()
})

test('an account whose requests to a server hang takes no connection to it from another account', async () => {
  const server = await rawServer(({ head, socket }) => {
    if (!head.includes('/stall')) socket.write(response(200, 'ok'))
  })
  const client = new HttpClient({ allowPrivateUrls: true, connectionsPerOrigin: 2 })
  const stalled = Array.from({ length: 6 }, () => post(client, server.url('/stall'), { owner: 'a', timeoutMs: 3000 }))
  assert.is(faultOf(await post(client, server.url('/good'), { owner: 'a' })), 'timeout')
  for (let at = 0; at < 5; at++)
    assert.is(text(await post(client, server.url('/good'), { owner: 'b', timeoutMs: 5000 })), 'ok')
  await client.close()
  assert.is((await Promise.all(stalled)).filter(answer => answer.ok).length, 0)
  assert.is((await post(client, server.url('/good'), { owner: 'b' })).ok, false, 'closed is closed')
  await server.close()
})

/** Keeps a connection for one request, and closes it as the second one comes. */
const closesUnderOurHands = ({ socket, nth }: RawRequest) => {
  if (nth === 1) socket.write(response(200, 'ok'))
  else socket.destroy()
}

test('a kept connection that the server closes under our hands costs a repeatable request no failure', () =>
  against(closesUnderOurHands, async (client, url) => {
    for (let at = 0; at < 4; at++) assert.is(text(await post(client, url, { isRepeatable: true })), 'ok')
    for (let at = 0; at < 4; at++) assert.is(text(await client.get(url, { maxBytes: 100, timeoutMs: 1000 })), 'ok')
  }))

test('a POST that its server may have acted upon is not sent again by itself (RFC 9110 §9.2.2)', async () => {
  const server = await rawServer(closesUnderOurHands)
  const client = new HttpClient({ allowPrivateUrls: true, connectionsPerOrigin: 1 })
  const first = post(client, server.url(), { timeoutMs: 5000 })
  const second = post(client, server.url(), { timeoutMs: 5000 })
  assert.equal([text(await first), faultOf(await second)], ['ok', 'transport'])
  assert.is(server.requests.length, 2)
  await client.close()
  await server.close()
})

test('a POST that must not go twice takes no connection that was idle for a second', () =>
  against(closesUnderOurHands, async (client, url, requests) => {
    for (let at = 1; at <= 3; at++) {
      assert.is(text(await post(client, url, { timeoutMs: 5000 })), 'ok')
      assert.is(requests.length, at)
      await new Promise(resolve => setTimeout(resolve, 1200))
    }
  }))

test('a server that closes after each answer without saying so costs no POST that comes at once', async () => {
  for (const afterMs of [0, 1, 4]) {
    await against(
      ({ socket }) => {
        socket.write(response(200, 'ok'))
        setTimeout(() => socket.end(), afterMs)
      },
      async (client, url, requests) => {
        for (let at = 1; at <= 12; at++) {
          assert.is(
            text(await post(client, url, { timeoutMs: 5000 })),
            'ok',
            `request ${at}, closed after ${afterMs} ms`,
          )
          assert.is(requests.length, at)
        }
      },
    )
  }
})

test('connections of a server that keeps them are used again', () =>
  against(
    ({ socket }) => socket.write(response(200, 'ok')),
    async (client, url, requests) => {
      for (let at = 0; at < 50; at++) assert.is(text(await post(client, url, { timeoutMs: 5000 })), 'ok')
      const connections = requests.filter(({ nth }) => nth === 1).length
      assert.ok(connections <= 5, `${connections} connections for 50 requests`)
    },
  ))

test('an exchange can be abandoned', () =>
  against(
    () => {},
    async (client, url) => {
      const abort = new AbortController()
      const answer = post(client, url, { signal: abort.signal, timeoutMs: 5000 })
      setTimeout(() => abort.abort(), 30)
      assert.is(faultOf(await answer), 'aborted')
      assert.is(faultOf(await post(client, url, { signal: abort.signal })), 'aborted')
    },
  ))

test('user and password of a URL become basic authentication', () =>
  against(
    ({ socket }) => socket.write(response(200)),
    async (client, url, requests) => {
      await post(client, url.replace('http://', 'http://jo:p%40ss@'))
      assert.match(requests[0]!.head, new RegExp(`authorization: Basic ${Buffer.from('jo:p@ss').toString('base64')}`))
    },
  ))

test('a file by GET, with the etag that we have', () =>
  against(
    ({ head, socket }) =>
      socket.write(
        head.includes('if-none-match: "e1"') ? 'HTTP/1.1 304 X\r\n\r\n' : response(200, 'RIFF', 'ETag: "e1"\r\n'),
      ),
    async (client, url) => {
      const first = await client.get(url, { maxBytes: 4, timeoutMs: 400 })
      assert.ok(first.ok && first.etag === '"e1"')
      assert.is(text(first), 'RIFF')
      const again = await client.get(url, { maxBytes: 4, timeoutMs: 400, etag: '"e1"' })
      assert.is(faultOf(again), 'status 304')
      assert.is(faultOf(await client.get(url, { maxBytes: 3, timeoutMs: 400 })), 'too-large')
    },
  ))

test.run()
