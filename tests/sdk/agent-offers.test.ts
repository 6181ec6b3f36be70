import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { headerOf } from '../../sip/index.ts'
import { AgentBench } from './rig/agent-bench.ts'
import { bodyOf } from './rig/switch-side.ts'

const target = { headers: { Contact: '<sip:sauti@switch.test;transport=ws>' } }

test('an INVITE without an offer is answered with ours, and the ACK brings the answer', () => {
  const bench = AgentBench.registered()
  const id = bench.offered({})
  assert.is(bench.event('offered').sdp, undefined)
  bench.do({ type: 'answer', id, sdp: 'our offer' })
  bench.inDialog('ACK', 1, { sdp: 'their answer' })
  assert.equal(bench.event('confirmed'), { type: 'confirmed', id, sdp: 'their answer' })
})

test('re-INVITE of ours: answered, refused, withdrawn by the line', () => {
  const bench = AgentBench.registered()
  bench.call()
  bench.do({ type: 'reoffer', id: 'c1', sdp: 'hold' })
  assert.is(bodyOf(bench.request('INVITE')), 'hold')
  assert.is(headerOf(bench.request('INVITE'), 'Authorization'), undefined, 'the token is not shown within a dialog')
  bench.reply(200, 'OK', { ...target, sdp: 'held' })
  assert.equal(bench.event('reoffer-answered'), { type: 'reoffer-answered', id: 'c1', sdp: 'held' })
  bench.do({ type: 'reoffer', id: 'c1', sdp: 'again' })
  bench.reply(488, 'Not Acceptable Here')
  assert.equal(bench.event('reoffer-refused'), { type: 'reoffer-refused', id: 'c1', status: 488 })
  bench.do({ type: 'reoffer', id: 'c1', sdp: 'again' })
  bench.do({ type: 'line-down' })
  assert.is(bench.event('reoffer-refused').status, 0)
  assert.not(bench.events.includes('ended'))
})

test('re-INVITE challenged with 401 is sent again with the token', () => {
  const bench = AgentBench.registered()
  bench.call()
  bench.do({ type: 'reoffer', id: 'c1', sdp: 'hold' })
  bench.reply(401, 'Unauthorized')
  assert.is(headerOf(bench.request('INVITE'), 'Authorization'), 'Bearer TOKEN')
  assert.is(bodyOf(bench.request('INVITE')), 'hold')
  bench.reply(200, 'OK', { ...target, sdp: 'held' })
  assert.is(bench.event('reoffer-answered').sdp, 'held')
})

for (const status of [481, 408]) {
  test(`${status} to a re-INVITE ends the call (RFC 3261 §12.2.1.2)`, () => {
    const bench = AgentBench.registered()
    bench.call()
    bench.do({ type: 'reoffer', id: 'c1', sdp: 'hold' })
    bench.reply(status, 'Gone')
    assert.is(bench.event('ended').reason.status, status)
    assert.is(bench.lines.at(-1), 'BYE')
  })
}

test('re-INVITE and UPDATE of theirs: offered, answered, refused; UPDATE without an offer is answered at once', () => {
  const bench = AgentBench.registered()
  bench.call()
  bench.inPlaced('INVITE', 10, { sdp: 'new offer' })
  assert.equal(bench.event('reoffered'), { type: 'reoffered', id: 'c1', sdp: 'new offer' })
  bench.do({ type: 'reanswer', id: 'c1', sdp: 'new answer' })
  assert.is(bodyOf(bench.response()), 'new answer')
  bench.inPlaced('ACK', 10)
  bench.inPlaced('UPDATE', 11, { sdp: 'update offer' })
  bench.do({ type: 'reanswer', id: 'c1', sdp: 'update answer' })
  assert.is(bodyOf(bench.response()), 'update answer')
  bench.inPlaced('UPDATE', 12)
  assert.is(bench.response().status, 200)
  bench.inPlaced('INVITE', 13, { sdp: 'bad' })
  bench.do({ type: 'refuse-reoffer', id: 'c1', status: 488 })
  assert.is(bench.response().status, 488)
  bench.inPlaced('INVITE', 13, { sdp: 'old number' })
  assert.is(bench.response().status, 500)
  bench.inPlaced('INFO', 14)
  assert.is(bench.response().status, 200)
})

test('both offer at once: theirs gets 491, and while theirs is open ours is refused', () => {
  const bench = AgentBench.registered()
  bench.call()
  bench.do({ type: 'reoffer', id: 'c1', sdp: 'ours' })
  bench.inPlaced('INVITE', 10, { sdp: 'theirs' })
  assert.is(bench.response().status, 491)
  bench.reply(491, 'Request Pending', {}, 'INVITE')
  assert.is(bench.event('reoffer-refused').status, 491)
  bench.inPlaced('INVITE', 11, { sdp: 'theirs' })
  bench.do({ type: 'reoffer', id: 'c1', sdp: 'ours' })
  assert.is(bench.event('reoffer-refused').status, 491)
  bench.inPlaced('INVITE', 12, { sdp: 'theirs again' })
  assert.is(bench.response().status, 500)
})

test.run()
