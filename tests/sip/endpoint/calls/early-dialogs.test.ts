import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { headerOf } from '../../../../sip/message/headers.ts'
import type { SipRequest } from '../../../../sip/message/message.ts'
import { bed as calls, reason, us } from '../../bed/dialog-bed.ts'
import { leavesNothing } from '../../bed/leaves-nothing.ts'
import { tagOfTo, type Wants } from '../../bed/scripted-peer.ts'

// UPDATE before the answer to an INVITE (RFC 3311 §5.2, RFC 6337 §3.1.2).

const reliable = (rseq: number) => ['Require: 100rel', `RSeq: ${rseq}`]
const bodyOf = ({ body }: { readonly body: Uint8Array }) => new TextDecoder().decode(body)

/** A call that we dial, and what its forks ask of us. */
function dialled() {
  const all = calls()
  all.dial()
  const { net, station, peer } = all
  const invite = peer.lastRequest('INVITE')
  const ourTag = /;tag=([^;\s]+)/.exec(headerOf(invite, 'From') ?? '')?.[1] ?? ''
  const callId = headerOf(invite, 'Call-ID') ?? ''
  const progress = (status: number, tag: string, wants: Wants = {}) => {
    peer.respond(us, invite, status, { toTag: tag, ...wants })
    if (wants.headers !== undefined) peer.respond(us, peer.lastRequest('PRACK'), 200)
  }
  const ask = (method: string, cseq: number, tag: string, wants: Wants = {}) => {
    peer.request(method, us, cseq, { callId, fromTag: tag, toTag: ourTag, ...wants })
    return peer.statuses.at(-1)
  }
  const update = (cseq: number, tag: string, body?: string) =>
    ask('UPDATE', cseq, tag, body === undefined ? {} : { body })
  const does = (type: 'reanswer' | 'refuse-reoffer', sdp = 'our new answer') => {
    station.do(type === 'reanswer' ? { type, id: 'out', sdp } : { type, id: 'out' })
    net.run(50)
    return peer.lastResponse()
  }
  const answer = (tag: string, wants: Wants = {}) => {
    peer.respond(us, invite, 200, { toTag: tag, ...wants })
    const event = station.events.find(({ type }) => type === 'answered')
    return event?.type === 'answered' ? event : undefined
  }
  const hangUp = (): SipRequest => {
    station.do({ type: 'end', id: 'out', reason })
    net.run(50)
    const bye = peer.lastRequest('BYE')
    peer.respond(us, bye, 200)
    leavesNothing(net, station)
    return bye
  }
  return { ...all, invite, progress, ask, update, does, answer, hangUp }
}

test('after an answer in a reliable 183 an offer is answered, and what the 200 repeats is history', () => {
  const { station, peer, progress, update, does, answer, hangUp, types } = dialled()
  progress(183, 'one', { headers: reliable(7), body: 'early' })
  update(1, 'one', 'their new offer')
  const asked = station.events.at(-1)
  assert.ok(asked?.type === 'reoffered' && asked.sdp === 'their new offer')
  assert.is(update(2, 'one', 'and another'), 500, 'one at a time')
  assert.ok(headerOf(peer.lastResponse(), 'Retry-After') !== undefined)
  const ok = does('reanswer')
  assert.equal([ok.status, bodyOf(ok), headerOf(ok, 'CSeq')], [200, 'our new answer', '1 UPDATE'])
  assert.ok(headerOf(ok, 'Contact') !== undefined)
  progress(183, 'one', { body: 'early' })
  const answered = answer('one', { body: 'early' })
  assert.ok(answered)
  assert.is(answered?.sdp, undefined)
  assert.equal(types(), ['early', 'reoffered', 'ringing', 'answered'])
  assert.is(update(2, 'one'), 500, 'numbers go on')
  assert.is(update(3, 'one'), 200)
  update(4, 'one', 'a third offer')
  assert.is(does('reanswer').status, 200)
  assert.is(headerOf(hangUp(), 'CSeq'), '3 BYE')
})

test('while our offer has no answer an offer gets 491, and an UPDATE without one 200', () => {
  const rings: readonly Wants[] = [{}, { body: 'a preview' }, { headers: reliable(3) }]
  for (const wants of rings) {
    const { progress, update, answer, hangUp, peer, types } = dialled()
    progress(180, 'one', wants)
    assert.is(update(1, 'one', 'their offer'), 491)
    assert.is(update(2, 'one'), 200)
    assert.ok(headerOf(peer.lastResponse(), 'Contact') !== undefined)
    assert.is(answer('one', { body: 'answer' })?.sdp, 'answer')
    assert.not(types().includes('reoffered'))
    assert.is(update(2, 'one'), 500)
    assert.is(update(3, 'one'), 200)
    hangUp()
  }
})

test('an unknown dialog gets 481, as do requests that make no sense before the answer; digits and OPTIONS are taken', () => {
  const { progress, update, ask, types, answer, hangUp } = dialled()
  assert.is(update(1, 'one'), 481)
  progress(180, 'one')
  assert.is(update(1, 'two'), 481)
  assert.is(ask('BYE', 2, 'one'), 481)
  assert.is(ask('OPTIONS', 3, 'one'), 200)
  const digit = { body: 'Signal=5\r\nDuration=100\r\n', type: 'application/dtmf-relay' }
  assert.is(ask('INFO', 4, 'one', digit), 200)
  assert.equal(types(), ['ringing', 'digit'])
  answer('one', { body: 'answer' })
  hangUp()
})

test('an offer that media cannot use is refused, and the call goes on as it was', () => {
  const { progress, update, does, answer, hangUp } = dialled()
  progress(183, 'one', { headers: reliable(7), body: 'early' })
  update(1, 'one', 'video')
  assert.is(does('refuse-reoffer').status, 488)
  assert.is(answer('one')?.sdp, 'early')
  hangUp()
})

test('an offer that waits when the 200 comes is answered in the dialog that this makes', () => {
  const { progress, update, does, answer, hangUp } = dialled()
  progress(183, 'one', { headers: reliable(7), body: 'early' })
  update(1, 'one', 'their new offer')
  assert.is(answer('one')?.sdp, undefined)
  const ok = does('reanswer')
  assert.equal([ok.status, bodyOf(ok)], [200, 'our new answer'])
  assert.is(update(2, 'one'), 200)
  hangUp()
})

test('of several forks the one whose media is bridged may offer again; the others wait, and end with its answer', () => {
  const { progress, update, does, answer, hangUp, peer } = dialled()
  progress(183, 'one', { headers: reliable(7), body: 'first' })
  progress(183, 'two', { headers: reliable(70), body: 'second' })
  assert.is(update(1, 'one', 'from the first'), 491)
  update(1, 'two', 'from the second')
  assert.is(answer('one', { body: 'first' })?.sdp, 'first')
  assert.is(peer.statuses.at(-1), 487, 'to the fork that has lost')
  assert.is(does('reanswer').status, 487, 'nothing waits any more')
  assert.is(update(1, 'one'), 500)
  assert.is(update(2, 'one'), 200)
  hangUp()
})

test('an offer that waits when the call fails or is cancelled gets 487', () => {
  for (const isCancelled of [true, false]) {
    const { net, station, peer, invite, progress, update } = dialled()
    progress(183, 'one', { headers: reliable(7), body: 'early' })
    update(1, 'one', 'their new offer')
    if (isCancelled) station.do({ type: 'end', id: 'out', reason })
    net.run(50)
    if (isCancelled) peer.respond(us, peer.lastRequest('CANCEL'), 200)
    peer.respond(us, invite, isCancelled ? 487 : 486, { toTag: 'one' })
    assert.ok(peer.statuses.includes(487))
    assert.is(update(2, 'one'), 481)
    leavesNothing(net, station)
  }
})

test('as the callee: an offer after an acknowledged 183 is answered, and the 200 repeats what holds', () => {
  for (const isAnsweredMeanwhile of [false, true]) {
    const { net, station, peer, answeredEarly } = calls()
    const { id, toTag, prack } = answeredEarly()
    peer.request('UPDATE', us, 2, { toTag, body: 'before the PRACK' })
    assert.is(peer.statuses.at(-1), 500)
    prack(3)
    peer.request('UPDATE', us, 4, { toTag, body: 'their new offer' })
    assert.is(station.events.at(-1)?.type, 'reoffered')
    const reanswer = () => {
      station.do({ type: 'reanswer', id, sdp: 'our new answer' })
      net.run(50)
      const ok = peer.lastResponse()
      assert.equal([ok.status, bodyOf(ok), headerOf(ok, 'CSeq')], [200, 'our new answer', '4 UPDATE'])
    }
    if (!isAnsweredMeanwhile) reanswer()
    station.do({ type: 'answer', id, sdp: 'early' })
    net.run(50)
    const ok = peer.lastResponse()
    assert.is(headerOf(ok, 'CSeq'), '1 INVITE')
    assert.is(bodyOf(ok), isAnsweredMeanwhile ? 'early' : 'our new answer')
    if (isAnsweredMeanwhile) reanswer()
    peer.request('ACK', us, 1, { toTag })
    const confirmed = station.events.at(-1)
    assert.ok(confirmed?.type === 'confirmed' && confirmed.sdp === undefined)
    peer.request('UPDATE', us, 5, { toTag })
    assert.is(peer.statuses.at(-1), 200)
    peer.request('BYE', us, 6, { toTag })
    leavesNothing(net, station)
  }
})

test('as the callee: without 100rel our answer is in the 200, and an offer before it gets 500', () => {
  const { net, station, peer } = calls()
  peer.request('INVITE', us, 1, { body: 'offer' })
  const id = station.events[0]?.id ?? ''
  station.do({ type: 'progress', id, sdp: 'early' })
  net.run(50)
  peer.request('UPDATE', us, 2, { toTag: tagOfTo(peer.lastResponse()), body: 'their new offer' })
  assert.is(peer.statuses.at(-1), 500)
  assert.ok(headerOf(peer.lastResponse(), 'Retry-After') !== undefined)
  station.do({ type: 'end', id, reason })
  leavesNothing(net, station)
})

test.run()
