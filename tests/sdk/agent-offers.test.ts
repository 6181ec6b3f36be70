import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { headerOf } from '../../sip/index.ts'
import { AgentBed } from './bed/agent-bed.ts'
import { bodyOf } from './bed/switch-side.ts'

const target = { headers: { Contact: '<sip:sauti@switch.test;transport=ws>' } }

test('an INVITE without an offer is answered with ours, and the ACK brings the answer', () => {
  const bed = AgentBed.registered()
  const id = bed.offered({})
  assert.is(bed.event('offered').sdp, undefined)
  bed.do({ type: 'answer', id, sdp: 'our offer' })
  bed.inDialog('ACK', 1, { sdp: 'their answer' })
  assert.equal(bed.event('confirmed'), { type: 'confirmed', id, sdp: 'their answer' })
})

test('re-INVITE of ours: answered, refused, withdrawn by the line', () => {
  const bed = AgentBed.registered()
  bed.call()
  bed.do({ type: 'reoffer', id: 'c1', sdp: 'hold' })
  assert.is(bodyOf(bed.request('INVITE')), 'hold')
  assert.is(headerOf(bed.request('INVITE'), 'Authorization'), undefined, 'the token is not shown within a dialog')
  bed.reply(200, 'OK', { ...target, sdp: 'held' })
  assert.equal(bed.event('reoffer-answered'), { type: 'reoffer-answered', id: 'c1', sdp: 'held' })
  bed.do({ type: 'reoffer', id: 'c1', sdp: 'again' })
  bed.reply(488, 'Not Acceptable Here')
  assert.equal(bed.event('reoffer-refused'), { type: 'reoffer-refused', id: 'c1', status: 488 })
  bed.do({ type: 'reoffer', id: 'c1', sdp: 'again' })
  bed.do({ type: 'line-down' })
  assert.is(bed.event('reoffer-refused').status, 0)
  assert.not(bed.events.includes('ended'))
})

test('re-INVITE challenged with 401 is sent again with the token', () => {
  const bed = AgentBed.registered()
  bed.call()
  bed.do({ type: 'reoffer', id: 'c1', sdp: 'hold' })
  bed.reply(401, 'Unauthorized')
  assert.is(headerOf(bed.request('INVITE'), 'Authorization'), 'Bearer TOKEN')
  assert.is(bodyOf(bed.request('INVITE')), 'hold')
  bed.reply(200, 'OK', { ...target, sdp: 'held' })
  assert.is(bed.event('reoffer-answered').sdp, 'held')
})

for (const status of [481, 408]) {
  test(`${status} to a re-INVITE ends the call (RFC 3261 §12.2.1.2)`, () => {
    const bed = AgentBed.registered()
    bed.call()
    bed.do({ type: 'reoffer', id: 'c1', sdp: 'hold' })
    bed.reply(status, 'Gone')
    assert.is(bed.event('ended').reason.status, status)
    assert.is(bed.lines.at(-1), 'BYE')
  })
}

test('re-INVITE and UPDATE of theirs: offered, answered, refused; UPDATE without an offer is answered at once', () => {
  const bed = AgentBed.registered()
  bed.call()
  bed.inPlaced('INVITE', 10, { sdp: 'new offer' })
  assert.equal(bed.event('reoffered'), { type: 'reoffered', id: 'c1', sdp: 'new offer' })
  bed.do({ type: 'reanswer', id: 'c1', sdp: 'new answer' })
  assert.is(bodyOf(bed.response()), 'new answer')
  bed.inPlaced('ACK', 10)
  bed.inPlaced('UPDATE', 11, { sdp: 'update offer' })
  bed.do({ type: 'reanswer', id: 'c1', sdp: 'update answer' })
  assert.is(bodyOf(bed.response()), 'update answer')
  bed.inPlaced('UPDATE', 12)
  assert.is(bed.response().status, 200)
  bed.inPlaced('INVITE', 13, { sdp: 'bad' })
  bed.do({ type: 'refuse-reoffer', id: 'c1', status: 488 })
  assert.is(bed.response().status, 488)
  bed.inPlaced('INVITE', 13, { sdp: 'old number' })
  assert.is(bed.response().status, 500)
  bed.inPlaced('INFO', 14)
  assert.is(bed.response().status, 200)
})

test('both offer at once: theirs gets 491, and while theirs is open ours is refused', () => {
  const bed = AgentBed.registered()
  bed.call()
  bed.do({ type: 'reoffer', id: 'c1', sdp: 'ours' })
  bed.inPlaced('INVITE', 10, { sdp: 'theirs' })
  assert.is(bed.response().status, 491)
  bed.reply(491, 'Request Pending', {}, 'INVITE')
  assert.is(bed.event('reoffer-refused').status, 491)
  bed.inPlaced('INVITE', 11, { sdp: 'theirs' })
  bed.do({ type: 'reoffer', id: 'c1', sdp: 'ours' })
  assert.is(bed.event('reoffer-refused').status, 491)
  bed.inPlaced('INVITE', 12, { sdp: 'theirs again' })
  assert.is(bed.response().status, 500)
})

test('until our 2xx has its ACK: a re-INVITE gets 491, an UPDATE with an offer is taken (RFC 3311 §5.2)', () => {
  const bed = AgentBed.registered()
  const id = bed.offered({ sdp: 'their offer' })
  bed.do({ type: 'answer', id, sdp: 'our answer' })
  bed.inDialog('INVITE', 2, { sdp: 'too soon' })
  assert.is(bed.response().status, 491)
  bed.do({ type: 'reoffer', id, sdp: 'ours' })
  assert.equal(bed.event('reoffer-refused'), { type: 'reoffer-refused', id, status: 491 })
  bed.inDialog('UPDATE', 3, { sdp: 'update offer' })
  assert.equal(bed.event('reoffered'), { type: 'reoffered', id, sdp: 'update offer' })
  bed.do({ type: 'reanswer', id, sdp: 'update answer' })
  assert.is(bodyOf(bed.response()), 'update answer')
})

test.run()
