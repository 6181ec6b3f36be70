import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type OwnOfferInput,
  ownOfferTable,
  type SessionInput,
  sessionTable,
} from '../../../sip/invite/session-states.ts'
import { headerOf } from '../../../sip/message/headers.ts'
import { bed, reason, us } from '../bed/dialog-bed.ts'
import { leavesNothing } from '../bed/leaves-nothing.ts'

test('a session from its first response to its end: every cell', () => {
  const inputs: readonly SessionInput[] = ['accept', 'end-on-ack', 'bye', 'close']
  const cells = Object.entries(sessionTable).map(([state, row]) => [state, ...inputs.map(input => row[input] ?? '-')])
  assert.equal(cells, [
    ['early', 'open', '-', 'ending', 'over'],
    ['open', 'open', 'ending-on-ack', 'ending', 'over'],
    ['ending-on-ack', '-', '-', 'ending', 'over'],
    ['ending', '-', '-', '-', 'over'],
    ['over', '-', '-', '-', '-'],
  ])
})

test('one re-INVITE of ours at a time (RFC 3261 §14.1): every cell', () => {
  const inputs: readonly OwnOfferInput[] = ['offer', 'refresh', 'glare', 'end']
  const cells = Object.entries(ownOfferTable).map(([state, row]) => [state, ...inputs.map(input => row[input] ?? '-')])
  assert.equal(cells, [
    ['none', 'offering', 'refreshing', '-', '-'],
    ['offering', '-', '-', 'waiting', 'none'],
    ['refreshing', '-', '-', 'none', 'none'],
    ['waiting', 'offering', '-', '-', 'none'],
  ])
})

const timer = ['Session-Expires: 120;refresher=uac']

/** A call of ours that we refresh by a re-INVITE after 60 s. */
function refreshed() {
  const all = bed()
  all.dial()
  all.peer.respond(us, all.peer.lastRequest('INVITE'), 200, { toTag: 'x', body: 'answer', headers: timer })
  const fromTag = /tag=([^;>]+)/.exec(headerOf(all.peer.lastRequest('INVITE'), 'From') ?? '')?.[1] ?? ''
  /** Without the copies that UDP makes. */
  const invites = () => {
    const requests = all.peer.received.filter(({ message }) => message.kind === 'request')
    const numbers = requests.map(({ message }) => headerOf(message, 'CSeq') ?? '')
    return new Set(numbers.filter(cseq => cseq.endsWith(' INVITE'))).size
  }
  const refusals = () => all.station.events.filter(event => event.type === 'reoffer-refused')
  const isRefresh = () => headerOf(all.peer.lastRequest('INVITE'), 'Session-Expires') !== undefined
  const offer = (sdp: string) => all.station.do({ type: 'reoffer', id: 'out', sdp })
  const answer = () => all.peer.respond(us, all.peer.lastRequest('INVITE'), 200, { body: 'agreed', headers: timer })
  const hangUp = () => {
    all.station.do({ type: 'end', id: 'out', reason })
    all.net.run(50)
    all.peer.respond(us, all.peer.lastRequest('BYE'), 200)
    leavesNothing(all.net, all.station)
  }
  return { ...all, fromTag, invites, refusals, isRefresh, offer, answer, hangUp }
}

test('a refresh that falls due while an offer of ours is out is sent afterwards', () => {
  const { net, station, invites, isRefresh, offer, peer, hangUp, answer } = refreshed()
  net.run(59_800)
  offer('ours')
  net.run(50)
  const open = peer.lastRequest('INVITE')
  peer.respond(us, open, 100)
  net.run(5_000)
  assert.is(invites(), 2, 'one at a time')
  peer.respond(us, open, 488)
  net.run(3_000)
  assert.is(station.events.at(-1)?.type, 'reoffer-refused')
  assert.is(invites(), 2)
  net.run(3_000)
  assert.is(invites(), 3)
  assert.ok(isRefresh())
  answer()
  hangUp()
})

test('an offer that waits after glare is not answered by a refresh, nor made twice', () => {
  const { net, station, invites, isRefresh, offer, peer, refusals, hangUp, answer } = refreshed()
  net.run(59_000)
  offer('ours')
  net.run(50)
  peer.respond(us, peer.lastRequest('INVITE'), 491)
  net.run(1_500)
  assert.is(invites(), 2, 'RFC 3261 §14.1: 2.1 to 4 s, and the refresh waits as well')
  offer('newer')
  net.run(50)
  assert.is(invites(), 3)
  net.run(300)
  answer()
  assert.is(station.events.at(-1)?.type, 'reoffer-answered')
  net.run(5_000)
  assert.is(invites(), 3, 'the glare timer is off')
  assert.not(isRefresh())
  assert.is(refusals().length, 0)
  hangUp()
})

test('after glare the offer is sent again, once', () => {
  const { net, station, invites, offer, peer, hangUp, answer } = refreshed()
  offer('ours')
  net.run(50)
  peer.respond(us, peer.lastRequest('INVITE'), 491)
  net.run(4_100)
  assert.is(invites(), 3)
  answer()
  assert.is(station.events.at(-1)?.type, 'reoffer-answered')
  hangUp()
})

test('while a refresh is out an offer gets 491; a refresh that meets glare is tried later', () => {
  const { net, station, invites, isRefresh, offer, peer, hangUp, answer } = refreshed()
  net.run(60_100)
  assert.is(invites(), 2)
  assert.ok(isRefresh())
  offer('ours')
  assert.is(station.events.at(-1)?.type, 'reoffer-refused')
  peer.respond(us, peer.lastRequest('INVITE'), 491)
  net.run(5_000)
  assert.is(invites(), 2)
  net.run(6_000)
  assert.is(invites(), 3)
  assert.ok(isRefresh())
  answer()
  hangUp()
})

test('a refresh that falls due while the peer waits for our offer is sent afterwards (RFC 3261 §14.1)', () => {
  const { net, station, invites, isRefresh, peer, fromTag, hangUp, answer } = refreshed()
  net.run(59_900)
  const dialog = { callId: headerOf(peer.lastRequest('INVITE'), 'Call-ID') ?? '', fromTag: 'x', toTag: fromTag }
  peer.request('INVITE', us, 2, { ...dialog, headers: timer })
  assert.is(station.events.at(-1)?.type, 'reoffered')
  net.run(1_000)
  assert.is(invites(), 1, 'their re-INVITE is open')
  station.do({ type: 'refuse-reoffer', id: 'out' })
  net.run(10_000)
  assert.is(invites(), 2)
  assert.ok(isRefresh())
  answer()
  hangUp()
})

test.run()
