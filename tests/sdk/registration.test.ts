import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { headerOf } from '../../sip/index.ts'
import { AgentBed } from './bed/agent-bed.ts'

const identity = { extension: '1001', realm: 'voice.test', token: 'TOKEN' }

test('REGISTER carries the Bearer token, an outbound Contact and a made-up host (RFC 8898, 5626, 7118)', () => {
  const bed = new AgentBed()
  bed.do({ type: 'register', identity })
  assert.equal(bed.lines, [], 'nothing goes out before the line is up')
  bed.do({ type: 'line-up' })
  const register = bed.request('REGISTER')
  assert.is(register.uri, 'sip:voice.test')
  assert.is(headerOf(register, 'Authorization'), 'Bearer TOKEN')
  assert.match(headerOf(register, 'Via') ?? '', /^SIP\/2\.0\/WS [a-z2-7]{12}\.invalid;branch=z9hG4bK/)
  const contact = headerOf(register, 'Contact') ?? ''
  assert.match(contact, /^<sip:1001@[a-z2-7]{12}\.invalid;transport=ws;ob>;reg-id=1;/)
  assert.match(contact, /\+sip\.instance="<urn:uuid:11111111-2222-4333-8444-555555555555>"/)
  assert.match(headerOf(register, 'Supported') ?? '', /outbound/)
  assert.match(headerOf(register, 'From') ?? '', /^<sip:1001@voice\.test>;tag=/)
})

test('registered, and refreshed before the granted time is over with the next CSeq', () => {
  const bed = new AgentBed()
  bed.do({ type: 'line-up' })
  bed.do({ type: 'register', identity })
  const host = /@([^;]+)/.exec(headerOf(bed.request(), 'Contact') ?? '')?.[1]
  bed.reply(200, 'OK', { headers: { Contact: `<sip:1001@${host};transport=ws>;expires=100, <sip:x@y>;expires=9` } })
  assert.equal(bed.event('registered'), { type: 'registered', expiresSeconds: 100, displayName: '' })
  assert.ok(bed.agent.isRegistered)
  const callId = headerOf(bed.request(), 'Call-ID')
  bed.clear()
  bed.run(69_000)
  assert.equal(bed.lines, [])
  bed.run(16_500)
  assert.equal(bed.lines, ['REGISTER'])
  assert.is(headerOf(bed.request(), 'CSeq'), '2 REGISTER')
  assert.is(headerOf(bed.request(), 'Call-ID'), callId)
})

for (const status of [401, 403, 404]) {
  test(`${status} is final: no second try with the same token`, () => {
    const bed = new AgentBed()
    bed.do({ type: 'line-up' })
    bed.do({ type: 'register', identity })
    bed.reply(status, 'No', { headers: { 'X-Voice-Reason-Code': 'END.0403' } })
    const { reason, isFinal } = bed.event('registration-failed')
    assert.ok(isFinal)
    assert.equal(reason, { cause: `${status} No`, by: 'remote', status, code: 'END.0403' })
    bed.clear()
    bed.run(600_000)
    assert.equal(bed.lines, [])
  })
}

test('503 is tried again after Retry-After, then with longer waits', () => {
  const bed = new AgentBed()
  bed.do({ type: 'line-up' })
  bed.do({ type: 'register', identity })
  bed.reply(503, 'Draining', { headers: { 'Retry-After': '5' } })
  assert.is(bed.event('registration-failed').isFinal, false)
  assert.is(bed.event('registration-failed').reason.retryAfterSeconds, 5)
  bed.clear()
  bed.run(3_700)
  assert.equal(bed.lines, [])
  bed.run(2_600)
  assert.equal(bed.lines, ['REGISTER'])
  const waits: number[] = []
  for (let round = 0; round < 7; round++) {
    bed.reply(500, 'Oops')
    bed.clear()
    const from = bed.now
    while (bed.lines.length === 0) bed.run(100)
    waits.push(bed.now - from)
  }
  assert.ok(waits.every(wait => wait <= 75_000 + 100))
  assert.ok(waits[0]! < 6_000 && waits[6]! > 40_000, waits.join(' '))
})

test('423 is answered with the time that the registrar wants (RFC 3261 §10.2.8)', () => {
  const bed = new AgentBed()
  bed.do({ type: 'line-up' })
  bed.do({ type: 'register', identity })
  bed.reply(423, 'Interval Too Brief', { headers: { 'Min-Expires': '1800' } })
  assert.is(headerOf(bed.request('REGISTER'), 'Expires'), '1800')
})

test('no answer for 32 s is a failure that is tried again', () => {
  const bed = new AgentBed()
  bed.do({ type: 'line-up' })
  bed.do({ type: 'register', identity })
  bed.run(32_100)
  assert.is(bed.event('registration-failed').reason.cause, 'No answer from the service')
  bed.clear()
  bed.run(3_000)
  assert.equal(bed.lines, ['REGISTER'])
})

test('a new connection registers again; after its loss no phone is registered', () => {
  const bed = AgentBed.registered()
  bed.do({ type: 'line-down' })
  assert.not(bed.agent.isRegistered)
  bed.run(600_000)
  assert.equal(bed.lines, [])
  bed.do({ type: 'line-up' })
  assert.equal(bed.lines, ['REGISTER'])
  assert.not(bed.agent.isReady, 'the switch does not know this flow yet')
  bed.reply(200, 'OK')
  assert.ok(bed.agent.isReady)
})

test('unregister asks for zero seconds and is done with the answer, with silence, or with the line', () => {
  for (const end of ['answer', 'silence', 'line'] as const) {
    const bed = AgentBed.registered()
    bed.do({ type: 'unregister' })
    assert.is(headerOf(bed.request('REGISTER'), 'Expires'), '0')
    assert.match(headerOf(bed.request('REGISTER'), 'Contact') ?? '', /;expires=0$/)
    if (end === 'answer') bed.reply(200, 'OK')
    if (end === 'silence') bed.run(33_000)
    if (end === 'line') bed.do({ type: 'line-down' })
    assert.equal(bed.events, ['unregistered'], end)
    bed.clear()
    bed.run(700_000)
    assert.equal(bed.lines, [])
  }
})

test('a new token registers at once and is the one that calls show', () => {
  const bed = AgentBed.registered()
  bed.do({ type: 'register', identity: { ...identity, token: 'NEXT' } })
  assert.is(headerOf(bed.request('REGISTER'), 'Authorization'), 'Bearer NEXT')
  bed.reply(200, 'OK')
  bed.do({ type: 'dial', id: 'c', uri: 'sip:1@voice.test', sdp: 'o', fields: [] })
  assert.is(headerOf(bed.request('INVITE'), 'Authorization'), 'Bearer NEXT')
})

test('an answer to an older REGISTER changes nothing', () => {
  const bed = new AgentBed()
  bed.do({ type: 'line-up' })
  bed.do({ type: 'register', identity })
  const first = bed.request('REGISTER')
  bed.do({ type: 'register', identity: { ...identity, token: 'NEXT' } })
  bed.sent.push(first)
  bed.reply(401, 'Unauthorized')
  assert.equal(bed.events, [])
})

test.run()
