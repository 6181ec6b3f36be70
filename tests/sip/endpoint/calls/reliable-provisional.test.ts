import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { headerOf } from '../../../../sip/message/headers.ts'
import { bed, causeOf, us } from '../../bed/dialog-bed.ts'
import { leavesNothing } from '../../bed/leaves-nothing.ts'
import { tagOfTo } from '../../bed/scripted-peer.ts'

test('100rel: reliable 180 and 183, repeated until PRACK; never acknowledged ends the call (RFC 3262)', () => {
  const { net, station, peer } = bed()
  peer.request('INVITE', us, 1, { body: 'offer', headers: ['Require: 100rel'] })
  const id = station.events[0]?.id ?? ''
  station.do({ type: 'ring', id })
  station.do({ type: 'progress', id, sdp: 'early' })
  net.run(2000)
  assert.equal(peer.statuses, [100, 180, 180, 180])
  const ringing = peer.lastResponse()
  assert.is(headerOf(ringing, 'Require'), '100rel')
  const rseq = Number(headerOf(ringing, 'RSeq'))
  const toTag = tagOfTo(ringing)
  peer.request('PRACK', us, 2, { toTag, headers: [`RAck: ${rseq + 7} 1 INVITE`] })
  assert.is(peer.statuses.at(-1), 481)
  peer.request('PRACK', us, 3, { toTag, headers: [`RAck: ${rseq} 1 INVITE`] })
  assert.equal(peer.statuses.slice(-2).toSorted(), [183, 200])
  net.run(40_000)
  assert.is(peer.statuses.at(-1), 504)
  assert.equal(causeOf(station, id), { kind: 'timeout' })
  leavesNothing(net, station)
})

test('100rel: a PRACK that crosses the 200 is still answered, and nothing more is sent reliably (RFC 3262 §3)', () => {
  const { net, station, peer } = bed()
  peer.request('INVITE', us, 1, { body: 'offer', headers: ['Require: 100rel'] })
  const id = station.events[0]?.id ?? ''
  station.do({ type: 'ring', id })
  net.run(50)
  const ringing = peer.lastResponse()
  const toTag = tagOfTo(ringing)
  station.do({ type: 'answer', id, sdp: 'answer' })
  net.run(50)
  assert.equal(peer.statuses, [100, 180, 200])
  const headers = [`RAck: ${headerOf(ringing, 'RSeq')} 1 INVITE`]
  peer.request('PRACK', us, 2, { toTag, headers })
  assert.is(peer.statuses.at(-1), 200)
  peer.request('PRACK', us, 3, { toTag, headers })
  assert.is(peer.statuses.at(-1), 481, 'once')
  peer.request('ACK', us, 1, { toTag })
  peer.request('BYE', us, 4, { toTag })
  assert.equal(causeOf(station, id), { kind: 'bye' })
  leavesNothing(net, station)
})

test('100rel: no 200 goes out while an answer in a reliable 183 is not acknowledged (RFC 3262 §3)', () => {
  for (const isAcknowledged of [true, false]) {
    const { net, station, peer, answeredEarly } = bed()
    const { id, toTag, prack } = answeredEarly()
    station.do({ type: 'answer', id, sdp: 'answer' })
    net.run(1000)
    assert.not(peer.statuses.includes(200))
    if (isAcknowledged) {
      prack(2)
      net.run(50)
      assert.equal(peer.statuses.slice(-2), [200, 200], 'of the PRACK, then of the INVITE')
      peer.request('ACK', us, 1, { toTag })
      peer.request('BYE', us, 3, { toTag })
      assert.equal(causeOf(station, id), { kind: 'bye' })
    } else {
      net.run(40_000)
      assert.is(peer.statuses.at(-1), 504)
      assert.equal(causeOf(station, id), { kind: 'timeout' })
    }
    leavesNothing(net, station)
  }
})

/** An answer in a reliable 183, acknowledged by a PRACK with another offer. */
function offeredInPrack() {
  const all = bed()
  const { net, peer } = all
  const call = all.answeredEarly()
  const prack = (cseq: number, acknowledged = call.rseq, body = 'their new offer') => {
    call.prack(cseq, { body }, acknowledged)
    net.run(50)
  }
  const last = () => {
    const response = peer.lastResponse()
    return [headerOf(response, 'CSeq'), response.status, new TextDecoder().decode(response.body)]
  }
  return { ...all, ...call, prack, last }
}

test('100rel: an offer in a PRACK is answered in its 200, and holds in that of the INVITE (RFC 3262 §5)', () => {
  const { net, station, peer, id, toTag, prack, last } = offeredInPrack()
  prack(2)
  assert.equal(last(), ['1 INVITE', 183, 'early'], 'answered when the answer is there')
  const event = station.events.at(-1)
  assert.ok(event?.type === 'reoffered' && event.sdp === 'their new offer')
  net.run(1000)
  assert.is(peer.statuses.filter(status => status === 183).length, 1, 'acknowledged at once')
  peer.request('UPDATE', us, 3, { toTag, body: 'one more' })
  assert.is(peer.statuses.at(-1), 500, 'one offer at a time')
  station.do({ type: 'reanswer', id, sdp: 'our new answer' })
  net.run(50)
  assert.equal(last(), ['2 PRACK', 200, 'our new answer'])
  assert.is(headerOf(peer.lastResponse(), 'Session-Expires'), undefined)
  station.do({ type: 'answer', id, sdp: 'early' })
  net.run(50)
  assert.equal(last(), ['1 INVITE', 200, 'our new answer'])
  peer.request('ACK', us, 1, { toTag })
  peer.request('BYE', us, 4, { toTag })
  leavesNothing(net, station)
})

test('100rel: an offer in a PRACK after the one that acknowledged our answer; one that media refuses gets 488', () => {
  const { net, station, peer, id, toTag, rseq, prack, last } = offeredInPrack()
  prack(2, rseq, '')
  assert.equal(last(), ['2 PRACK', 200, ''])
  station.do({ type: 'ring', id })
  net.run(50)
  prack(3, rseq + 1)
  station.do({ type: 'refuse-reoffer', id })
  net.run(50)
  assert.equal(last(), ['3 PRACK', 488, ''])
  station.do({ type: 'answer', id, sdp: 'early' })
  net.run(50)
  assert.equal(last(), ['1 INVITE', 200, 'early'], 'what was agreed on before holds')
  peer.request('ACK', us, 1, { toTag })
  peer.request('BYE', us, 4, { toTag })
  leavesNothing(net, station)
})

test('100rel: an offer in a PRACK that waits when the caller gives up gets 487, when we answer 200 nonetheless', () => {
  const given = offeredInPrack()
  given.prack(2)
  given.station.do({ type: 'end', id: given.id, reason: { status: 486, q850: 17, text: 'Busy', code: 'END.0486' } })
  given.net.run(50)
  assert.equal(given.peer.statuses.slice(-2).toSorted(), [486, 487])
  given.peer.request('ACK', us, 1, { toTag: given.toTag })
  leavesNothing(given.net, given.station)

  const { net, station, peer, id, toTag, prack, last } = offeredInPrack()
  station.do({ type: 'answer', id, sdp: 'early' })
  prack(2)
  assert.equal(last(), ['1 INVITE', 200, 'early'], 'it waited for the PRACK only')
  station.do({ type: 'reanswer', id, sdp: 'our new answer' })
  net.run(50)
  assert.equal(last(), ['2 PRACK', 200, 'our new answer'])
  peer.request('ACK', us, 1, { toTag })
  peer.request('BYE', us, 3, { toTag })
  leavesNothing(net, station)
})

test('100rel: an offer in a PRACK before our answer is none (RFC 3262 §5): the PRACK is taken, and the call goes on', () => {
  const { net, station, peer } = bed()
  peer.request('INVITE', us, 1, { body: 'offer', headers: ['Require: 100rel'] })
  const id = station.events[0]?.id ?? ''
  station.do({ type: 'ring', id })
  net.run(50)
  const ringing = peer.lastResponse()
  const toTag = tagOfTo(ringing)
  const headers = [`RAck: ${headerOf(ringing, 'RSeq')} 1 INVITE`]
  peer.request('PRACK', us, 2, { toTag, headers, body: 'too early' })
  assert.is(peer.statuses.at(-1), 200)
  assert.is(peer.lastResponse().body.length, 0)
  station.do({ type: 'answer', id, sdp: 'answer' })
  net.run(50)
  assert.is(new TextDecoder().decode(peer.lastResponse().body), 'answer')
  peer.request('ACK', us, 1, { toTag })
  peer.request('BYE', us, 3, { toTag })
  leavesNothing(net, station)
})

test('100rel: once a minute a 180 with a new RSeq goes out, so that no proxy gives the call up (RFC 3261 §13.3.1.1)', () => {
  const { net, station, peer } = bed()
  peer.request('INVITE', us, 1, { body: 'offer', headers: ['Require: 100rel'] })
  const id = station.events[0]?.id ?? ''
  station.do({ type: 'progress', id, sdp: 'early' })
  net.run(50)
  const first = Number(headerOf(peer.lastResponse(), 'RSeq'))
  const toTag = tagOfTo(peer.lastResponse())
  for (let minute = 0; minute < 3; minute++) {
    const rseq = headerOf(peer.lastResponse(), 'RSeq')
    peer.request('PRACK', us, 2 + minute, { toTag, headers: [`RAck: ${rseq} 1 INVITE`] })
    net.run(60_100)
    const again = peer.lastResponse()
    assert.is(again.status, 180)
    assert.is(Number(headerOf(again, 'RSeq')), first + 1 + minute)
    assert.is(again.body.length, 0)
  }
  peer.request('PRACK', us, 9, { toTag, headers: [`RAck: ${first + 3} 1 INVITE`] })
  station.do({ type: 'end', id, reason: { status: 480, q850: 16, text: 'Completed', code: 'END.0200' } })
  net.run(50)
  leavesNothing(net, station)
})

test.run()
