import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventCatalogue } from '../../core/events/catalogue.ts'
import { eventDataFields } from '../../core/events/data-fields.ts'
import { StreamReader } from '../api/bed/stream-reader.ts'
import { BedAccount } from '../rig/beds/account.ts'
import { SwitchBed } from '../rig/beds/switch-bed.ts'
import { type Post, verifies } from '../rig/peers/customer.ts'
import { ContractWalk } from '../rig/probes/contract.ts'
import { babble } from '../rig/probes/tone.ts'
import { until } from '../rig/probes/wait.ts'

// Webhooks and events on a real switch: signatures, fields, callbacks and the stream tell the same, and
// the data of every event is what docs/events.md says.
const events = suite('contract: webhooks and events')

let bed: SwitchBed
let walk: ContractWalk
/** Answers, and sends audio. */
let callee: BedAccount
/** Only rings. */
let rings: BedAccount
let reader: StreamReader

events.before(async () => {
  bed = await SwitchBed.open()
  callee = await BedAccount.make(bed.on)
  walk = await ContractWalk.open(bed.on)
  await callee.asset('babble', babble(2, 3))
  await callee.webhook(
    'voice_inbound',
    bed.customer.on('/callee', '<Response><Play asset="babble" loop="0"/></Response>'),
  )
  rings = await BedAccount.make(bed.on)
  await rings.webhook('voice_inbound', bed.customer.on('/rings', '<Response><Pause length="60"/></Response>'))
  const { token, ttl_seconds: ttl } = (await walk.ask('POST', '/stream/token', { key: bed.account.key })).body
  assert.is(ttl, 300)
  reader = await StreamReader.open(`${bed.on.baseUrl.replace('http', 'ws')}/stream?token=${token}`)
})

events.after(async () => {
  reader?.socket.terminate()
  await bed?.close()
})

events('a stream without a good token is refused; without a WebSocket it is 426', async () => {
  for (const token of ['', 'nonsense', bed.account.key]) {
    const refusal = await StreamReader.refusal(`${bed.on.baseUrl.replace('http', 'ws')}/stream?token=${token}`)
    assert.is(refusal.status, 401)
  }
  assert.is((await walk.ask('GET', '/stream')).status, 426)
})

const finished = (sid: string) =>
  until('the end of the call', async () => {
    const call = await bed.account.call(sid)
    return ['completed', 'failed'].includes(call?.status) && call
  })

events('a call reported in three ways: signed webhooks, callbacks and stream with the same envelopes', async () => {
  await bed.account.webhook(
    'status',
    bed.customer.on('/status', (_post, response) => response.writeHead(204).end()),
  )
  const url = bed.customer.on(
    '/voice',
    `<Response><Play asset="none"/><Shout/><Record action="/recorded" playBeep="false" maxLength="1"/><Pause/></Response>`,
  )
  bed.customer.on(
    '/recorded',
    `<Response><Say voice="nobody-at-all">Hi.</Say><Dial action="/done" timeout="2"><Number>${rings.number}</Number></Dial></Response>`,
  )
  bed.customer.on('/done', '<Response><Redirect>/missing</Redirect></Response>')
  const order = { to: callee.number, from: bed.account.number, url, customPayload: 'ticket 7' }
  const made = (await walk.ask('POST', '/calls/originate', { key: bed.account.key, body: order })).body
  assert.equal(made.customPayload, { value: 'ticket 7' })
  const secret = await bed.account.secret()

  const base = {
    CallSid: made.sid,
    AccountSid: bed.account.uuid,
    Direction: 'outbound',
    From: bed.account.number,
    To: callee.number,
    CallStatus: 'in-progress',
    customPayload: 'ticket 7',
  }
  const first = await bed.customer.post('/voice')
  assert.equal(first.body, base)
  const recorded = await bed.customer.post('/recorded')
  const { RecordingDuration, RecordingPath, RecordingUuid, Digits, ...rest } = recorded.body
  assert.equal(rest, base)
  assert.equal([RecordingDuration, Digits, typeof RecordingPath, typeof RecordingUuid], [1, '', 'string', 'string'])
  const done = await bed.customer.post('/done', 0, 20_000)
  const { DialCallStatus, DialCallDuration, DialReasonCode, DialCallSid, ...also } = done.body
  assert.equal(also, base)
  assert.equal([DialCallStatus, DialCallDuration, DialReasonCode], ['no-answer', 0, 'END.0408'])
  assert.match(DialCallSid, /^CA/)
  const missing = await bed.customer.post('/missing')
  assert.equal(missing.body, base)
  for (const post of [first, recorded, done, missing])
    assert.ok(verifies(post, bed.customer.url(post.url), secret), `${post.url} is signed`)

  // 404 for the redirect: the fallback speaks, and the call ends for that reason.
  const call = await finished(made.sid)
  assert.equal([call.status, call.reason_code, call.customPayload], ['completed', 'END.3502', { value: 'ticket 7' }])

  const callbacks = await until('the last callback', () => {
    const got = bed.customer.to('/status')
    return got.some(post => post.body.code === 'CALL.0300') && got.some(post => post.body.code === 'BILL.0200') && got
  })
  for (const post of callbacks) checkCallback(post, secret)
  const codes = callbacks.map(post => post.body.code)
  for (const code of [
    'CALL.0100',
    'CALL.0180',
    'CALL.0200',
    'REC.0100',
    'REC.0200',
    'DIAL.0100',
    'DIAL.0180',
    'DIAL.0400',
  ])
    assert.ok(codes.includes(code), `${code} in ${codes.join(' ')}`)

  await until('the stream', () => callbacks.every(({ body }) => streamed(body.code, body.createdAt) !== undefined))
  for (const { body } of callbacks) {
    const { id: _id, accountId: _account, ...envelope } = body
    const { seq: _seq, ...same } = streamed(body.code, body.createdAt) ?? { seq: 0 }
    assert.equal(same, envelope)
  }
  await until(
    'WH.0200 of every callback',
    () => reader.messages.filter(it => it.code === 'WH.0200').length >= callbacks.length,
  )
  for (const code of ['PLAY.0404', 'DOC.0422', 'SAY.0404', 'DOC.0502'])
    assert.ok(
      reader.messages.some(message => message.code === code),
      code,
    )
})

const streamed = (code: string, createdAt: string) =>
  reader.messages.find(message => message.code === code && message.createdAt === createdAt)

function checkCallback(post: Post, secret: string): void {
  assert.ok(verifies(post, bed.customer.url('/status'), secret))
  const { code, event, accountId, createdAt, data } = post.body
  assert.is(post.headers['x-voice-event'], event)
  assert.is(accountId, bed.account.uuid)
  assert.match(createdAt, /Z$/)
  assert.equal(post.body.customPayload, { value: 'ticket 7' })
  assert.ok(eventCatalogue[code as keyof typeof eventCatalogue].callback, `${code} is no callback`)
  if (!code.startsWith('CALL.')) return
  for (const field of 'sid direction from_number to_number status reason_code duration_seconds talk_seconds started_at answered_at ended_at'.split(
    ' ',
  ))
    assert.ok(field in data, `${code}: ${field}`)
}

events('every event carries exactly the data that docs/events.md lists', () => {
  assert.ok(reader.messages.length > 15)
  assert.equal(
    reader.seqs,
    reader.seqs.map((_seq, at) => (reader.seqs[0] ?? 0) + at),
  )
  for (const { code, event, data } of reader.messages) {
    const known = code as keyof typeof eventCatalogue
    assert.is(event, eventCatalogue[known].event)
    const reported = Object.keys(eventDataFields[known])
    const allowed = reported.map(name => name.replace('?', ''))
    assert.equal(
      Object.keys(data).filter(name => !allowed.includes(name)),
      [],
      `${code} has more than is reported`,
    )
    const needed = reported.filter(name => !name.endsWith('?'))
    assert.equal(
      needed.filter(name => !(name in data)),
      [],
      `${code} has less than is reported`,
    )
  }
})

events.run()
