import { connect } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiBed } from './bed/api-bed.ts'

// Bodies in pieces of a few octets: chunks (RFC 9112 §7.1) cost Node a Buffer and a call each.

const bed = await ApiBed.open()
const base = await bed.app.listen({ host: '127.0.0.1', port: 0 })
const port = Number(new URL(base).port)

const chunksOf = (text: string, length: number): string => {
  const pieces = text.match(new RegExp(`[\\s\\S]{1,${length}}`, 'g')) ?? []
  return pieces.map(piece => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')
}
const head = (path: string, more = `Authorization: Bearer ${bed.key}\r\n`) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n${more}\r\n`

/** What the server says to these texts, sent one after another, until it has said a body, or until it closes. */
function say(texts: readonly string[], end: 'body' | 'close' = 'body'): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    const socket = connect(port, '127.0.0.1', async () => {
      for (const each of texts) {
        socket.write(each)
        await new Promise(done => setTimeout(done, 5))
      }
    })
    const late = setTimeout(() => reject(new Error(`it did not end: ${said}`)), 10_000)
    const finish = () => {
      clearTimeout(late)
      resolve(said)
      socket.destroy()
    }
    socket.on('data', data => {
      said += data
      if (end === 'body' && /\r\n\r\n\{.*\}$/s.test(said)) finish()
    })
    socket.on('error', finish)
    socket.on('close', finish)
  })
}

const key = (name: string) => JSON.stringify({ name })

test('thousands of chunks of one octet are refused with 400, with a key and without, and the connection ends', async () => {
  for (const [path, more] of [
    ['/portal/session', ''],
    ['/keys/create', undefined],
    ['/account', ''],
    ['/no/such/path', ''],
  ] as const) {
    // Never ended: the refusal comes before the body is whole.
    const said = await say([head(path, more) + chunksOf('x'.repeat(20_000), 1)], 'close')
    assert.match(said, /^HTTP\/1\.1 400 .*\{"detail":"The body comes in too many small pieces[^}]*\}$/s, path)
  }
})

test('where an answer has been sent already, further small chunks end the connection', async () => {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  const closed = new Promise(resolve => socket.on('close', resolve))
  let said = ''
  const answered = new Promise<void>(resolve =>
    socket.on('data', data => {
      said += data
      resolve()
    }),
  )
  socket.write(head('/keys/create', 'Authorization: Bearer no-such-key\r\n') + chunksOf('{', 1))
  await answered
  socket.write(chunksOf('x'.repeat(20_000), 1))
  await closed
  assert.match(said, /^HTTP\/1\.1 401 /)
  assert.is(said.match(/HTTP\/1\.1/g)?.length, 1)
})

test('a short body in chunks of one octet, at once or slowly, is read', async () => {
  const body = chunksOf(key('one'), 1)
  const said = await say([`${head('/keys/create')}${body}0\r\n\r\n`])
  assert.match(said, /^HTTP\/1\.1 201 /)
  const slowly = await say([head('/keys/create'), ...chunksOf(key('two'), 3).match(/[\s\S]{1,7}/g)!, '0\r\n\r\n'])
  assert.match(slowly, /^HTTP\/1\.1 201 /)
})

test('a long body in chunks of 40 octets is read whole, in its order', async () => {
  const verbs = Array.from({ length: 4000 }, (_, at) => `<Say>${at}</Say>`).join('')
  const body = JSON.stringify({ name: 'long', body: `<Response>${verbs}</Response>` })
  const said = await say([`${head('/documents/')}${chunksOf(body, 40)}0\r\n\r\n`])
  assert.match(said, /^HTTP\/1\.1 201 /)
  const { uuid } = JSON.parse(said.slice(said.indexOf('{')))
  const stored = await fetch(`${base}/documents/${uuid}`, { headers: { authorization: `Bearer ${bed.key}` } })
  assert.is(((await stored.json()) as { body: string }).body, `<Response>${verbs}</Response>`)
})

test('pieces of mixed length arrive in their order', async () => {
  const payload = Array.from({ length: 3000 }, (_, at) => String(at).padStart(1 + (at % 37), '0')).join(',')
  const body = JSON.stringify({ name: payload.slice(0, 60), body: `<Response><!--${payload}--></Response>` })
  const pieces: string[] = []
  for (let at = 0, n = 0; at < body.length; n++) {
    const length = [7, 3000, 90, 1024, 1023, 8192, 1][n % 7]!
    const piece = body.slice(at, at + length)
    pieces.push(`${piece.length.toString(16)}\r\n${piece}\r\n`)
    at += length
  }
  const said = await say([head('/documents/'), ...pieces, '0\r\n\r\n'])
  assert.match(said, /^HTTP\/1\.1 201 /)
  const { uuid } = JSON.parse(said.slice(said.indexOf('{')))
  const stored = await fetch(`${base}/documents/${uuid}`, { headers: { authorization: `Bearer ${bed.key}` } })
  assert.is(((await stored.json()) as { body: string }).body, `<Response><!--${payload}--></Response>`)
})

test.after(() => bed.close())
test.run()
