import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CallEvent } from '../../../../sip/endpoint/services/call-event.ts'
import { answer, causeOf, dialTo, offer, pair, reason, talking, types, what } from '../../bed/call-bed.ts'
import { leavesNothing } from '../../bed/leaves-nothing.ts'
import type { Station } from '../../bed/virtual-network.ts'

test('a call: INVITE, 180, 200, ACK, BYE from the caller', () => {
  const { net, a, b, dial, sent, idB } = pair()
  dial()
  net.run(100)
  b.do({ type: 'ring', id: idB() })
  net.run(100)
  b.do({ type: 'answer', id: idB(), sdp: answer })
  net.run(100)
  a.do({ type: 'end', id: 'call', reason })
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

test('Max-Forwards is sent as ordered, 70 by default, and reported of an incoming call', () => {
  for (const maxForwards of [undefined, 0, 33]) {
    const { net, a, b } = pair()
    const more = maxForwards === undefined ? {} : { maxForwards }
    a.do({ type: 'dial', id: 'c', target: dialTo('192.0.2.2'), from: { user: '1' }, sdp: offer, ...more })
    net.run(100)
    const [offered] = b.events
    assert.is(offered?.type === 'offered' && offered.peerId !== undefined && offered.maxForwards, maxForwards ?? 70)
    a.do({ type: 'end', id: 'c', reason })
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
  b.do({ type: 'end', id: idB(), reason })
  net.run(100)
  assert.equal(sent(), ['1 INVITE', '2 100', '2 183', '2 200', '1 ACK', '2 BYE', '1 200'])
  assert.equal(types(a), ['early', 'answered', 'ended'])
  leavesNothing(net, a, b)
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
  a.do({ type: 'end', id: 'call', reason })
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
  b.do({ type: 'end', id: idB(), reason })
  assert.not.ok(sent().includes('2 BYE'))
  net.run(2000)
  assert.ok(sent().includes('2 BYE'))
  assert.equal(causeOf(b), { kind: 'bye' })
  leavesNothing(net, a, b)
})

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
  a.do({ type: 'end', id: 'call', reason })
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
  a.do({ type: 'end', id: 'call', reason })
  leavesNothing(net, a, b)
})

test('calls over a lossy, reordering, duplicating network end on both sides and leave nothing', () => {
  for (let seed = 1; seed <= 120; seed++) {
    const { net, a, b } = pair(seed, { loss: 0.25, duplication: 0.2, jitterMs: 700, delayMs: 5 })
    const end = (station: Station, id: string) => station.do({ type: 'end', id, reason })
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

test.run()
