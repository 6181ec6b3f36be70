import { createHmac } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { DocumentFetcher } from '../../../../core/adapters/documents/document-fetcher.ts'
import { HttpClient } from '../../../../core/adapters/http/index.ts'
import { verifySignature } from '../../../../core/adapters/http/verify-signature.ts'
import type { AccountUuid, CallUuid } from '../../../../core/model/ids.ts'
import type { DocumentEvent, DocumentFetch } from '../../../../core/ports/documents.ts'
import { type RawRequest, rawServer, response } from '../../bed/raw-server.ts'

const fields = { CallSid: 'CA1', To: '<b>' }
const base = 'https://voice.example/hosted/'
const hosted = {
  isHosted: (url: string) => url.startsWith(base),
  byUrl: (url: string) => {
    if (url === `${base}known`) return { body: '<Response><Say>{{To}}</Say></Response>' }
    if (url === `${base}plain`) return { body: '<Response><Say>{{Nothing}} {</Say></Response>' }
    if (url === `${base}many`) return { body: '{{customPayload}}'.repeat(3855) }
    return url === `${base}huge` ? { body: '{{To}}'.repeat(10_900) } : undefined
  },
}

let requests = 0
const fetchOf = (url: string, extra: Partial<DocumentFetch> = {}): DocumentFetch => ({
  type: 'document.fetch',
  callId: 'call' as CallUuid,
  requestId: String(++requests),
  accountId: 'account' as AccountUuid,
  url,
  fields,
  ...extra,
})

async function bed(
  answer: (request: RawRequest) => void,
  run: (parts: {
    fetch(command: DocumentFetch): Promise<DocumentEvent>
    fetcher: DocumentFetcher
    events: DocumentEvent[]
    url: string
    seen: RawRequest[]
  }) => Promise<void>,
) {
  const server = await rawServer(answer)
  const http = new HttpClient({ allowPrivateUrls: true })
  const waiting = new Map<string, (event: DocumentEvent) => void>()
  const events: DocumentEvent[] = []
  const fetcher = new DocumentFetcher({
    hosted,
    http,
    secret: account => (account === 'account' ? Promise.resolve('s') : Promise.reject(new Error('no such account'))),
    clock: { unixMs: () => 1_790_000_000_999 },
    emit: event => {
      events.push(event)
      waiting.get(event.requestId)?.(event)
    },
  })
  const fetch = (command: DocumentFetch) => {
    const event = new Promise<DocumentEvent>(resolve => waiting.set(command.requestId, resolve))
    fetcher.execute(command)
    assert.not.ok(
      events.some(({ requestId }) => requestId === command.requestId),
      'not within execute',
    )
    return event
  }
  await run({ fetch, fetcher, events, url: server.url('/doc'), seen: server.requests })
  await http.close()
  await server.close()
}

const faultOf = (event: DocumentEvent) => (event.type === 'document.failed' ? event.fault : 'fetched')

test('a document by signed POST of the fields', () =>
  bed(
    ({ socket }) => socket.write(response(200, '<Response/>')),
    async ({ fetch, url, seen }) => {
      const event = await fetch(fetchOf(url))
      assert.ok(event.type === 'document.fetched')
      assert.is(new TextDecoder().decode(event.bytes), '<Response/>')
      assert.is(event.isConstant, false)
      const { head, body } = seen[0]!
      assert.equal(JSON.parse(body), fields)
      const expected = createHmac('sha256', 's').update(`${url}1790000000${body}`).digest('base64')
      assert.is(/x-voice-signature: (\S+)/.exec(head)?.[1], expected)
      assert.not.match(head, /x-voice-event/i)
    },
  ))

test('the signature covers the URL as it was configured, in whatever spelling', () =>
  bed(
    ({ socket }) => socket.write(response(200, '<Response/>')),
    async ({ fetch, url, seen }) => {
      const { port } = new URL(url)
      const spellings = [`http://127.0.0.1:${port}`, `HTTP://LocalHost:${port}/a/../ü`, `http://127.1:${port}/?é#part`]
      for (const [at, spelling] of spellings.entries()) {
        assert.is(faultOf(await fetch(fetchOf(spelling))), 'fetched', spelling)
        const { head, body } = seen[at]!
        const signature = /x-voice-signature: (\S+)/.exec(head)?.[1] ?? ''
        const headers = { 'x-voice-timestamp': '1790000000', 'x-voice-signature': signature }
        assert.ok(verifySignature({ url: spelling, headers, body }, 's', { nowMs: 1_790_000_000_000 }), spelling)
      }
    },
  ))

test('only a 200 counts', async () => {
  for (const status of [201, 204, 302, 404, 500]) {
    await bed(
      ({ socket }) => socket.write(status === 204 ? 'HTTP/1.1 204 X\r\n\r\n' : response(status, '<Response/>')),
      async ({ fetch, url }) => assert.is(faultOf(await fetch(fetchOf(url))), 'status', String(status)),
    )
  }
})

test('too large, refused, unreachable, no such account', () =>
  bed(
    ({ socket }) => socket.write(response(200, 'x'.repeat(65_537))),
    async ({ fetch, url }) => {
      assert.is(faultOf(await fetch(fetchOf(url))), 'too-large')
      assert.is(faultOf(await fetch(fetchOf('ftp://a.example/'))), 'refused-address')
      assert.is(faultOf(await fetch(fetchOf('http://127.0.0.1:1/'))), 'transport')
      assert.is(faultOf(await fetch(fetchOf(url, { accountId: 'other' as AccountUuid }))), 'transport')
    },
  ))

test('a hosted document needs no HTTP', () =>
  bed(
    () => assert.unreachable(),
    async ({ fetch }) => {
      const event = await fetch(fetchOf(`${base}known`))
      assert.ok(event.type === 'document.fetched')
      assert.is(new TextDecoder().decode(event.bytes), '<Response><Say>&lt;b&gt;</Say></Response>')
      assert.is(event.isConstant, false, 'it is as it is for this call')
      const plain = await fetch(fetchOf(`${base}plain`))
      assert.ok(plain.type === 'document.fetched')
      assert.is(new TextDecoder().decode(plain.bytes), '<Response><Say>{{Nothing}} {</Say></Response>')
      assert.is(plain.isConstant, true)
      assert.is(faultOf(await fetch(fetchOf('HTTPS://Voice.example:443/a/../hosted/known'))), 'fetched')
      assert.is(faultOf(await fetch(fetchOf(`${base}unknown`))), 'not-found')
      assert.is(faultOf(await fetch(fetchOf(`${base}huge`))), 'too-large')
      // One value in thousands of places: building it first took seconds of the signalling thread.
      const payload = { ...fields, customPayload: '"'.repeat(8000) }
      const started = performance.now()
      assert.is(faultOf(await fetch(fetchOf(`${base}many`, { fields: payload }))), 'too-large')
      assert.ok(performance.now() - started < 500, `took ${performance.now() - started} ms`)
    },
  ))

test('an ended call gets no more events; its remaining results are reported', () =>
  bed(
    ({ socket }) => setTimeout(() => socket.write(response(200, '<Response/>')), 60),
    async ({ fetcher, fetch, events, url, seen }) => {
      fetcher.execute(fetchOf(url))
      const reported = fetch(fetchOf(url, { ignoreReply: true }))
      const other = fetch(fetchOf(url, { callId: 'other' as CallUuid }))
      while (seen.length < 3) await new Promise(resolve => setImmediate(resolve))
      fetcher.abandon('call' as CallUuid)
      fetcher.abandon('never seen' as CallUuid)
      assert.is(faultOf(await reported), 'fetched')
      assert.is(faultOf(await other), 'fetched')
      assert.is(events.length, 2)
    },
  ))

test.run()
