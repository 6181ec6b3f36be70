import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { headerOf } from '../../../../sip/message/headers.ts'
import { answer, causeOf, dialTo, offer, pair, reason, types, what } from '../../bed/call-bed.ts'
import { bed, us } from '../../bed/dialog-bed.ts'
import { leavesNothing } from '../../bed/leaves-nothing.ts'
import { tagOfTo } from '../../bed/scripted-peer.ts'

test('refused: the status, the Q.850 cause and our code arrive', () => {
  const { net, a, b, dial, sent, idB } = pair()
  dial()
  net.run(100)
  b.do({ type: 'end', id: idB(), reason: { status: 486, q850: 17, text: 'Busy', code: 'END.0486' } })
  net.run(100)
  assert.equal(sent(), ['1 INVITE', '2 100', '2 486', '1 ACK'])
  assert.equal(causeOf(a), { kind: 'response', status: 486, q850: 17 })
  const refusal = net.trace[2]?.packet.message
  assert.is(refusal && headerOf(refusal, 'X-Voice-Reason-Code'), 'END.0486')
  assert.is(refusal && headerOf(refusal, 'Reason'), 'Q.850;cause=17;text="Busy"')
  leavesNothing(net, a, b)
})

test('CANCEL waits for a provisional (RFC 3261 §9.1), then ends the call on both sides', () => {
  const { net, a, b, dial, sent } = pair(1, { pass: (packet, at) => what(packet.message) !== '100' || at > 450 })
  dial()
  net.run(50)
  a.do({ type: 'end', id: 'call', reason })
  net.run(300)
  assert.equal(sent(), ['1 INVITE', '2 100'], 'nothing while no provisional came')
  net.run(1000)
  assert.equal(sent().slice(2), ['1 INVITE', '2 100', '1 CANCEL', '2 200', '2 487', '1 ACK'])
  assert.equal(causeOf(a), { kind: 'response', status: 487 })
  assert.equal(causeOf(b), { kind: 'cancel' })
  leavesNothing(net, a, b)
})

test('phones that rang while another answered get that reason in the CANCEL, and in the BYE when they answered too (RFC 3326)', () => {
  for (const crosses of [false, true]) {
    const { net, a, b, dial, idB } = pair()
    dial()
    net.run(100)
    if (crosses) b.do({ type: 'answer', id: idB(), sdp: answer })
    a.do({ type: 'end', id: 'call', reason: { ...reason, isAnsweredElsewhere: true } })
    net.run(500)
    const reported = net.trace.filter(({ packet: { message } }) => ['CANCEL', 'BYE'].includes(what(message)))
    assert.equal(
      reported.map(({ packet: { message } }) => [what(message), headerOf(message, 'Reason')]),
      (crosses ? ['CANCEL', 'BYE'] : ['CANCEL']).map(name => [name, 'SIP;cause=200;text="Call completed elsewhere"']),
    )
    leavesNothing(net, a, b)
  }
})

test('an answer that crosses the CANCEL is acknowledged and hung up', () => {
  const { net, a, b, dial, sent, idB } = pair()
  dial()
  net.run(100)
  b.do({ type: 'answer', id: idB(), sdp: answer })
  a.do({ type: 'end', id: 'call', reason })
  net.run(500)
  assert.equal(sent(), ['1 INVITE', '2 100', '2 200', '1 CANCEL', '1 ACK', '1 BYE', '2 200', '2 200'])
  assert.not.ok(types(a).includes('answered'))
  assert.equal(causeOf(a), { kind: 'bye' })
  assert.is(causeOf(b)?.kind, 'bye')
  leavesNothing(net, a, b)
})

test('an answer instead of a provisional to an abandoned INVITE is acknowledged and hung up', () => {
  const { net, a, b, dial, idB } = pair(1, { pass: packet => what(packet.message) !== '100' })
  dial()
  net.run(15)
  a.do({ type: 'end', id: 'call', reason })
  b.do({ type: 'answer', id: idB(), sdp: answer })
  net.run(500)
  assert.equal(causeOf(a), { kind: 'bye' })
  leavesNothing(net, a, b)
})

test('no answer at all: Timer B, and the end of an abandoned call', () => {
  for (const abandon of [false, true]) {
    const { net, a, b, dial } = pair(1, { pass: () => false })
    dial()
    net.run(5)
    if (abandon) a.do({ type: 'end', id: 'call', reason })
    net.run(40_000)
    assert.equal(causeOf(a), { kind: 'timeout' })
    leavesNothing(net, a, b)
  }
})

test('no final response to a cancelled INVITE: over after 64 × T1', () => {
  const { net, a, b, dial } = pair(1, {
    pass: ({ message }) => what(message) !== '487' && what(message) !== '200' && what(message) !== 'CANCEL',
  })
  dial()
  net.run(100)
  a.do({ type: 'end', id: 'call', reason })
  net.run(33_000)
  assert.equal(causeOf(a), { kind: 'timeout' })
  b.do({ type: 'end', id: b.events[0]?.id ?? '', reason })
  net.rules = {}
  leavesNothing(net, a, b)
})

test('a peer that rings and never answers the CANCEL: nothing is left of the INVITE', () => {
  const { net, a, b, dial, sent } = pair()
  dial()
  net.run(100)
  assert.ok(sent().includes('2 100'))
  net.rules = { pass: () => false }
  a.do({ type: 'end', id: 'call', reason })
  net.run(33_000)
  assert.equal(causeOf(a), { kind: 'timeout' })
  b.do({ type: 'end', id: b.events[0]?.id ?? '', reason })
  leavesNothing(net, a)
})

test('a peer that rings after it was given up, and never answers the CANCEL: nothing is left of the INVITE', () => {
  const { net, a, b, dial, idB } = pair(1, {
    pass: ({ message }, at) => at >= 10_000 && what(message) !== '487' && what(message) !== '200',
  })
  dial()
  net.run(20_000)
  assert.equal(causeOf(a), { kind: 'timeout' })
  net.rules = { pass: () => false }
  b.do({ type: 'end', id: idB(), reason })
  leavesNothing(net, a)
})

test('a name that cannot be resolved is unreachable', () => {
  const { net, a } = pair()
  const target = { ...dialTo('x'), hop: { host: 'nowhere.invalid', port: undefined, transport: undefined } }
  a.do({ type: 'dial', id: 'x', target, from: { user: '1' }, sdp: offer })
  net.run(10)
  assert.equal(causeOf(a, 'x'), { kind: 'unreachable' })
  leavesNothing(net, a)
})

test('a peer that keeps silent is given up after five copies, so that another can be tried', () => {
  const { net, a, sent } = pair(1, { pass: () => false })
  a.do({ type: 'dial', id: 'call', target: dialTo('192.0.2.2'), from: { user: '1' }, sdp: offer })
  net.run(7_999)
  assert.equal(types(a), [])
  net.run(2)
  assert.equal(causeOf(a), { kind: 'timeout' })
  assert.equal(sent(), Array(5).fill('1 INVITE'))
  leavesNothing(net, a)
})

test('a peer that speaks after it was given up is cancelled', () => {
  const { net, a, b, dial, sent, idB } = pair(1, { pass: (_packet, at) => at >= 10_000 })
  dial()
  net.run(20_000)
  assert.equal(causeOf(a), { kind: 'timeout' })
  assert.ok(sent().includes('1 CANCEL'), `${sent()}`)
  b.do({ type: 'end', id: idB(), reason })
  net.run(1000)
  assert.equal(causeOf(b), { kind: 'cancel' })
  leavesNothing(net, a, b)
})

test('an INVITE that has no final response when its Expires is over gets 487 (RFC 3261 §13.3.1)', () => {
  for (const [expires, isOver] of [
    ['2', true],
    [' 2 ', true],
    ['60', false],
    ['0', false],
    ['soon', false],
  ] as const) {
    const { net, station, peer } = bed()
    peer.request('INVITE', us, 1, { body: 'offer', headers: [`Expires: ${expires}`] })
    const id = station.events[0]?.id ?? ''
    station.do({ type: 'ring', id })
    net.run(1_900)
    assert.equal(peer.statuses, [100, 180], expires)
    net.run(200)
    assert.equal(peer.statuses, isOver ? [100, 180, 487] : [100, 180], expires)
    assert.equal(causeOf(station, id), isOver ? { kind: 'cancel' } : undefined)
    peer.request('ACK', us, 1, { toTag: tagOfTo(peer.lastResponse()) })
    station.do({ type: 'end', id, reason })
    leavesNothing(net, station)
  }
})

test('an answer ends what Expires has begun', () => {
  const { net, station, peer, answered } = bed()
  const { id, toTag } = answered({ headers: ['Expires: 1'] })
  net.run(5_000)
  assert.is(causeOf(station, id), undefined)
  peer.request('BYE', us, 2, { toTag })
  assert.equal(causeOf(station, id), { kind: 'bye' })
  leavesNothing(net, station)
})

test.run()
