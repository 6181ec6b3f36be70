import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { headerOf } from '../../sip/index.ts'
import { AgentBench } from './rig/agent-bench.ts'

const identity = { extension: '1001', realm: 'voice.test', token: 'TOKEN' }

test('REGISTER carries the Bearer token, an outbound Contact and a made-up host (RFC 8898, 5626, 7118)', () => {
  const bench = new AgentBench()
  bench.do({ type: 'register', identity })
  assert.equal(bench.lines, [], 'nothing goes out before the line is up')
  bench.do({ type: 'line-up' })
  const register = bench.request('REGISTER')
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
  const bench = new AgentBench()
  bench.do({ type: 'line-up' })
  bench.do({ type: 'register', identity })
  const host = /@([^;]+)/.exec(headerOf(bench.request(), 'Contact') ?? '')?.[1]
  bench.reply(200, 'OK', { headers: { Contact: `<sip:1001@${host};transport=ws>;expires=100, <sip:x@y>;expires=9` } })
  assert.equal(bench.event('registered'), { type: 'registered', expiresSeconds: 100, displayName: '' })
  assert.ok(bench.agent.isRegistered)
  const callId = headerOf(bench.request(), 'Call-ID')
  bench.clear()
  bench.run(69_000)
  assert.equal(bench.lines, [])
  bench.run(16_500)
  assert.equal(bench.lines, ['REGISTER'])
  assert.is(headerOf(bench.request(), 'CSeq'), '2 REGISTER')
  assert.is(headerOf(bench.request(), 'Call-ID'), callId)
})

for (const status of [401, 403, 404]) {
  test(`${status} is final: no second try with the same token`, () => {
    const bench = new AgentBench()
    bench.do({ type: 'line-up' })
    bench.do({ type: 'register', identity })
    bench.reply(status, 'No', { headers: { 'X-Voice-Reason-Code': 'END.0403' } })
    const { reason, isFinal } = bench.event('registration-failed')
    assert.ok(isFinal)
    assert.equal(reason, { cause: `${status} No`, by: 'remote', status, code: 'END.0403' })
    bench.clear()
    bench.run(600_000)
    assert.equal(bench.lines, [])
  })
}

test('503 is tried again after Retry-After, then with longer waits', () => {
  const bench = new AgentBench()
  bench.do({ type: 'line-up' })
  bench.do({ type: 'register', identity })
  bench.reply(503, 'Draining', { headers: { 'Retry-After': '5' } })
  assert.is(bench.event('registration-failed').isFinal, false)
  assert.is(bench.event('registration-failed').reason.retryAfterSeconds, 5)
  bench.clear()
  bench.run(3_700)
  assert.equal(bench.lines, [])
  bench.run(2_600)
  assert.equal(bench.lines, ['REGISTER'])
  const waits: number[] = []
  for (let round = 0; round < 7; round++) {
    bench.reply(500, 'Oops')
    bench.clear()
    const from = bench.now
    while (bench.lines.length === 0) bench.run(100)
    waits.push(bench.now - from)
  }
  assert.ok(waits.every(wait => wait <= 75_000 + 100))
  assert.ok(waits[0]! < 6_000 && waits[6]! > 40_000, waits.join(' '))
})

test('423 is answered with the time that the registrar wants (RFC 3261 §10.2.8)', () => {
  const bench = new AgentBench()
  bench.do({ type: 'line-up' })
  bench.do({ type: 'register', identity })
  bench.reply(423, 'Interval Too Brief', { headers: { 'Min-Expires': '1800' } })
  assert.is(headerOf(bench.request('REGISTER'), 'Expires'), '1800')
})

test('no answer for 32 s is a failure that is tried again', () => {
  const bench = new AgentBench()
  bench.do({ type: 'line-up' })
  bench.do({ type: 'register', identity })
  bench.run(32_100)
  assert.is(bench.event('registration-failed').reason.cause, 'No answer from the service')
  bench.clear()
  bench.run(3_000)
  assert.equal(bench.lines, ['REGISTER'])
})

test('a new line registers anew, a lost one makes nobody registered', () => {
  const bench = AgentBench.registered()
  bench.do({ type: 'line-down' })
  assert.not(bench.agent.isRegistered)
  bench.run(600_000)
  assert.equal(bench.lines, [])
  bench.do({ type: 'line-up' })
  assert.equal(bench.lines, ['REGISTER'])
  assert.not(bench.agent.isReady, 'the switch does not know this flow yet')
  bench.reply(200, 'OK')
  assert.ok(bench.agent.isReady)
})

test('unregister asks for zero seconds and is done with the answer, with silence, or with the line', () => {
  for (const end of ['answer', 'silence', 'line'] as const) {
    const bench = AgentBench.registered()
    bench.do({ type: 'unregister' })
    assert.is(headerOf(bench.request('REGISTER'), 'Expires'), '0')
    assert.match(headerOf(bench.request('REGISTER'), 'Contact') ?? '', /;expires=0$/)
    if (end === 'answer') bench.reply(200, 'OK')
    if (end === 'silence') bench.run(33_000)
    if (end === 'line') bench.do({ type: 'line-down' })
    assert.equal(bench.events, ['unregistered'], end)
    bench.clear()
    bench.run(700_000)
    assert.equal(bench.lines, [])
  }
})

test('a new token registers at once and is the one that calls show', () => {
  const bench = AgentBench.registered()
  bench.do({ type: 'register', identity: { ...identity, token: 'NEXT' } })
  assert.is(headerOf(bench.request('REGISTER'), 'Authorization'), 'Bearer NEXT')
  bench.reply(200, 'OK')
  bench.do({ type: 'dial', id: 'c', uri: 'sip:1@voice.test', sdp: 'o', fields: [] })
  assert.is(headerOf(bench.request('INVITE'), 'Authorization'), 'Bearer NEXT')
})

test('an answer to an older REGISTER changes nothing', () => {
  const bench = new AgentBench()
  bench.do({ type: 'line-up' })
  bench.do({ type: 'register', identity })
  const first = bench.request('REGISTER')
  bench.do({ type: 'register', identity: { ...identity, token: 'NEXT' } })
  bench.sent.push(first)
  bench.reply(401, 'Unauthorized')
  assert.equal(bench.events, [])
})

test.run()
