import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { localEnd } from '../../sdk/base/end-reason.ts'
import { headerOf } from '../../sip/index.ts'
import { AgentBed } from './bed/agent-bed.ts'
import { bodyOf, requestOf } from './bed/switch-side.ts'

const hungUp = localEnd('Hung up', 'local')

const target = { headers: { Contact: '<sip:sauti@switch.test;transport=ws>' } }

/** The line drops, comes back, and the switch takes the phone's registration. */
function back(bed: AgentBed): void {
  bed.do({ type: 'line-down' })
  bed.run(400)
  bed.do({ type: 'line-up' })
  bed.reply(200, 'OK', { headers: { Expires: '600' } }, 'REGISTER')
}

/** The switch sends the INVITE of `AgentBed.offered` by another branch. */
function forked(bed: AgentBed): void {
  const fields = { from: '"Juma" <sip:1002@voice.test>;tag=far', to: '<sip:1001@voice.test>', callId: 'in-1', cseq: 1 }
  bed.receive(requestOf('INVITE', fields, { sdp: 'their offer' }))
}

test('a call placed: INVITE, ringing, early audio, answer, ACK, BYE', () => {
  const bed = AgentBed.registered()
  const fields = [{ name: 'X-Service-Custom-Payload', value: '{"order":7}' }]
  bed.do({ type: 'dial', id: 'c', uri: 'sip:+254700@voice.test', sdp: 'offer', fields })
  const invite = bed.request('INVITE')
  assert.is(invite.uri, 'sip:+254700@voice.test')
  assert.is(headerOf(invite, 'Authorization'), 'Bearer TOKEN')
  assert.is(headerOf(invite, 'X-Service-Custom-Payload'), '{"order":7}')
  assert.is(bodyOf(invite), 'offer')
  bed.reply(100, 'Trying')
  bed.reply(180, 'Ringing')
  bed.reply(183, 'Session Progress', { sdp: 'early' })
  bed.reply(200, 'OK', { ...target, sdp: 'answer' })
  assert.equal(bed.events, ['ringing', 'early', 'answered'])
  assert.equal(bed.lines, ['INVITE', 'ACK'])
  bed.do({ type: 'end', id: 'c', reason: hungUp })
  assert.equal(bed.event('ended'), { type: 'ended', id: 'c', reason: hungUp, wasOpen: true })
  assert.is(bed.request('BYE').uri, 'sip:sauti@switch.test;transport=ws')
  bed.reply(200, 'OK')
  bed.clear()
  bed.do({ type: 'end', id: 'c', reason: hungUp })
  bed.run(100_000)
  assert.equal([bed.lines, bed.events], [[], []], 'nothing is left of it')
})

test('a repeated 2xx gets the same ACK, another fork an ACK and a BYE', () => {
  const bed = AgentBed.registered()
  bed.call()
  bed.clear()
  bed.sent.push()
  const again = AgentBed.registered()
  again.call()
  again.reply(200, 'OK', { ...target, sdp: 'answer' }, 'INVITE')
  assert.equal(again.lines, ['INVITE', 'ACK', 'ACK'])
  again.reply(200, 'OK', { ...target, sdp: 'answer', toTag: 'other' }, 'INVITE')
  assert.equal(again.lines, ['INVITE', 'ACK', 'ACK', 'ACK', 'BYE'])
  assert.equal(again.events, ['answered'])
})

test('a refusal carries status, code, words and cause', () => {
  const bed = AgentBed.registered()
  bed.do({ type: 'dial', id: 'c', uri: 'sip:1@voice.test', sdp: 'o', fields: [] })
  bed.reply(402, 'Payment Required', {
    headers: { 'X-Voice-Reason-Code': 'END.0402', Reason: 'SIP;cause=402;text="Top \\"up\\"", Q.850;cause=21' },
  })
  assert.equal(bed.event('ended').reason, {
    cause: '402 Payment Required',
    by: 'remote',
    status: 402,
    code: 'END.0402',
    text: 'Top "up"',
    q850: 21,
  })
  assert.is(bed.event('ended').wasOpen, false)
  assert.equal(bed.lines, ['INVITE', 'ACK'])
})

test('407 is answered once with Proxy-Authorization', () => {
  const bed = AgentBed.registered()
  bed.do({ type: 'dial', id: 'c', uri: 'sip:1@voice.test', sdp: 'o', fields: [] })
  bed.reply(407, 'Proxy Authentication Required')
  assert.is(headerOf(bed.request('INVITE'), 'Proxy-Authorization'), 'Bearer TOKEN')
  assert.is(headerOf(bed.request('INVITE'), 'CSeq'), '2 INVITE')
  bed.reply(407, 'Proxy Authentication Required')
  assert.is(bed.event('ended').reason.status, 407)
})

test('hung up before the first provisional: CANCEL only after it, and the person is done at once', () => {
  const bed = AgentBed.registered()
  bed.do({ type: 'dial', id: 'c', uri: 'sip:1@voice.test', sdp: 'o', fields: [] })
  const cancelled = localEnd('Cancelled', 'local')
  bed.do({ type: 'end', id: 'c', reason: cancelled })
  assert.equal(bed.lines, ['INVITE'])
  assert.equal(bed.event('ended').reason, cancelled)
  bed.reply(180, 'Ringing')
  assert.equal(bed.lines, ['INVITE', 'CANCEL'])
  assert.is(headerOf(bed.request('CANCEL'), 'Via'), headerOf(bed.request('INVITE'), 'Via'))
  assert.is(headerOf(bed.request('CANCEL'), 'CSeq'), '1 CANCEL')
  bed.reply(200, 'OK', {}, 'CANCEL')
  bed.reply(487, 'Request Terminated', {}, 'INVITE')
  assert.equal(bed.lines, ['INVITE', 'CANCEL', 'ACK'])
  assert.is(bed.events.filter(type => type === 'ended').length, 1)
})

test('the answer crosses the CANCEL: ACK and BYE', () => {
  const bed = AgentBed.registered()
  bed.do({ type: 'dial', id: 'c', uri: 'sip:1@voice.test', sdp: 'o', fields: [] })
  bed.reply(180, 'Ringing')
  bed.do({ type: 'end', id: 'c', reason: localEnd('Cancelled', 'local') })
  bed.reply(200, 'OK', { ...target, sdp: 'a' }, 'INVITE')
  assert.equal(bed.lines, ['INVITE', 'CANCEL', 'ACK', 'BYE'])
  assert.equal(bed.events, ['ringing', 'ended'])
})

test('an INVITE without an answer: ended after 32 s', () => {
  const bed = AgentBed.registered()
  bed.do({ type: 'dial', id: 'c', uri: 'sip:1@voice.test', sdp: 'o', fields: [] })
  bed.run(32_100)
  assert.is(bed.event('ended').reason.cause, 'No answer from the service')
})

test('an incoming call: 180, answer repeated until the ACK, BYE of the remote with its reason', () => {
  const bed = AgentBed.registered()
  const id = bed.offered()
  const offered = bed.event('offered')
  assert.equal(offered.from, { user: '1002', displayName: 'Juma', uri: 'sip:1002@voice.test' })
  assert.is(offered.sdp, 'their offer')
  bed.do({ type: 'answer', id, sdp: 'our answer' })
  bed.run(1_600)
  assert.equal(bed.lines, ['180', '200', '200', '200'])
  assert.is(bodyOf(bed.response()), 'our answer')
  bed.inDialog('ACK', 1)
  assert.is(bed.event('confirmed').id, id)
  bed.run(60_000)
  assert.is(bed.lines.length, 4)
  bed.inDialog('BYE', 2, { headers: { 'X-Voice-Reason-Code': 'END.0210', Reason: 'Q.850;cause=16' } })
  assert.equal(bed.event('ended').reason, { cause: 'Hung up', by: 'remote', code: 'END.0210', q850: 16 })
  assert.ok(bed.event('ended').wasOpen)
  assert.is(bed.lines.at(-1), '200')
})

test('P-Asserted-Identity says who calls', () => {
  const bed = AgentBed.registered()
  bed.offered({ sdp: 'o', headers: { 'P-Asserted-Identity': '"Ann, Lee" <sip:+254711@voice.test>' } })
  assert.equal(bed.event('offered').from, {
    user: '+254711',
    displayName: 'Ann, Lee',
    uri: 'sip:+254711@voice.test',
  })
})

test('rejected with 486', () => {
  const bed = AgentBed.registered()
  const id = bed.offered()
  bed.do({ type: 'end', id, reason: localEnd('Rejected', 'local'), status: 486 })
  assert.equal(bed.lines, ['180', '486'])
  assert.is(bed.response().reason, 'Busy Here')
  assert.equal(bed.event('ended').reason, { cause: 'Rejected', by: 'local' })
})

for (const [reason, cause] of [
  ['', 'Cancelled'],
  ['SIP;cause=200;text="Call completed elsewhere"', 'Answered elsewhere'],
] as const) {
  test(`cancelled by the caller: 200, 487, "${cause}"`, () => {
    const bed = AgentBed.registered()
    bed.offered()
    bed.receive(
      requestOf(
        'CANCEL',
        { from: '<sip:1002@voice.test>;tag=far', to: '<sip:1001@voice.test>', callId: 'in-1', cseq: 1, branch: 'in-1' },
        reason === '' ? {} : { headers: { Reason: reason } },
      ),
    )
    assert.equal([...bed.lines].sort(), ['180', '200', '487'])
    assert.is(bed.event('ended').reason.cause, cause)
    assert.not(bed.event('ended').wasOpen)
  })
}

test('an answer without an ACK ends in a BYE after 32 s', () => {
  const bed = AgentBed.registered()
  bed.do({ type: 'answer', id: bed.offered(), sdp: 'a' })
  bed.run(33_000)
  assert.is(bed.lines.at(-1), 'BYE')
  assert.is(bed.event('ended').reason.cause, 'No answer from the service')
})

test('hung up before the ACK: the BYE waits for it (RFC 3261 §15)', () => {
  const bed = AgentBed.registered()
  const id = bed.offered()
  bed.do({ type: 'answer', id, sdp: 'a' })
  bed.do({ type: 'end', id, reason: hungUp })
  assert.equal(bed.lines, ['180', '200'])
  assert.equal(bed.event('ended').reason, hungUp)
  bed.inDialog('ACK', 1)
  assert.is(bed.lines.at(-1), 'BYE')
})

test('the line is gone for good: what rings ends after the time the switch waits for us', () => {
  const bed = AgentBed.registered()
  bed.do({ type: 'dial', id: 'dialled', uri: 'sip:2@voice.test', sdp: 'o', fields: [] })
  bed.offered()
  bed.clear()
  bed.do({ type: 'line-down' })
  bed.run(11_000)
  assert.equal(bed.events, [])
  bed.run(2_000)
  assert.equal(
    bed.reported.flatMap(event => (event.type === 'ended' ? [event.reason.cause] : [])),
    ['Connection lost', 'Connection lost'],
  )
  assert.equal(bed.lines, [])
})

test('the line is back, but the switch knows nothing of what rang: it ends some seconds later', () => {
  const bed = AgentBed.registered()
  bed.do({ type: 'dial', id: 'dialled', uri: 'sip:2@voice.test', sdp: 'o', fields: [] })
  bed.offered()
  bed.clear()
  back(bed)
  bed.run(6_000)
  assert.equal(
    bed.reported.flatMap(event => (event.type === 'ended' ? [event.reason.cause] : [])),
    ['Connection lost', 'Connection lost'],
  )
})

test('a call that rings here lives through a new line: the fork gets 482, the first INVITE is answered (RFC 5626, 3261 §8.2.2.2)', () => {
  const bed = AgentBed.registered()
  const id = bed.offered()
  back(bed)
  bed.clear()
  forked(bed)
  assert.equal(bed.lines, ['482', '180'])
  assert.equal(bed.events, [], 'it is no second call')
  bed.run(60_000)
  bed.do({ type: 'answer', id, sdp: 'ours' })
  assert.is(bed.lines.at(-1), '200')
  assert.match(headerOf(bed.response(), 'Via') ?? '', /branch=z9hG4bKin-1/, 'the answer to the first INVITE')
})

test('answered or declined while the line is down: said on the next one', () => {
  const answered = AgentBed.registered()
  const id = answered.offered()
  answered.do({ type: 'line-down' })
  answered.do({ type: 'answer', id, sdp: 'ours' })
  answered.clear()
  back(answered)
  forked(answered)
  assert.equal(answered.lines.slice(-2), ['482', '200'])

  const declined = AgentBed.registered()
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
  const bed = AgentBed.registered()
  bed.do({ type: 'dial', id: 'c', uri: 'sip:2@voice.test', sdp: 'o', fields: [] })
  bed.reply(180, 'Ringing', {}, 'INVITE')
  const before = bed.request('INVITE')
  bed.clear()
  back(bed)
  assert.equal(bed.lines, ['REGISTER', 'INVITE'])
  assert.equal(bed.request('INVITE'), before)
  bed.reply(180, 'Ringing', {}, 'INVITE')
  bed.run(60_000)
  assert.not(bed.events.includes('ended'))
  bed.reply(200, 'OK', { sdp: 'answer' }, 'INVITE')
  assert.is(bed.event('answered').sdp, 'answer')
})

test('given up while the line is down: the CANCEL waits for the next one', () => {
  const bed = AgentBed.registered()
  bed.do({ type: 'dial', id: 'c', uri: 'sip:2@voice.test', sdp: 'o', fields: [] })
  bed.reply(180, 'Ringing', {}, 'INVITE')
  bed.clear()
  bed.do({ type: 'line-down' })
  bed.do({ type: 'end', id: 'c', reason: hungUp })
  assert.is(bed.event('ended').id, 'c')
  assert.equal(bed.lines, [])
  back(bed)
  assert.equal(bed.lines, ['REGISTER', 'CANCEL'])
})

test('given up before the first provisional, then the line is lost: the call is not placed on the next one', () => {
  for (const isLost of ['before', 'after']) {
    const bed = AgentBed.registered()
    bed.do({ type: 'dial', id: 'c', uri: 'sip:2@voice.test', sdp: 'o', fields: [] })
    if (isLost === 'before') bed.do({ type: 'line-down' })
    bed.do({ type: 'end', id: 'c', reason: hungUp })
    const invite = bed.request('INVITE')
    bed.clear()
    back(bed)
    assert.equal(bed.lines, ['REGISTER', 'CANCEL'], `the line is lost ${isLost} the person gives up`)
    assert.is(headerOf(bed.request('CANCEL'), 'Via'), headerOf(invite, 'Via'))
    bed.reply(481, 'Call/Transaction Does Not Exist', {}, 'CANCEL')
    bed.clear()
    bed.run(100_000)
    assert.equal(bed.lines, [])
  }
})

test("a call's sid: of an INVITE from the start, of our own from the first answer that has it", () => {
  const bed = AgentBed.registered()
  bed.offered({ sdp: 'o', headers: { 'X-Voice-Call-Sid': 'CA1' } })
  assert.is(bed.event('offered').sid, 'CA1')
  bed.do({ type: 'dial', id: 'c', uri: 'sip:2@voice.test', sdp: 'o', fields: [] })
  bed.reply(180, 'Ringing', { headers: { 'X-Voice-Call-Sid': 'CA2' } }, 'INVITE')
  bed.reply(200, 'OK', { sdp: 'a', headers: { 'X-Voice-Call-Sid': 'CA2' } }, 'INVITE')
  assert.equal(
    bed.reported.filter(event => event.type === 'named'),
    [{ type: 'named', id: 'c', sid: 'CA2' }],
  )
})

test('the line drops: what stands goes on, a BYE waits for the next line', () => {
  const bed = AgentBed.registered()
  bed.call('stands')
  const stands = bed.request('INVITE')
  bed.clear()
  bed.do({ type: 'line-down' })
  bed.do({ type: 'end', id: 'stands', reason: hungUp })
  assert.is(bed.event('ended').id, 'stands')
  assert.equal(bed.lines, [])
  bed.run(5_000)
  bed.do({ type: 'line-up' })
  assert.equal(bed.lines.sort(), ['BYE', 'REGISTER'])
  assert.is(headerOf(bed.request('BYE'), 'Call-ID'), headerOf(stands, 'Call-ID'))
})

test('dialling without a line fails at once', () => {
  const bed = AgentBed.registered()
  bed.do({ type: 'line-down' })
  bed.do({ type: 'dial', id: 'c', uri: 'sip:1@voice.test', sdp: 'o', fields: [] })
  assert.is(bed.event('ended').reason.cause, 'Connection lost')
})

test('outside of calls: OPTIONS 200, others 405, unknown dialogs 481, 100rel wanted 420, the ninth call 486', () => {
  const bed = AgentBed.registered()
  const outside = { from: '<sip:s@voice.test>;tag=x', to: '<sip:1001@voice.test>', callId: 'o', cseq: 1 }
  bed.receive(requestOf('OPTIONS', outside))
  assert.is(bed.response().status, 200)
  assert.match(headerOf(bed.response(), 'Allow') ?? '', /INVITE/)
  bed.receive(requestOf('MESSAGE', outside))
  assert.is(bed.response().status, 405)
  bed.receive(requestOf('BYE', { ...outside, to: `${outside.to};tag=nobody` }))
  assert.is(bed.response().status, 481)
  bed.receive(requestOf('INVITE', { ...outside, callId: 'r' }, { sdp: 'o', headers: { Require: '100rel' } }))
  assert.is(bed.response().status, 420)
  for (let call = 0; call < 8; call++) bed.offered({ sdp: 'o' }, `many-${call}`)
  assert.is(bed.response().status, 180)
  bed.receive(requestOf('INVITE', { ...outside, callId: 'ninth' }, { sdp: 'o' }))
  assert.is(bed.response().status, 486)
})

test('a repeated INVITE does not ring twice; keep-alives are reported; junk is dropped', () => {
  const bed = AgentBed.registered()
  bed.offered()
  bed.offered()
  assert.is(bed.events.filter(type => type === 'offered').length, 1)
  bed.clear()
  bed.receive(new TextEncoder().encode('\r\n'))
  assert.equal(bed.events, ['pong'])
  bed.receive(new TextEncoder().encode('GET / HTTP/1.1\r\n\r\n'))
  bed.receive(new TextEncoder().encode('SIP/2.0 200 OK\r\nVia: x\r\n\r\n'))
  bed.receive(new TextEncoder().encode('INVITE sip:x SIP/2.0\r\nCSeq: 1 BYE\r\n\r\n'))
  bed.receive(Uint8Array.from({ length: 300 }, (_, at) => (at * 37) & 255))
  assert.equal([bed.lines, bed.events], [[], ['pong']])
})

test.run()
