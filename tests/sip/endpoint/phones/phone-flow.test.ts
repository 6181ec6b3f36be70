import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { field, PhoneBed } from '../../bed/phone-bed.ts'

// What rings on a phone, or is called from one, when its WebSocket drops and comes back; and what a revoked one is reported.

const sdp = 'v=0\r\n'
const contact = '<sip:abc@df7jal23ls0d.invalid;transport=ws;ob>'
const place = `${contact};reg-id=1;+sip.instance="<urn:uuid:1>"`
const hangUp = { status: 487, q850: 16, text: 'Cancelled', code: 'END.0487' }

/** A phone on which a call rings. */
function ringing() {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  const flow = bed.flow()
  bed.register(flow, token, { contact: place })
  const binding = bed.endpoint.registrar.bindingsOf('user-1001')[0]?.id ?? ''
  bed.do({ type: 'dial', id: 'out', target: { binding }, from: { user: '1002' }, sdp, sid: 'CA0' })
  const invite = bed.requests('INVITE')[0]?.message
  bed.answer(flow, invite, 180)
  return { bed, token, flow, invite }
}

/** It drops, and is back after 0.4 s; its new connection. */
function back({ bed, token, flow }: ReturnType<typeof ringing>, cseq = 2) {
  bed.do({ type: 'flow-closed', flow })
  bed.pass(400)
  const next = bed.flow()
  bed.register(next, token, { contact: place, cseq })
  return next
}

test('the INVITE is forked to the new connection: the same call by another branch', () => {
  const call = ringing()
  const { bed, invite } = call
  const next = back(call)
  const [, forked, ...more] = bed.requests('INVITE')
  assert.equal(more, [])
  assert.is(forked?.flow, next)
  for (const name of ['Call-ID', 'From', 'To', 'CSeq', 'X-Voice-Call-Sid'])
    assert.is(field(forked?.message, name), field(invite, name), name)
  assert.is.not(field(forked?.message, 'Via'), field(invite, 'Via'))
  assert.is(bed.sent.at(-2)?.message.kind, 'response', 'after the 200 to its REGISTER')
  // Who forgot the first INVITE (SIP.js, JsSIP) rings by the second.
  bed.answer(next, forked?.message, 180)
  bed.pass(60_000)
  bed.answer(next, forked?.message, 200, sdp)
  assert.is(bed.events.at(-1)?.type, 'answered')
  assert.is(bed.requests('ACK')[0]?.flow, next)
  assert.is(bed.requests('CANCEL').length, 0)
  bed.pass(60_000)
  assert.is(bed.endpoint.layer.clients.size, 0)
})

test('a phone that kept the first INVITE answers 482 to the second, and the first over the new connection', () => {
  const call = ringing()
  const { bed, invite } = call
  const next = back(call)
  bed.answer(next, bed.requests('INVITE')[1]?.message, 482)
  bed.answer(next, invite, 180)
  bed.pass(60_000)
  assert.not(bed.events.some(({ type }) => type === 'ended'))
  bed.answer(next, invite, 200, sdp)
  assert.is(bed.events.at(-1)?.type, 'answered')
  bed.do({ type: 'end', id: 'out', reason: hangUp })
  assert.is(bed.requests('BYE')[0]?.flow, next)
})

test('a final response that was lost with the connection is asked for by the fork', () => {
  const call = ringing()
  const { bed } = call
  const next = back(call)
  bed.answer(next, bed.requests('INVITE')[1]?.message, 486)
  assert.equal(bed.events.at(-1), { type: 'ended', id: 'out', cause: { kind: 'response', status: 486 } })
  bed.pass(60_000)
  assert.is(bed.endpoint.layer.clients.size, 0, 'the first branch ends in silence')
})

test('it drops twice, then for good: the call ends after the grace', () => {
  const call = ringing()
  const { bed } = call
  const second = back(call)
  bed.answer(second, bed.requests('INVITE')[1]?.message, 482)
  const third = back({ ...call, flow: second }, 3)
  assert.is(bed.requests('INVITE')[2]?.flow, third)
  bed.answer(third, bed.requests('INVITE')[2]?.message, 482)
  bed.do({ type: 'flow-closed', flow: third })
  bed.pass(9_000)
  assert.not(bed.events.some(({ type }) => type === 'ended'))
  bed.pass(1_000)
  assert.equal(bed.events.at(-1), { type: 'ended', id: 'out', cause: { kind: 'response', status: 480, q850: 20 } })
  assert.is(bed.endpoint.layer.clients.size, 0)
})

test('a call that is taken back while the phone is away: the CANCEL follows it', () => {
  const call = ringing()
  const { bed, flow } = call
  bed.do({ type: 'flow-closed', flow })
  bed.do({ type: 'end', id: 'out', reason: hangUp })
  const next = back(call)
  assert.is(bed.requests('INVITE').length, 1)
  assert.is(bed.requests('CANCEL').at(-1)?.flow, next)
})

test('a phone that calls and drops: the INVITE once more over the new connection gets what was said last, sid included', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  const flow = bed.flow()
  bed.register(flow, token, { contact: place })
  const invite = {
    method: 'INVITE',
    callId: 'in',
    branch: 'z9hG4bKsame',
    headers: [`Authorization: Bearer ${token.password}`, `Contact: ${contact}`],
    body: sdp,
  }
  bed.ask(flow, invite)
  bed.do({ type: 'ring', id: 'call-1', sid: 'CA1' })
  bed.do({ type: 'flow-closed', flow })
  bed.pass(400)
  const next = bed.flow()
  bed.register(next, token, { contact: place, cseq: 2 })
  const again = bed.ask(next, invite)
  assert.is(again?.status, 180)
  assert.is(field(again, 'X-Voice-Call-Sid'), 'CA1')
  assert.is(bed.events.filter(({ type }) => type === 'offered').length, 1)
  bed.pass(30_000)
  bed.do({ type: 'answer', id: 'call-1', sdp })
  const answer = bed.sent.at(-1)
  assert.is(answer?.flow, next)
  assert.is(field(answer?.message, 'X-Voice-Call-Sid'), 'CA1')
  // For good: a caller that was ringing gets the end.
  const other = new PhoneBed()
  const its = other.token('1001')
  const [first, second] = [other.flow(), other.flow()]
  other.register(first, its, { contact: place })
  other.ask(first, { ...invite, headers: [`Authorization: Bearer ${its.password}`, `Contact: ${contact}`] })
  other.do({ type: 'flow-closed', flow: first })
  other.register(second, its, { contact: place, cseq: 2 })
  other.do({ type: 'flow-closed', flow: second })
  other.pass(10_000)
  assert.equal(other.events.at(-1), { type: 'ended', id: 'call-1', cause: { kind: 'cancel' } })
})

test('the sid is for phones: the answer to a trunk has none, and a refusal to a phone has it', () => {
  const bed = new PhoneBed()
  bed.peers([{ inboundHosts: ['203.0.113.9'] }])
  const trunk = bed.flow({ transport: 'udp', address: '203.0.113.9', port: 5060 })
  bed.ask(trunk, { method: 'INVITE', callId: 'trunk', body: sdp })
  bed.do({ type: 'ring', id: 'call-1', sid: 'CA1' })
  assert.is(field(bed.sent.at(-1)?.message, 'X-Voice-Call-Sid'), undefined)
  const token = bed.token('1001')
  const flow = bed.flow()
  bed.register(flow, token, { contact: place })
  bed.ask(flow, { method: 'INVITE', callId: 'in', headers: [`Authorization: Bearer ${token.password}`], body: sdp })
  bed.do({ type: 'ring', id: 'call-2', sid: 'CA2' })
  bed.do({ type: 'end', id: 'call-2', reason: { status: 402, q850: 21, text: 'No', code: 'END.0402' } })
  const refusal = bed.sent.at(-1)?.message
  assert.is(refusal?.kind === 'response' && refusal.status, 402)
  assert.is(field(refusal, 'X-Voice-Call-Sid'), 'CA2')
})

test('a phone that is refused before it rings, or gives up while it rings, gets the sid as well', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  const flow = bed.flow()
  bed.register(flow, token, { contact: place })
  const headers = [`Authorization: Bearer ${token.password}`]
  const reason = { status: 402, q850: 21, text: 'No', code: 'END.0402' }
  bed.ask(flow, { method: 'INVITE', callId: 'refused', headers, body: sdp })
  bed.do({ type: 'end', id: 'call-1', sid: 'CA1', reason })
  assert.is(field(bed.sent.at(-1)?.message, 'X-Voice-Call-Sid'), 'CA1')
  // Nothing is known of a call that is malformed.
  bed.ask(flow, { method: 'INVITE', callId: 'malformed', headers, body: sdp })
  bed.do({ type: 'end', id: 'call-2', reason })
  assert.is(field(bed.sent.at(-1)?.message, 'X-Voice-Call-Sid'), undefined)
  const invite = { callId: 'given-up', branch: 'z9hG4bKgiven', headers }
  bed.ask(flow, { ...invite, method: 'INVITE', body: sdp })
  bed.do({ type: 'ring', id: 'call-3', sid: 'CA3' })
  bed.ask(flow, { ...invite, method: 'CANCEL' })
  const cancelled = bed.sent.map(({ message }) => message).find(sent => sent.kind === 'response' && sent.status === 487)
  assert.is(field(cancelled, 'X-Voice-Call-Sid'), 'CA3')
})

test('a revoked phone gets a NOTIFY at once (RFC 3680), once, and only where it is registered', () => {
  const bed = new PhoneBed()
  const [token, other] = [bed.token('1001'), bed.token('1001')]
  const [flow, lost, next] = [bed.flow(), bed.flow(), bed.flow()]
  bed.register(flow, token, { contact: place })
  bed.register(lost, token, { contact: '<sip:lost@x.invalid>', callId: 'b' })
  bed.register(next, other, { contact: '<sip:other@x.invalid>', callId: 'c' })
  bed.do({ type: 'flow-closed', flow: lost })
  bed.do({ type: 'revoked', tokenId: token.tokenId })
  const [notify, ...more] = bed.requests('NOTIFY')
  assert.equal(more, [])
  assert.is(notify?.flow, flow)
  const { message } = notify ?? {}
  assert.is(message?.kind === 'request' && message.uri, 'sip:abc@df7jal23ls0d.invalid;transport=ws;ob')
  assert.is(field(message, 'Event'), 'reg')
  assert.match(field(message, 'Subscription-State') ?? '', /^terminated/)
  assert.is(field(message, 'X-Voice-Reason-Code'), 'END.0403')
  assert.match(new TextDecoder().decode(message?.body), /state="terminated" event="rejected"/)
  bed.answer(flow, message, 200)
  bed.pass(40_000)
  assert.is(bed.endpoint.layer.clients.size, 0)
  assert.equal(bed.bindings(), ['sip:other@x.invalid'])
})

test('the 200 to a REGISTER names the end-user (RFC 7315)', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001', { displayName: 'Amina "A" Wanjiru' })
  assert.is(field(bed.register(bed.flow(), token), 'P-Associated-URI'), '"Amina \\"A\\" Wanjiru" <sip:1001@sauti.test>')
})

test('Date: on the 200 to a REGISTER, and on the 401 to a token of no use', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  const date = 'Fri, 02 Jan 2026 03:04:05 GMT'
  assert.is(field(bed.register(bed.flow(), token), 'Date'), date)
  bed.change(token, { remainingMs: 0 })
  const refused = bed.register(bed.flow(), token)
  assert.is(refused?.status, 401)
  assert.is(field(refused, 'Date'), date)
  assert.is(field(bed.ask(bed.flow()), 'Date'), undefined, 'nothing more for whoever shows nothing')
})

test.run()
