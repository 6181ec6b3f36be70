import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CallCause, CallEvent } from '../../sip/endpoint/call-event.ts'
import { headerOf } from '../../sip/message/headers.ts'
import type { SipMessage } from '../../sip/message/message.ts'
import { type LinkRules, type Station, VirtualNetwork } from './virtual-network.ts'

const words = { status: 603, q850: 16, text: 'Completed', code: 'END.0200' }
const dialTo = (address: string) => ({
  uri: `sip:+254700000001@${address}`,
  hop: { host: address, port: 5060, transport: 'udp' as const },
  username: '',
  password: '',
})
const offer = 'v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\n'
const answer = 'v=0\r\no=- 2 2 IN IP4 192.0.2.2\r\ns=-\r\n'

const what = (message: SipMessage) => (message.kind === 'request' ? message.method : String(message.status))

function pair(seed = 1, rules: LinkRules = {}) {
  const net = new VirtualNetwork(seed, rules)
  const a = net.station('192.0.2.1', [{ inboundHosts: ['192.0.2.0/24'] }])
  const b = net.station('192.0.2.2', [{ inboundHosts: ['192.0.2.0/24'] }])
  const dial = (id = 'call') =>
    a.do({ type: 'dial', id, target: dialTo('192.0.2.2'), from: { user: '+254711000001' }, sdp: offer })
  const sent = () => net.trace.map(({ packet }) => `${packet.from.slice(-1)} ${what(packet.message)}`)
  const idB = () => b.events.find(event => event.type === 'offered')?.id ?? ''
  return { net, a, b, dial, sent, idB }
}

const types = (station: Station) => station.events.map(event => event.type)
const causeOf = (station: Station, id?: string): CallCause | undefined => {
  const ended = station.events.filter(event => event.type === 'ended' && (id === undefined || event.id === id))
  assert.ok(ended.length <= 1, 'ended comes once')
  return ended[0]?.type === 'ended' ? ended[0].cause : undefined
}

function leavesNothing(net: VirtualNetwork, ...stations: Station[]) {
  net.run(200_000)
  for (const { endpoint } of stations) {
    assert.is(endpoint.layer.clientCount, 0, 'client transactions')
    assert.is(endpoint.layer.serverCount, 0, 'server transactions')
    assert.is(endpoint.callCount, 0, 'calls')
    assert.is(endpoint.tagCount, 0, 'dialogs')
    assert.is(endpoint.timers.size, 0, 'timers')
  }
}

test('a call: INVITE, 180, 200, ACK, BYE from the caller', () => {
  const { net, a, b, dial, sent, idB } = pair()
  dial()
  net.run(100)
  b.do({ type: 'ring', id: idB() })
  net.run(100)
  b.do({ type: 'answer', id: idB(), sdp: answer })
  net.run(100)
  a.do({ type: 'end', id: 'call', words })
  net.run(100)
  assert.equal(sent(), ['1 INVITE', '2 100', '2 180', '2 200', '1 ACK', '1 BYE', '2 200'])
  assert.equal(types(a), ['ringing', 'answered', 'ended'])
  assert.equal(types(b), ['offered', 'confirmed', 'ended'])
  assert.equal(causeOf(b), { kind: 'bye', q850: 16 })
  const offered = b.events[0]
  assert.ok(offered?.type === 'offered')
  assert.is(offered.to, '+254700000001')
  assert.is(offered.from.user, '+254711000001')
  assert.is(offered.sdp, offer)
  leavesNothing(net, a, b)
})

test('Max-Forwards goes out as it is asked for, 70 by itself, and is told of a call that comes in', () => {
  for (const maxForwards of [undefined, 0, 33]) {
    const { net, a, b } = pair()
    const more = maxForwards === undefined ? {} : { maxForwards }
    a.do({ type: 'dial', id: 'c', target: dialTo('192.0.2.2'), from: { user: '1' }, sdp: offer, ...more })
    net.run(100)
    const [offered] = b.events
    assert.is(offered?.type === 'offered' && offered.peerId !== undefined && offered.maxForwards, maxForwards ?? 70)
    a.do({ type: 'end', id: 'c', words })
    leavesNothing(net, a, b)
  }
})

test('a call that the callee hangs up, with early media', () => {
  const { net, a, b, dial, sent, idB } = pair()
  dial()
  net.run(100)
  b.do({ type: 'progress', id: idB(), sdp: answer })
  net.run(100)
  b.do({ type: 'answer', id: idB(), sdp: answer })
  net.run(100)
  b.do({ type: 'end', id: idB(), words })
  net.run(100)
  assert.equal(sent(), ['1 INVITE', '2 100', '2 183', '2 200', '1 ACK', '2 BYE', '1 200'])
  assert.equal(types(a), ['early', 'answered', 'ended'])
  leavesNothing(net, a, b)
})

test('refused: the status, the Q.850 cause and our code arrive', () => {
  const { net, a, b, dial, sent, idB } = pair()
  dial()
  net.run(100)
  b.do({ type: 'end', id: idB(), words: { status: 486, q850: 17, text: 'Busy', code: 'END.0486' } })
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
  a.do({ type: 'end', id: 'call', words })
  net.run(300)
  assert.equal(sent(), ['1 INVITE', '2 100'], 'nothing while no provisional came')
  net.run(1000)
  assert.equal(sent().slice(2), ['1 INVITE', '2 100', '1 CANCEL', '2 200', '2 487', '1 ACK'])
  assert.equal(causeOf(a), { kind: 'response', status: 487 })
  assert.equal(causeOf(b), { kind: 'cancel' })
  leavesNothing(net, a, b)
})

test('whoever rang while another answered is told so by the CANCEL, and by the BYE when it answered too (RFC 3326)', () => {
  for (const crosses of [false, true]) {
    const { net, a, b, dial, idB } = pair()
    dial()
    net.run(100)
    if (crosses) b.do({ type: 'answer', id: idB(), sdp: answer })
    a.do({ type: 'end', id: 'call', words: { ...words, isAnsweredElsewhere: true } })
    net.run(500)
    const told = net.trace.filter(({ packet: { message } }) => ['CANCEL', 'BYE'].includes(what(message)))
    assert.equal(
      told.map(({ packet: { message } }) => [what(message), headerOf(message, 'Reason')]),
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
  a.do({ type: 'end', id: 'call', words })
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
  a.do({ type: 'end', id: 'call', words })
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
    if (abandon) a.do({ type: 'end', id: 'call', words })
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
  a.do({ type: 'end', id: 'call', words })
  net.run(33_000)
  assert.equal(causeOf(a), { kind: 'timeout' })
  b.do({ type: 'end', id: b.events[0]?.id ?? '', words })
  net.rules = {}
  leavesNothing(net, a, b)
})

test('a name that cannot be resolved is unreachable', () => {
  const { net, a } = pair()
  const target = { ...dialTo('x'), hop: { host: 'nowhere.invalid', port: undefined, transport: undefined } }
  a.do({ type: 'dial', id: 'x', target, from: { user: '1' }, sdp: offer })
  net.run(10)
  assert.equal(causeOf(a, 'x'), { kind: 'unreachable' })
  leavesNothing(net, a)
})

test('the 2xx is repeated until the ACK; the ACK comes again for each copy', () => {
  let lost = 0
  const { net, a, b, dial, sent, idB } = pair(1, { pass: ({ message }) => what(message) !== 'ACK' || ++lost > 2 })
  dial()
  net.run(100)
  b.do({ type: 'answer', id: idB(), sdp: answer })
  net.run(5000)
  assert.is(sent().filter(line => line === '2 200').length, 3)
  assert.is(sent().filter(line => line === '1 ACK').length, 3)
  assert.ok(types(b).includes('confirmed'))
  a.do({ type: 'end', id: 'call', words })
  leavesNothing(net, a, b)
})

test('never acknowledged: BYE after 64 × T1', () => {
  const { net, a, b, dial, idB } = pair(1, { pass: ({ message }) => what(message) !== 'ACK' })
  dial()
  net.run(100)
  b.do({ type: 'answer', id: idB(), sdp: answer })
  net.run(40_000)
  assert.equal(causeOf(b), { kind: 'timeout' })
  assert.is(causeOf(a)?.kind, 'bye')
  leavesNothing(net, a, b)
})

test('hung up before the ACK: the BYE waits for it (RFC 3261 §15)', () => {
  let lost = 0
  const { net, a, b, dial, sent, idB } = pair(1, { pass: ({ message }) => what(message) !== 'ACK' || ++lost > 1 })
  dial()
  net.run(100)
  b.do({ type: 'answer', id: idB(), sdp: answer })
  net.run(100)
  b.do({ type: 'end', id: idB(), words })
  assert.not.ok(sent().includes('2 BYE'))
  net.run(2000)
  assert.ok(sent().includes('2 BYE'))
  assert.equal(causeOf(b), { kind: 'bye' })
  leavesNothing(net, a, b)
})

function talking(seed = 1) {
  const bed = pair(seed)
  bed.dial()
  bed.net.run(100)
  bed.b.do({ type: 'answer', id: bed.idB(), sdp: answer })
  bed.net.run(100)
  return bed
}

test('re-INVITE both ways, answered and refused', () => {
  const { net, a, b, idB } = talking()
  b.onEvent = event => event.type === 'reoffered' && b.do({ type: 'reanswer', id: event.id, sdp: 'b2' })
  a.do({ type: 'reoffer', id: 'call', sdp: 'a2' })
  net.run(500)
  assert.equal(a.events.at(-1), { type: 'reoffer-answered', id: 'call', sdp: 'b2', at: a.events.at(-1)?.at })
  a.onEvent = event => event.type === 'reoffered' && a.do({ type: 'refuse-reoffer', id: event.id })
  b.do({ type: 'reoffer', id: idB(), sdp: 'b3' })
  net.run(500)
  const refused = b.events.at(-1)
  assert.ok(refused?.type === 'reoffer-refused' && refused.status === 488)
  a.do({ type: 'end', id: 'call', words })
  leavesNothing(net, a, b)
})

test('glare: both get 491, the owner of the Call-ID waits 2.1 to 4 s, the other up to 2 s (§14.1)', () => {
  const { net, a, b, idB, sent } = talking(3)
  const answers = (station: Station) => (event: CallEvent) => {
    if (event.type === 'reoffered') station.do({ type: 'reanswer', id: event.id, sdp: 'ok' })
  }
  a.onEvent = answers(a)
  b.onEvent = answers(b)
  a.do({ type: 'reoffer', id: 'call', sdp: 'a2' })
  b.do({ type: 'reoffer', id: idB(), sdp: 'b2' })
  net.run(100)
  assert.is(sent().filter(line => line.endsWith('491')).length, 2)
  net.run(10_000)
  assert.ok(a.events.some(event => event.type === 'reoffer-answered'))
  assert.ok(b.events.some(event => event.type === 'reoffer-answered'))
  a.do({ type: 'end', id: 'call', words })
  leavesNothing(net, a, b)
})

test('calls over a lossy, reordering, duplicating network end on both sides and leave nothing', () => {
  for (let seed = 1; seed <= 120; seed++) {
    const { net, a, b } = pair(seed, { loss: 0.25, duplication: 0.2, jitterMs: 700, delayMs: 5 })
    const end = (station: Station, id: string) => station.do({ type: 'end', id, words })
    b.onEvent = event => {
      if (event.type !== 'offered') return
      const { id } = event
      net.later(100, () => b.do({ type: 'ring', id }))
      if (seed % 5 === 1) net.later(2500, () => end(b, id))
      else net.later(2000, () => b.do({ type: 'answer', id, sdp: answer }))
      if (seed % 5 === 2) net.later(2100, () => end(b, id))
      if (seed % 5 === 3) net.later(9000, () => end(b, id))
      if (seed % 7 === 3) net.later(4000, () => b.do({ type: 'reoffer', id, sdp: 'b2' }))
      net.later(90_000, () => end(b, id))
    }
    for (const station of [a, b]) {
      const other = station.onEvent
      station.onEvent = event => {
        other?.(event)
        if (event.type === 'reoffered') station.do({ type: 'reanswer', id: event.id, sdp: answer })
      }
    }
    a.do({ type: 'dial', id: 'call', target: dialTo('192.0.2.2'), from: { user: '1' }, sdp: offer })
    if (seed % 3 === 0) net.later(1900, () => end(a, 'call'))
    net.later(20_000, () => end(a, 'call'))
    net.run(120_000)
    assert.ok(causeOf(a) !== undefined, `seed ${seed}: the caller's leg ended`)
    for (const event of b.events) if (event.type === 'offered') assert.ok(causeOf(b, event.id), `seed ${seed}`)
    leavesNothing(net, a, b)
  }
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
  b.do({ type: 'end', id: idB(), words })
  net.run(1000)
  assert.equal(causeOf(b), { kind: 'cancel' })
  leavesNothing(net, a, b)
})

test.run()
