import { get } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { WebSocket } from 'ws'
import type { EventCode } from '../../core/events/catalogue.ts'
import type { AccountUuid, Sid } from '../../core/model/ids.ts'
import { ApiBed } from './bed/api-bed.ts'
import { StreamReader } from './bed/stream-reader.ts'

const bed = await ApiBed.open({ allowedOrigins: ['https://app.test'] })
await bed.app.listen({ host: '127.0.0.1', port: 0 })
const { port } = bed.app.server.address() as AddressInfo
const account = bed.accountUuid as AccountUuid
const other = (await bed.operator('POST', '/operator/accounts', { name: 'Other', wallet_balance: '10' })).body
let made = 0

const tokenOf = async (key = bed.key) => (await bed.conforming('POST', '/stream/token', { key })).body.token as string
const urlOf = (token: string, more = '') => `ws://127.0.0.1:${port}/stream?token=${token}${more}`
const open = async (more = '', key = bed.key) => StreamReader.open(urlOf(await tokenOf(key), more))
const newest = () => bed.store.events.lastSeq(account)

function emit(count = 1, fields: { code?: EventCode; data?: object; accountUuid?: AccountUuid } = {}) {
  const { code = 'CALL.0100', data = {}, accountUuid = account } = fields
  return bed.store.calls.commit(
    Array.from({ length: count }, () => ({
      type: 'event.append' as const,
      event: {
        uuid: `event-${++made}`,
        code,
        accountUuid,
        callUuid: null,
        sid: 'CA0123456789ABCDEF' as Sid,
        number: null,
        customPayload: { order: 7 },
        createdUnix: Date.UTC(2026, 6, 1),
        data: { at: made, ...data },
      },
    })),
  )
}

const sequence = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)

test('the token', async () => {
  const { status, body, headers } = await bed.customer('POST', '/stream/token')
  assert.equal([status, body.ttl_seconds, headers['cache-control']], [200, 300, 'no-store'])
  const { streamTokens } = bed.repositories
  assert.is(streamTokens.read(body.token, Date.now() + 299_000)?.account, account)
  assert.is(streamTokens.read(body.token, Date.now() + 302_000), undefined)
})

test('bad, altered, foreign and expired tokens: 401 at the upgrade', async () => {
  const good = await tokenOf()
  const expired = bed.repositories.streamTokens.issue({ account, by: [], untilUnix: undefined }, Date.now() - 301_000)
  const user = (await bed.customer('POST', '/users/create', { email: 'a@example.com' })).body
  const phone = (await bed.customer('POST', '/phone-tokens/mint', { uuid: user.uuid })).body.token
  for (const token of ['', 'x', expired, phone, bed.key, `${good}x`, good.slice(0, -1), good.replace('.', '')]) {
    const refused = await StreamReader.refusal(urlOf(token))
    assert.is(refused.status, 401, token)
    assert.equal(JSON.parse(refused.body), { detail: 'Invalid or expired stream token.' })
  }
  assert.is((await StreamReader.refusal(`ws://127.0.0.1:${port}/stream`)).status, 401)
  assert.is((await StreamReader.refusal(urlOf(good))).status, 101)
})

test('a stream ends with the key or the session that asked for its token, and no other; the token is no good any more', async () => {
  const opened = async (token: string) => {
    const socket = new WebSocket(urlOf(token))
    const closed = new Promise<number>(resolve => socket.once('close', resolve))
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    return { socket, closed, token }
  }
  const made = (await bed.customer('POST', '/keys/create', { name: 'streams' })).body
  const kept = await opened(await tokenOf())
  const byKey = await opened(await tokenOf(made.key))
  const browser = { origin: 'http://voice.test', 'sec-fetch-site': 'same-origin' }
  const signIn = async () => {
    const reply = await bed.conforming('POST', '/portal/session', {
      key: '',
      body: { key: made.key },
      headers: browser,
    })
    const headers = {
      ...browser,
      cookie: String(reply.headers['set-cookie']).split(';')[0] ?? '',
      'x-sauti-csrf': reply.body.form_token,
    }
    const { body } = await bed.conforming('POST', '/stream/token', { key: '', headers })
    return { headers, stream: await opened(body.token) }
  }
  const signedOut = await signIn()
  assert.is((await bed.conforming('DELETE', '/portal/session', { key: '', headers: signedOut.headers })).status, 200)
  assert.is(await signedOut.stream.closed, 4001)
  const signedIn = await signIn()
  assert.is(byKey.socket.readyState, WebSocket.OPEN)
  await bed.customer('POST', '/keys/revoke', { uuid: made.uuid })
  assert.equal([await byKey.closed, await signedIn.stream.closed], [4001, 4001])
  for (const { token } of [byKey, signedIn.stream, signedOut.stream])
    assert.is((await StreamReader.refusal(urlOf(token))).status, 401)
  assert.is(kept.socket.readyState, WebSocket.OPEN)
  kept.socket.terminate()
})

test('a stream ends when the session ends by itself; its token opens none any more', async () => {
  const { streamTokens } = bed.repositories
  const untilUnix = Date.now() + 300
  const token = streamTokens.issue({ account, by: [], untilUnix }, Date.now())
  const socket = new WebSocket(urlOf(token))
  const code = await new Promise<number>((resolve, reject) => socket.once('close', resolve).once('error', reject))
  assert.is(code, 4001)
  assert.ok(Date.now() >= untilUnix - 5)
  assert.is((await StreamReader.refusal(urlOf(token))).status, 401)
})

test('to open a stream is a request of the account: beyond 3,000 a minute 429 with Retry-After', async () => {
  const busy = (await bed.operator('POST', '/operator/accounts', { name: 'Busy' })).body
  const token = await tokenOf(busy.key)
  for (let asked = 1; asked < 2999; asked++) bed.limits.countRequest(busy.account.uuid, performance.now())
  assert.is((await StreamReader.refusal(urlOf(token))).status, 101)
  const refused = await StreamReader.refusal(urlOf(token))
  assert.equal([refused.status, JSON.parse(refused.body).detail], [429, 'More than 3000 requests in a minute.'])
  assert.is((await StreamReader.refusal(urlOf(await tokenOf()))).status, 101)
})

test('other paths, no WebSocket, a bad `after`', async () => {
  assert.is((await StreamReader.refusal(`ws://127.0.0.1:${port}/calls`)).status, 404)
  assert.is((await bed.conforming('GET', '/stream', { key: '' })).status, 426)
  for (const after of ['x', '-1', '1.5', '1e3']) {
    assert.is((await StreamReader.refusal(urlOf(await tokenOf(), `&after=${after}`))).status, 422, after)
  }
  const offered = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { upgrade: 'h2c', connection: 'upgrade' }
    get({ host: '127.0.0.1', port, path: '/health/', headers }, answer => {
      answer.resume()
      resolve(answer.statusCode)
    }).on('error', reject)
  })
  assert.is(offered, 200, 'an offer to change to something else is not taken')
})

test('pages of other origins may not open it, unless the operator lists them', async () => {
  const token = await tokenOf()
  for (const [origin, status] of [
    ['https://app.test', 101],
    ['HTTPS://APP.TEST', 101],
    ['http://voice.test', 101],
    ['http://localhost:3000', 101],
    ['http://127.0.0.1:5173', 101],
    [`http://127.0.0.1:${port}`, 101],
    ['https://app.test:8443', 403],
    ['http://app.test', 403],
    ['https://app.test.evil.test', 403],
    ['http://localhost.evil.test', 403],
    ['null', 403],
  ] as const) {
    assert.is((await StreamReader.refusal(urlOf(token), { origin })).status, status, origin)
  }
})

test('the envelope: without id and accountId, with seq', async () => {
  const reader = await open()
  await emit(1, { code: 'DTMF.0100', data: { digit: '5' } })
  await reader.atLeast(1)
  assert.equal(reader.messages, [
    {
      seq: newest(),
      code: 'DTMF.0100',
      event: 'dtmf.received',
      sid: 'CA0123456789ABCDEF',
      customPayload: { order: 7 },
      createdAt: '2026-07-01T00:00:00.000Z',
      data: { at: made, digit: '5' },
    },
  ])
  reader.close()
})

test('every length of a frame', async () => {
  const reader = await open()
  const lengths = [0, 100, 125, 126, 127, 60_000, 65_535, 65_536, 70_000]
  for (const length of lengths) await emit(1, { data: { text: 'ä'.repeat(length / 2) } })
  await reader.atLeast(lengths.length)
  assert.equal(
    reader.messages.map(({ data }) => (data.text as string).length),
    lengths.map(length => Math.floor(length / 2)),
  )
  reader.close()
})

test('only what happens from now on, only of its own account', async () => {
  await emit(3)
  const [mine, theirs] = [await open(), await open('', other.key)]
  const from = newest()
  await emit(2)
  await emit(2, { accountUuid: other.account.uuid })
  await Promise.all([mine.atLeast(2), theirs.atLeast(2)])
  await sleep(60)
  assert.equal(mine.seqs, [from + 1, from + 2])
  assert.equal(theirs.seqs, [1, 2])
  mine.close()
  theirs.close()
})

test('`after` resumes: from the first event, from the middle, from the end and beyond it', async () => {
  await emit(350)
  const last = newest()
  const readers = await Promise.all([
    open('&after=0'),
    open(`&after=${last - 5}`),
    open(`&after=${last}`),
    open('&after=999999999'),
  ])
  await emit(1)
  const [all, middle, end, beyond] = readers as [StreamReader, StreamReader, StreamReader, StreamReader]
  await Promise.all([all.atLeast(last + 1), middle.atLeast(6), end.atLeast(1), beyond.atLeast(1)])
  assert.equal(all.seqs, sequence(1, last + 1))
  assert.equal(middle.seqs, sequence(last - 4, last + 1))
  assert.equal(end.seqs, [last + 1])
  assert.equal(beyond.seqs, [last + 1])
  for (const reader of readers) reader.close()
})

test('`after` names an event whose next ones are gone: 4010 says which; from the first on, it begins with the oldest', async () => {
  const last = newest()
  bed.store.database.run(
    bed.store.database.sql
      .deleteFrom('events')
      .where('account_uuid', '=', account)
      .where('seq', '<=', last - 3),
  )
  for (const after of [1, last - 4]) {
    const gone = await open(`&after=${after}`)
    assert.is(await gone.closed, 4010)
    assert.is(gone.reason, `events up to ${last - 3} are not kept any more`)
    assert.equal(gone.seqs, [])
  }
  for (const after of [0, last - 3]) {
    const reader = await open(`&after=${after}`)
    await reader.atLeast(3)
    assert.equal(reader.seqs, sequence(last - 2, last))
    reader.close()
  }
})

test('joining while events come: nothing is missed, nothing comes twice', async () => {
  const from = newest()
  const readers: StreamReader[] = []
  for (let round = 0; round < 30; round++) {
    const [reader] = await Promise.all([open(`&after=${from}`), emit(7), sleep(round % 3).then(() => emit(3))])
    readers.push(reader)
  }
  const last = newest()
  await Promise.all(readers.map(reader => reader.atLeast(last - from)))
  for (const reader of readers) {
    assert.equal(reader.seqs, sequence(from + 1, last))
    reader.close()
  }
})

test('200 subscribers, 500 events: each has all, in order', async () => {
  const from = newest()
  const token = await tokenOf()
  const readers = await Promise.all(Array.from({ length: 200 }, () => StreamReader.open(urlOf(token))))
  for (let batch = 0; batch < 100; batch++) {
    await emit(5)
    if (batch % 10 === 0) await sleep(5)
  }
  await Promise.all(readers.map(reader => reader.atLeast(500)))
  const expected = sequence(from + 1, from + 500)
  for (const reader of readers) {
    assert.equal(reader.seqs, expected)
    reader.close()
  }
})

test('a slow reader is closed with 4008, delays no other, and may resume', async () => {
  const [slow, quick] = [await open(), await open()]
  const from = newest()
  slow.pause()
  // What the systems of both sides keep for a connection is some megabytes; after that stands our own bound.
  const text = 'x'.repeat(60_000)
  for (let sent = 10; sent <= 300; sent += 10) {
    await emit(10, { data: { text } })
    await quick.atLeast(sent)
  }
  assert.equal(quick.seqs, sequence(from + 1, newest()))
  slow.resume()
  assert.is(await slow.closed, 4008)
  const got = slow.seqs
  assert.equal(got, sequence(from + 1, from + got.length))
  const again = await open(`&after=${from + got.length}`)
  await again.atLeast(newest() - from - got.length)
  assert.equal([...got, ...again.seqs], sequence(from + 1, newest()))
  quick.close()
  again.close()
})

test('a client that talks too much, or nonsense, is closed; others go on', async () => {
  const [chatty, quiet] = [await open(), await open()]
  chatty.socket.send('hello')
  chatty.socket.send('x'.repeat(5000))
  assert.is(await chatty.closed, 1009)
  const raw = connect(port, '127.0.0.1')
  raw.write(
    `GET /stream?token=${await tokenOf()} HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n` +
      'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\xff\xff\xff\xff',
  )
  await new Promise(resolve =>
    raw
      .resume()
      .on('close', resolve)
      .on('error', () => {}),
  )
  const torn = await open()
  for (let at = 0; at < 100; at++) torn.socket.send('x', { fin: false })
  assert.is(await torn.closed, 1008)
  await emit(1)
  await quiet.atLeast(1)
  quiet.close()
})

test('the server closes: readers get 1001', async () => {
  const reader = await open()
  await bed.app.close()
  assert.is(await reader.closed, 1001)
})

test.after(() => bed.close())
test.run()
