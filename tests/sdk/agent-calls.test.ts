import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { localEnd } from '../../sdk/base/end-reason.ts'
import { headerOf } from '../../sip/index.ts'
import { AgentBench } from './rig/agent-bench.ts'
import { bodyOf, requestOf } from './rig/switch-side.ts'

const hungUp = localEnd('Hung up', 'local')

const target = { headers: { Contact: '<sip:sauti@switch.test;transport=ws>' } }

/** The line drops, comes back, and the switch takes the phone's registration. */
function back(bench: AgentBench): void {
  bench.do({ type: 'line-down' })
  bench.run(400)
  bench.do({ type: 'line-up' })
  bench.reply(200, 'OK', { headers: { Expires: '600' } }, 'REGISTER')
}

/** The switch sends the INVITE of `AgentBench.offered` by another branch. */
function forked(bench: AgentBench): void {
  const fields = { from: '"Juma" <sip:1002@voice.test>;tag=far', to: '<sip:1001@voice.test>', callId: 'in-1', cseq: 1 }
  bench.receive(requestOf('INVITE', fields, { sdp: 'their offer' }))
}

test('a call placed: INVITE, ringing, early audio, answer, ACK, BYE', () => {
  const bench = AgentBench.registered()
  const fields = [{ name: 'X-Service-Custom-Payload', value: '{"order":7}' }]
  bench.do({ type: 'dial', id: 'c', uri: 'sip:+254700@voice.test', sdp: 'offer', fields })
  const invite = bench.request('INVITE')
  assert.is(invite.uri, 'sip:+254700@voice.test')
  assert.is(headerOf(invite, 'Authorization'), 'Bearer TOKEN')
  assert.is(headerOf(invite, 'X-Service-Custom-Payload'), '{"order":7}')
  assert.is(bodyOf(invite), 'offer')
  bench.reply(100, 'Trying')
  bench.reply(180, 'Ringing')
  bench.reply(183, 'Session Progress', { sdp: 'early' })
  bench.reply(200, 'OK', { ...target, sdp: 'answer' })
  assert.equal(bench.events, ['ringing', 'early', 'answered'])
  assert.equal(bench.lines, ['INVITE', 'ACK'])
  bench.do({ type: 'end', id: 'c', reason: hungUp })
  assert.equal(bench.event('ended'), { type: 'ended', id: 'c', reason: hungUp, wasOpen: true })
  assert.is(bench.request('BYE').uri, 'sip:sauti@switch.test;transport=ws')
  bench.reply(200, 'OK')
  bench.clear()
  bench.do({ type: 'end', id: 'c', reason: hungUp })
  bench.run(100_000)
  assert.equal([bench.lines, bench.events], [[], []], 'nothing is left of it')
})

test('a repeated 2xx gets the same ACK, another fork an ACK and a BYE', () => {
  const bench = AgentBench.registered()
  bench.call()
  bench.clear()
  bench.sent.push()
  const again = AgentBench.registered()
  again.call()
  again.reply(200, 'OK', { ...target, sdp: 'answer' }, 'INVITE')
  assert.equal(again.lines, ['INVITE', 'ACK', 'ACK'])
  again.reply(200, 'OK', { ...target, sdp: 'answer', toTag: 'other' }, 'INVITE')
  assert.equal(again.lines, ['INVITE', 'ACK', 'ACK', 'ACK', 'BYE'])
  assert.equal(again.events, ['answered'])
})

test('a refusal carries status, code, words and cause', () => {
  const bench = AgentBench.registered()
  bench.do({ type: 'dial', id: 'c', uri: 'sip:1@voice.test', sdp: 'o', fields: [] })
  bench.reply(402, 'Payment Required', {
    headers: { 'X-Voice-Reason-Code': 'END.0402', Reason: 'SIP;cause=402;text="Top \\"up\\"", Q.850;cause=21' },
  })
  assert.equal(bench.event('ended').reason, {
    cause: '402 Payment Required',
    by: 'remote',
    status: 402,
    code: 'END.0402',
    text: 'Top "up"',
    q850: 21,
  })
  assert.is(bench.event('ended').wasOpen, false)
  assert.equal(bench.lines, ['INVITE', 'ACK'])
})

test('407 is answered once with Proxy-Authorization', () => {
  const bench = AgentBench.registered()
  bench.do({ type: 'dial', id: 'c', uri: 'sip:1@voice.test', sdp: 'o', fields: [] })
  bench.reply(407, 'Proxy Authentication Required')
  assert.is(headerOf(bench.request('INVITE'), 'Proxy-Authorization'), 'Bearer TOKEN')
  assert.is(headerOf(bench.request('INVITE'), 'CSeq'), '2 INVITE')
  bench.reply(407, 'Proxy Authentication Required')
  assert.is(bench.event('ended').reason.status, 407)
})

test('hung up before the first provisional: CANCEL only after it, and the person is done at once', () => {
  const bench = AgentBench.registered()
  bench.do({ type: 'dial', id: 'c', uri: 'sip:1@voice.test', sdp: 'o', fields: [] })
  const cancelled = localEnd('Cancelled', 'local')
  bench.do({ type: 'end', id: 'c', reason: cancelled })
  assert.equal(bench.lines, ['INVITE'])
  assert.equal(bench.event('ended').reason, cancelled)
  bench.reply(180, 'Ringing')
  assert.equal(bench.lines, ['INVITE', 'CANCEL'])
  assert.is(headerOf(bench.request('CANCEL'), 'Via'), headerOf(bench.request('INVITE'), 'Via'))
  assert.is(headerOf(bench.request('CANCEL'), 'CSeq'), '1 CANCEL')
  bench.reply(200, 'OK', {}, 'CANCEL')
  bench.reply(487, 'Request Terminated', {}, 'INVITE')
  assert.equal(bench.lines, ['INVITE', 'CANCEL', 'ACK'])
  assert.is(bench.events.filter(type => type === 'ended').length, 1)
})

test('the answer crosses the CANCEL: ACK and BYE', () => {
  const bench = AgentBench.registered()
  bench.do({ type: 'dial', id: 'c', uri: 'sip:1@voice.test', sdp: 'o', fields: [] })
  bench.reply(180, 'Ringing')
  bench.do({ type: 'end', id: 'c', reason: localEnd('Cancelled', 'local') })
  bench.reply(200, 'OK', { ...target, sdp: 'a' }, 'INVITE')
  assert.equal(bench.lines, ['INVITE', 'CANCEL', 'ACK', 'BYE'])
  assert.equal(bench.events, ['ringing', 'ended'])
})

test('nobody answers an INVITE: ended after 32 s', () => {
  const bench = AgentBench.registered()
  bench.do({ type: 'dial', id: 'c', uri: 'sip:1@voice.test', sdp: 'o', fields: [] })
  bench.run(32_100)
  assert.is(bench.event('ended').reason.cause, 'No answer from the service')
})

test('a call that comes: 180, answer repeated until the ACK, BYE of the far side with its reason', () => {
  const bench = AgentBench.registered()
  const id = bench.offered()
  const offered = bench.event('offered')
  assert.equal(offered.from, { user: '1002', displayName: 'Juma', uri: 'sip:1002@voice.test' })
  assert.is(offered.sdp, 'their offer')
  bench.do({ type: 'answer', id, sdp: 'our answer' })
  bench.run(1_600)
  assert.equal(bench.lines, ['180', '200', '200', '200'])
  assert.is(bodyOf(bench.response()), 'our answer')
  bench.inDialog('ACK', 1)
  assert.is(bench.event('confirmed').id, id)
  bench.run(60_000)
  assert.is(bench.lines.length, 4)
  bench.inDialog('BYE', 2, { headers: { 'X-Voice-Reason-Code': 'END.0210', Reason: 'Q.850;cause=16' } })
  assert.equal(bench.event('ended').reason, { cause: 'Hung up', by: 'remote', code: 'END.0210', q850: 16 })
  assert.ok(bench.event('ended').wasOpen)
  assert.is(bench.lines.at(-1), '200')
})

test('P-Asserted-Identity says who calls', () => {
  const bench = AgentBench.registered()
  bench.offered({ sdp: 'o', headers: { 'P-Asserted-Identity': '"Ann, Lee" <sip:+254711@voice.test>' } })
  assert.equal(bench.event('offered').from, {
    user: '+254711',
    displayName: 'Ann, Lee',
    uri: 'sip:+254711@voice.test',
  })
})

test('rejected with 486', () => {
  const bench = AgentBench.registered()
  const id = bench.offered()
  bench.do({ type: 'end', id, reason: localEnd('Rejected', 'local'), status: 486 })
  assert.equal(bench.lines, ['180', '486'])
  assert.is(bench.response().reason, 'Busy Here')
  assert.equal(bench.event('ended').reason, { cause: 'Rejected', by: 'local' })
})

for (const [reason, cause] of [
  ['', 'Cancelled'],
  ['SIP;cause=200;text="Call completed elsewhere"', 'Answered elsewhere'],
] as const) {
  test(`cancelled by the caller: 200, 487, "${cause}"`, () => {
    const bench = AgentBench.registered()
    bench.offered()
    bench.receive(
      requestOf(
        'CANCEL',
        { from: '<sip:1002@voice.test>;tag=far', to: '<sip:1001@voice.test>', callId: 'in-1', cseq: 1, branch: 'in-1' },
        reason === '' ? {} : { headers: { Reason: reason } },
      ),
    )
    assert.equal([...bench.lines].sort(), ['180', '200', '487'])
    assert.is(bench.event('ended').reason.cause, cause)
    assert.not(bench.event('ended').wasOpen)
  })
}

test('an answer that nobody acknowledges ends in a BYE after 32 s', () => {
  const bench = AgentBench.registered()
  bench.do({ type: 'answer', id: bench.offered(), sdp: 'a' })
  bench.run(33_000)
  assert.is(bench.lines.at(-1), 'BYE')
  assert.is(bench.event('ended').reason.cause, 'No answer from the service')
})

test('hung up before the ACK: the BYE waits for it (RFC 3261 §15)', () => {
  const bench = AgentBench.registered()
  const id = bench.offered()
  bench.do({ type: 'answer', id, sdp: 'a' })
  bench.do({ type: 'end', id, reason: hungUp })
  assert.equal(bench.lines, ['180', '200'])
  assert.equal(bench.event('ended').reason, hungUp)
  bench.inDialog('ACK', 1)
  assert.is(bench.lines.at(-1), 'BYE')
})

test('the line is gone for good: what rings ends after the time the switch waits for us', () => {
  const bench = AgentBench.registered()
  bench.do({ type: 'dial', id: 'dialled', uri: 'sip:2@voice.test', sdp: 'o', fields: [] })
  bench.offered()
  bench.clear()
  bench.do({ type: 'line-down' })
  bench.run(11_000)
  assert.equal(bench.events, [])
  bench.run(2_000)
  assert.equal(
    bench.told.flatMap(event => (event.type === 'ended' ? [event.reason.cause] : [])),
    ['Connection lost', 'Connection lost'],
  )
  assert.equal(bench.lines, [])
})

test('the line is back, but the switch knows nothing of what rang: it ends some seconds later', () => {
  const bench = AgentBench.registered()
  bench.do({ type: 'dial', id: 'dialled', uri: 'sip:2@voice.test', sdp: 'o', fields: [] })
  bench.offered()
  bench.clear()
  back(bench)
  bench.run(6_000)
  assert.equal(
    bench.told.flatMap(event => (event.type === 'ended' ? [event.reason.cause] : [])),
    ['Connection lost', 'Connection lost'],
  )
})

test('a call that rings here lives through a new line: the fork gets 482, the first INVITE is answered (RFC 5626, 3261 §8.2.2.2)', () => {
  const bench = AgentBench.registered()
  const id = bench.offered()
  back(bench)
  bench.clear()
  forked(bench)
  assert.equal(bench.lines, ['482', '180'])
  assert.equal(bench.events, [], 'it is no second call')
  bench.run(60_000)
  bench.do({ type: 'answer', id, sdp: 'ours' })
  assert.is(bench.lines.at(-1), '200')
  assert.match(headerOf(bench.response(), 'Via') ?? '', /branch=z9hG4bKin-1/, 'the answer to the first INVITE')
})

test('answered or declined while the line is down: said on the next one', () => {
  const answered = AgentBench.registered()
  const id = answered.offered()
  answered.do({ type: 'line-down' })
  answered.do({ type: 'answer', id, sdp: 'ours' })
  answered.clear()
  back(answered)
  forked(answered)
  assert.equal(answered.lines.slice(-2), ['482', '200'])

  const declined = AgentBench.registered()
  const other = declined.offered()
  declined.do({ type: 'line-down' })
  declined.do({ type: 'end', id: other, reason: { cause: 'Rejected', by: 'local' }, status: 486 })
  assert.is(declined.event('ended').reason.cause, 'Rejected', 'the person is done with it at once')
  back(declined)
  forked(declined)
  assert.is(declined.lines.at(-1), '486')
  forked(declined)
  assert.is(declined.events.filter(type => type === 'offered').length, 2, 'nothing is left of it')
})

test('a call that we placed lives through a new line: the same INVITE once more, and the answer over the new line', () => {
  const bench = AgentBench.registered()
  bench.do({ type: 'dial', id: 'c', uri: 'sip:2@voice.test', sdp: 'o', fields: [] })
  bench.reply(180, 'Ringing', {}, 'INVITE')
  const before = bench.request('INVITE')
  bench.clear()
  back(bench)
  assert.equal(bench.lines, ['REGISTER', 'INVITE'])
  assert.equal(bench.request('INVITE'), before)
  bench.reply(180, 'Ringing', {}, 'INVITE')
  bench.run(60_000)
  assert.not(bench.events.includes('ended'))
  bench.reply(200, 'OK', { sdp: 'answer' }, 'INVITE')
  assert.is(bench.event('answered').sdp, 'answer')
})

test('given up while the line is down: the CANCEL waits for the next one', () => {
  const bench = AgentBench.registered()
  bench.do({ type: 'dial', id: 'c', uri: 'sip:2@voice.test', sdp: 'o', fields: [] })
  bench.reply(180, 'Ringing', {}, 'INVITE')
  bench.clear()
  bench.do({ type: 'line-down' })
  bench.do({ type: 'end', id: 'c', reason: hungUp })
  assert.is(bench.event('ended').id, 'c')
  assert.equal(bench.lines, [])
  back(bench)
  assert.equal(bench.lines, ['REGISTER', 'CANCEL'])
})

test("a call's sid: of an INVITE from the start, of our own from the first answer that has it", () => {
  const bench = AgentBench.registered()
  bench.offered({ sdp: 'o', headers: { 'X-Voice-Call-Sid': 'CA1' } })
  assert.is(bench.event('offered').sid, 'CA1')
  bench.do({ type: 'dial', id: 'c', uri: 'sip:2@voice.test', sdp: 'o', fields: [] })
  bench.reply(180, 'Ringing', { headers: { 'X-Voice-Call-Sid': 'CA2' } }, 'INVITE')
  bench.reply(200, 'OK', { sdp: 'a', headers: { 'X-Voice-Call-Sid': 'CA2' } }, 'INVITE')
  assert.equal(
    bench.told.filter(event => event.type === 'named'),
    [{ type: 'named', id: 'c', sid: 'CA2' }],
  )
})

test('the line drops: what stands goes on, a BYE waits for the next line', () => {
  const bench = AgentBench.registered()
  bench.call('stands')
  const stands = bench.request('INVITE')
  bench.clear()
  bench.do({ type: 'line-down' })
  bench.do({ type: 'end', id: 'stands', reason: hungUp })
  assert.is(bench.event('ended').id, 'stands')
  assert.equal(bench.lines, [])
  bench.run(5_000)
  bench.do({ type: 'line-up' })
  assert.equal(bench.lines.sort(), ['BYE', 'REGISTER'])
  assert.is(headerOf(bench.request('BYE'), 'Call-ID'), headerOf(stands, 'Call-ID'))
})

test('dialling without a line fails at once', () => {
  const bench = AgentBench.registered()
  bench.do({ type: 'line-down' })
  bench.do({ type: 'dial', id: 'c', uri: 'sip:1@voice.test', sdp: 'o', fields: [] })
  assert.is(bench.event('ended').reason.cause, 'Connection lost')
})

test('outside of calls: OPTIONS 200, others 405, unknown dialogs 481, 100rel wanted 420, the ninth call 486', () => {
  const bench = AgentBench.registered()
  const outside = { from: '<sip:s@voice.test>;tag=x', to: '<sip:1001@voice.test>', callId: 'o', cseq: 1 }
  bench.receive(requestOf('OPTIONS', outside))
  assert.is(bench.response().status, 200)
  assert.match(headerOf(bench.response(), 'Allow') ?? '', /INVITE/)
  bench.receive(requestOf('MESSAGE', outside))
  assert.is(bench.response().status, 405)
  bench.receive(requestOf('BYE', { ...outside, to: `${outside.to};tag=nobody` }))
  assert.is(bench.response().status, 481)
  bench.receive(requestOf('INVITE', { ...outside, callId: 'r' }, { sdp: 'o', headers: { Require: '100rel' } }))
  assert.is(bench.response().status, 420)
  for (let call = 0; call < 8; call++) bench.offered({ sdp: 'o' }, `many-${call}`)
  assert.is(bench.response().status, 180)
  bench.receive(requestOf('INVITE', { ...outside, callId: 'ninth' }, { sdp: 'o' }))
  assert.is(bench.response().status, 486)
})

test('a repeated INVITE does not ring twice; keep-alives are told; junk is dropped', () => {
  const bench = AgentBench.registered()
  bench.offered()
  bench.offered()
  assert.is(bench.events.filter(type => type === 'offered').length, 1)
  bench.clear()
  bench.receive(new TextEncoder().encode('\r\n'))
  assert.equal(bench.events, ['pong'])
  bench.receive(new TextEncoder().encode('GET / HTTP/1.1\r\n\r\n'))
  bench.receive(new TextEncoder().encode('SIP/2.0 200 OK\r\nVia: x\r\n\r\n'))
  bench.receive(new TextEncoder().encode('INVITE sip:x SIP/2.0\r\nCSeq: 1 BYE\r\n\r\n'))
  bench.receive(Uint8Array.from({ length: 300 }, (_, at) => (at * 37) & 255))
  assert.equal([bench.lines, bench.events], [[], ['pong']])
})

test.run()
