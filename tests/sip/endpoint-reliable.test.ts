import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { headerOf } from '../../sip/message/headers.ts'
import { bed, causeOf, us } from './dialog-bed.ts'
import { leavesNothing } from './leaves-nothing.ts'
import { tagOfTo } from './scripted-peer.ts'

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
    const { net, station, peer } = bed()
    peer.request('INVITE', us, 1, { body: 'offer', headers: ['Require: 100rel'] })
    const id = station.events[0]?.id ?? ''
    station.do({ type: 'progress', id, sdp: 'early' })
    net.run(50)
    const early = peer.lastResponse()
    const toTag = tagOfTo(early)
    station.do({ type: 'answer', id, sdp: 'answer' })
    net.run(1000)
    assert.not(peer.statuses.includes(200))
    if (isAcknowledged) {
      peer.request('PRACK', us, 2, { toTag, headers: [`RAck: ${headerOf(early, 'RSeq')} 1 INVITE`] })
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

test.run()
