import { createHmac, randomUUID } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { SignedPost } from '../../../../core/adapters/http/http-client.ts'
import { type HttpAnswer, HttpClient } from '../../../../core/adapters/http/index.ts'
import { silentLog } from '../../../../core/adapters/system/silent-log.ts'
import { CallbackDelivery } from '../../../../core/adapters/webhooks/callback-delivery.ts'
import type { EventCode } from '../../../../core/events/catalogue.ts'
import type { CallRecord } from '../../../../core/model/call-record.ts'
import { rawServer, response } from '../../bed/raw-server.ts'
import { addAccount, callOf, eventOf, openBed, type StoreBed, startUnix } from '../../bed/store-bed.ts'

const status = (code: number): HttpAnswer => ({
  ok: true,
  status: code,
  contentType: '',
  etag: '',
  location: '',
  body: new Uint8Array(),
})

/** An HTTP client that keeps what was posted and answers when and what the test says. */
class FakeHttp {
  readonly posts: { readonly post: SignedPost; readonly answer: (answer: HttpAnswer) => void }[] = []

  signedPost(post: SignedPost): Promise<HttpAnswer> {
    return new Promise(answer => this.posts.push({ post, answer }))
  }
}

const deliver = (bed: StoreBed, http: Pick<HttpClient, 'signedPost'>) => {
  const delivery = new CallbackDelivery({ ...bed, http, log: silentLog, uuid: randomUUID })
  delivery.start()
  return delivery
}

const append = (bed: StoreBed, call: CallRecord, ...codes: EventCode[]) =>
  bed.calls.commit(codes.map(code => ({ type: 'event.append', event: eventOf(call, code) }) as const))

/** Lets answered posts be taken in, their ends be committed, and what is due be read from the store. */
const settle = async () => {
  for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setImmediate(resolve))
}

const streamed = (bed: StoreBed, call: CallRecord) =>
  bed.events
    .after(call.accountUuid, 0, 100)
    .map(({ event }) => event)
    .filter(event => event.code.startsWith('WH.'))

test('a callback is posted at its commit, signed, with the envelope of docs/events.md', async () => {
  const bed = openBed()
  const account = addAccount(bed.database, { endpoint_status: 'https://a.example/status', signing_secret: 'first' })
  const http = new FakeHttp()
  const delivery = deliver(bed, http)
  const call = callOf(account, { customPayload: { order: 7 } })
  const event = eventOf(call, 'CALL.0200')
  await bed.calls.commit([{ type: 'event.append', event }])
  const { post, answer } = http.posts[0]!
  assert.is(post.url, 'https://a.example/status')
  assert.is(post.secret, 'first')
  assert.is(post.unixSeconds, startUnix / 1000)
  assert.is(post.event, 'call.answered')
  assert.ok(post.wants(204) && !post.wants(302))
  assert.equal(JSON.parse(post.body), {
    id: event.uuid,
    accountId: account,
    code: 'CALL.0200',
    event: 'call.answered',
    sid: call.sid,
    customPayload: { order: 7 },
    createdAt: '2026-11-21T08:00:00.000Z',
    data: { sid: call.sid },
  })
  answer(status(204))
  await settle()
  const [reported] = streamed(bed, call)
  assert.is(reported?.code, 'WH.0200')
  assert.equal(reported?.data, { id: event.uuid, code: 'CALL.0200', url: post.url, tries: 1, status: 204 })
  assert.equal(bed.outbox.pendingAfter(0, 10), [])
  assert.is(http.posts.length, 1, 'no callback about a callback')
  delivery.stop()
  bed.close()
})

test('a try that got no answer is noted with what that means, and its event says it plainly', async () => {
  const bed = openBed()
  const account = addAccount(bed.database, { endpoint_status: 'https://a.example/status' })
  const http = new FakeHttp()
  const noted: Readonly<Record<string, unknown>>[] = []
  const tried = (_call: unknown, what: Readonly<Record<string, unknown>>) => noted.push(what)
  const delivery = new CallbackDelivery({ ...bed, http, log: silentLog, uuid: randomUUID, tried })
  delivery.start()
  const call = callOf(account)
  await append(bed, call, 'CALL.0200')
  const refused = { fault: 'transport', detail: 'connect ECONNREFUSED 203.0.113.7:443' } as const
  for (let tries = 1; tries <= 6; tries++) {
    http.posts.at(-1)?.answer({ ok: false, ...refused, cause: 'connection-refused' })
    await settle()
    bed.clock.pass(3_600_000)
    await settle()
  }
  const first = { url: 'https://a.example/status', tries: 1, outcome: 'retry', event: 'CALL.0200', ms: 0, ...refused }
  assert.equal(noted[0], { ...first, cause: 'connection-refused' })
  const [{ id: _id, ...reported } = {}] = streamed(bed, call).map(({ data }) => data)
  const detail = 'its host refused the connection'
  assert.equal(reported, { code: 'CALL.0200', url: first.url, tries: 6, ...refused, detail })
  delivery.stop()
  bed.close()
})

for (const isCommitted of [false, true]) {
  const name = isCommitted ? 'was stored and not reported' : 'could not be stored'
  test(`the end of a callback that ${name} is stored again: once in the log, and nothing is sent twice`, async () => {
    const bed = openBed()
    const account = addAccount(bed.database, { endpoint_status: 'https://a.example/status' })
    const http = new FakeHttp()
    let failures = 2
    const callbackEnds = {
      ...bed.callbackEnds,
      async store(...end: Parameters<typeof bed.callbackEnds.store>) {
        const isLost = failures-- > 0
        if (isCommitted || !isLost) await bed.callbackEnds.store(...end)
        if (isLost) throw new Error('the thread has stopped')
      },
    } as typeof bed.callbackEnds
    const delivery = deliver({ ...bed, callbackEnds }, http)
    const call = callOf(account)
    await append(bed, call, 'CALL.0200', 'CALL.0300')
    // The first is delivered, the second given up.
    http.posts[0]!.answer(status(200))
    await settle()
    http.posts[1]!.answer(status(410))
    await settle()
    for (let retry = 0; retry < 5; retry++) {
      bed.clock.pass(3_600_000)
      await settle()
      http.posts.at(-1)!.answer(status(410))
      await settle()
    }
    assert.equal(
      streamed(bed, call).map(({ code }) => code),
      ['WH.0200', 'WH.0400'],
    )
    assert.equal(bed.outbox.pendingAfter(0, 10), [])
    assert.is(http.posts.length, 7)
    assert.equal(bed.database.all(bed.database.sql.selectFrom('webhook_endpoints').select('failures')), [
      { failures: 1 },
    ])
    const again = deliver(bed, http)
    await settle()
    assert.is(http.posts.length, 7)
    again.stop()
    delivery.stop()
    bed.close()
  })
}

test('the beginning of what a server answers is kept with the end, secrets covered', async () => {
  const bed = openBed()
  const account = addAccount(bed.database, { endpoint_status: 'https://a.example/', signing_secret: 'first' })
  const http = new FakeHttp()
  const delivery = deliver(bed, http)
  const call = callOf(account)
  await append(bed, call, 'CALL.0200')
  const { post, answer } = http.posts[0]!
  const text = `no such tenant; {"password":"hunter2"} ${'x'.repeat(4000)}`
  answer({ ...(status(200) as Extract<HttpAnswer, { ok: true }>), body: new TextEncoder().encode(text) })
  await settle()
  const kept = String(streamed(bed, call)[0]?.data.answer)
  assert.match(kept, /^no such tenant; /)
  assert.not.match(kept, /hunter2/)
  assert.ok(kept.length <= 1024, `${kept.length}`)
  assert.is(post.excerptBytes, 1024)
  delivery.stop()
  bed.close()
})

test('retries carry the same id, a fresh timestamp and the secret of that hour; then the endpoint is blamed', async () => {
  const bed = openBed()
  const account = addAccount(bed.database, { endpoint_status: 'https://a.example/', signing_secret: 'first' })
  const http = new FakeHttp()
  const delivery = deliver(bed, http)
  const call = callOf(account)
  await append(bed, call, 'CALL.0100')
  for (const [at, pause] of [30, 60, 120, 240, 480, 0].entries()) {
    assert.is(http.posts.length, at + 1)
    http.posts[at]!.answer(at === 2 ? status(500) : { ok: false, fault: 'timeout', detail: '' })
    await settle()
    if (at === 0) bed.database.prepare("UPDATE accounts SET signing_secret = 'second'").run()
    bed.clock.pass(pause * 1000 - 1)
    assert.is(http.posts.length, at + 1, 'not before its time')
    bed.clock.pass(1)
    await settle()
  }
  assert.is(http.posts.length, 6)
  assert.is(new Set(http.posts.map(({ post }) => JSON.parse(post.body).id)).size, 1)
  assert.equal(
    http.posts.map(({ post }) => post.unixSeconds - startUnix / 1000),
    [0, 30, 90, 210, 450, 930],
  )
  assert.equal(
    http.posts.map(({ post }) => post.secret),
    ['first', 'second', 'second', 'second', 'second', 'second'],
  )
  const [reported] = streamed(bed, call)
  assert.is(reported?.code, 'WH.0400')
  assert.is(reported?.data.tries, 6)
  assert.is(reported?.data.fault, 'timeout')
  const endpoints = bed.database.all(bed.database.sql.selectFrom('webhook_endpoints').selectAll())
  assert.is(endpoints.length, 1)
  assert.is(endpoints[0]!.failures, 1)
  assert.equal(bed.outbox.pendingAfter(0, 10), [])
  delivery.stop()
  bed.close()
})

test('a restart keeps the schedule, and sends again what was under way', async () => {
  let bed = openBed()
  const account = addAccount(bed.database, { endpoint_status: 'https://a.example/' })
  const first = new FakeHttp()
  let delivery = deliver(bed, first)
  const [failed, underWay] = [callOf(account), callOf(account)]
  await append(bed, failed, 'CALL.0100')
  first.posts[0]!.answer(status(503))
  await settle()
  await append(bed, underWay, 'CALL.0100', 'CALL.0180')
  assert.is(first.posts.length, 2)
  delivery.stop()
  first.posts[1]!.answer(status(200))
  await settle()
  bed.clock.pass(10_000)
  bed = bed.reopen()

  const second = new FakeHttp()
  delivery = deliver(bed, second)
  await settle()
  const sids = () => second.posts.map(({ post }) => [JSON.parse(post.body).sid, JSON.parse(post.body).code])
  assert.equal(sids(), [[underWay.sid, 'CALL.0100']])
  second.posts[0]!.answer(status(200))
  await settle()
  assert.equal(sids()[1], [underWay.sid, 'CALL.0180'])
  bed.clock.pass(19_999)
  assert.is(second.posts.length, 2)
  bed.clock.pass(1)
  await settle()
  assert.equal(sids()[2], [failed.sid, 'CALL.0100'])
  delivery.stop()
  bed.close()
})

test('over HTTP: in order, and a hanging endpoint delays no other', async () => {
  const bed = openBed()
  const server = await rawServer(({ head, socket }) => {
    if (!head.includes('/hang')) setTimeout(() => socket.write(response(200)), 2)
  })
  const http = new HttpClient({ allowPrivateUrls: true })
  const good = addAccount(bed.database, { endpoint_status: server.url('/good') })
  const bad = addAccount(bed.database, { endpoint_status: server.url('/hang') })
  const delivery = deliver(bed, http)
  const calls = Array.from({ length: 20 }, () => callOf(good))
  for (let at = 0; at < 40; at++) await append(bed, callOf(bad), 'CALL.0100')
  const codes = ['CALL.0100', 'CALL.0180', 'CALL.0200', 'CALL.0300'] as const
  // A hanging endpoint is given up after ten seconds.
  const end = performance.now() + 8000
  await Promise.all(codes.flatMap(code => calls.map(call => append(bed, call, code))))
  const posts = () => server.requests.filter(({ head }) => head.includes('/good'))
  while (posts().length < 80 && performance.now() < end) await settle()
  assert.is(posts().length, 80)
  for (const call of calls) {
    const mine = posts().filter(({ body }) => body.includes(call.sid))
    assert.equal(
      mine.map(({ body }) => JSON.parse(body).code),
      codes,
    )
    for (const { head, body } of mine) {
      const timestamp = /x-voice-timestamp: (\d+)/.exec(head)?.[1]
      const expected = createHmac('sha256', 'secret').update(server.url('/good')).update(`${timestamp}${body}`)
      assert.is(/x-voice-signature: (\S+)/.exec(head)?.[1], expected.digest('base64'))
    }
  }
  assert.is(server.requests.length - 80, 16, 'the share of one endpoint')
  delivery.stop()
  await http.close()
  await server.close()
  bed.close()
})

test.run()
