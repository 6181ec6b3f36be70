import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { headerOf } from '../../../../sip/message/headers.ts'
import { ScriptedPeer, tagOfTo } from '../../bed/scripted-peer.ts'
import { VirtualNetwork } from '../../bed/virtual-network.ts'

const us = '192.0.2.1'
const them = '192.0.2.9'
const reason = { status: 480, q850: 16, text: 'Completed', code: 'END.0200' }
const reliable = (rseq: number) => ['Require: 100rel', `RSeq: ${rseq}`]

function bed() {
  const net = new VirtualNetwork(5)
  const station = net.station(us, [{ inboundHosts: [them] }])
  const peer = new ScriptedPeer(net, them)
  station.do({
    type: 'dial',
    id: 'out',
    target: {
      uri: `sip:+254700000001@${them}`,
      hop: { host: them, port: undefined, transport: 'udp' },
      username: 'u',
      password: 'p',
    },
    from: { user: '1001' },
    sdp: 'our offer',
  })
  net.run(50)
  const invite = peer.lastRequest('INVITE')
  const types = () => station.events.map(event => event.type)
  const pracks = () =>
    peer.received.flatMap(({ message }) => (message.kind === 'request' && message.method === 'PRACK' ? [message] : []))
  const hangUp = (toTag: string) => {
    station.do({ type: 'end', id: 'out', reason })
    net.run(50)
    const bye = peer.lastRequest('BYE')
    assert.is(tagOfTo(bye), toTag)
    peer.respond(us, bye, 200)
    net.run(300_000)
    const { layer, callCount, tagCount, timers } = station.endpoint
    assert.equal([layer.clients.size, layer.servers.size, callCount, tagCount, timers.running.length], [0, 0, 0, 0, 0])
    return bye
  }
  return { net, station, peer, invite, types, pracks, hangUp }
}

test('a reliable 183 is acknowledged by PRACK within its dialog, once, and its SDP stands without one in the 200', () => {
  const { peer, invite, types, pracks, hangUp, station } = bed()
  const early = { toTag: 'one', headers: [...reliable(77), 'Record-Route: <sip:192.0.2.9;lr>'], body: 'early' }
  peer.respond(us, invite, 183, early)
  peer.respond(us, invite, 183, early)
  const [prack, more] = pracks()
  assert.ok(prack)
  assert.is(more, undefined, 'a copy is not acknowledged again, and not reported')
  assert.equal(types(), ['early'])
  assert.is(headerOf(prack, 'RAck'), `77 ${headerOf(invite, 'CSeq')}`)
  assert.is(headerOf(prack, 'CSeq'), '2 PRACK')
  assert.is(headerOf(prack, 'Route'), '<sip:192.0.2.9;lr>')
  assert.is(prack.uri, 'sip:peer@192.0.2.9')
  assert.is(tagOfTo(prack), 'one')
  peer.respond(us, prack, 200)
  peer.respond(us, invite, 200, { toTag: 'one' })
  const answered = station.events.find(event => event.type === 'answered')
  assert.is(answered?.type === 'answered' && answered.sdp, 'early')
  assert.is(headerOf(hangUp('one'), 'CSeq'), '3 BYE', 'numbers go on after the PRACK')
})

test('RSeq: what is not next is neither acknowledged nor reported; each fork counts by itself', () => {
  const { peer, invite, types, pracks, hangUp } = bed()
  peer.respond(us, invite, 180, { toTag: 'one', headers: reliable(1) })
  peer.respond(us, pracks()[0] ?? invite, 200)
  peer.respond(us, invite, 183, { toTag: 'one', headers: reliable(3), body: 'too early' })
  assert.is(pracks().length, 1)
  assert.equal(types(), ['ringing'])
  peer.respond(us, invite, 183, { toTag: 'one', headers: reliable(2), body: 'early' })
  peer.respond(us, pracks()[1] ?? invite, 200)
  peer.respond(us, invite, 180, { toTag: 'two', headers: reliable(900) })
  peer.respond(us, pracks()[2] ?? invite, 200)
  assert.equal(
    pracks().map(prack => [tagOfTo(prack), headerOf(prack, 'RAck'), headerOf(prack, 'CSeq')]),
    [
      ['one', '1 1 INVITE', '2 PRACK'],
      ['one', '2 1 INVITE', '3 PRACK'],
      ['two', '900 1 INVITE', '2 PRACK'],
    ],
  )
  peer.respond(us, invite, 200, { toTag: 'two', body: 'answer' })
  hangUp('two')
})

test('a PRACK that is challenged goes again with credentials; without RSeq there is nothing to acknowledge', () => {
  const { peer, invite, types, pracks, hangUp } = bed()
  peer.respond(us, invite, 180, { toTag: 'one', headers: ['Require: 100rel'] })
  peer.respond(us, invite, 180, { toTag: 'one', headers: ['Require: 100rel', 'RSeq: soon'] })
  assert.equal([types(), pracks().length], [['ringing', 'ringing'], 0])
  peer.respond(us, invite, 180, { toTag: 'one', headers: reliable(5) })
  const challenge = 'WWW-Authenticate: Digest realm="carrier", nonce="n1", qop="auth", algorithm=MD5'
  peer.respond(us, pracks()[0] ?? invite, 401, { headers: [challenge] })
  const again = pracks()[1]
  assert.ok(again)
  assert.match(headerOf(again, 'Authorization') ?? '', /username="u".*nonce="n1"/)
  assert.is(headerOf(again, 'RAck'), '5 1 INVITE')
  peer.respond(us, again, 200)
  peer.respond(us, invite, 200, { toTag: 'one', body: 'answer' })
  hangUp('one')
})

test('421 that wants 100rel: the INVITE goes again with it, once (RFC 3261 §21.4.16)', () => {
  for (const insists of [false, true]) {
    const { net, station, peer, invite, types, pracks, hangUp } = bed()
    assert.is(headerOf(invite, 'Supported'), 'timer')
    peer.respond(us, invite, 421, { toTag: 'a', headers: ['Require: 100rel'] })
    const again = peer.lastRequest('INVITE')
    assert.equal([headerOf(again, 'CSeq'), headerOf(again, 'Supported')], ['2 INVITE', 'timer, 100rel'])
    if (insists) {
      peer.respond(us, again, 421, { toTag: 'b', headers: ['Require: 100rel'] })
      const ended = station.events.at(-1)
      assert.equal(ended?.type === 'ended' && ended.cause, { kind: 'response', status: 421 })
      assert.is(peer.methods.filter(method => method === 'INVITE').length, 2)
      net.run(300_000)
      continue
    }
    peer.respond(us, again, 183, { toTag: 'c', headers: reliable(9), body: 'early' })
    assert.is(headerOf(pracks()[0] ?? invite, 'RAck'), '9 2 INVITE')
    peer.respond(us, pracks()[0] ?? invite, 200)
    peer.respond(us, again, 200, { toTag: 'c' })
    assert.equal(types(), ['early', 'answered'])
    assert.is(headerOf(hangUp('c'), 'CSeq'), '4 BYE')
  }
  const other = bed()
  other.peer.respond(us, other.invite, 421, { toTag: 'a', headers: ['Require: precondition'] })
  assert.equal(other.types(), ['ended'])
})

test('a remote has us send no PRACKs without end: four wait for their answers, fifty are sent in a call', () => {
  const { peer, station, invite, pracks, hangUp } = bed()
  for (let rseq = 1; rseq <= 10; rseq++) peer.respond(us, invite, 183, { toTag: 'one', headers: reliable(rseq) })
  assert.is(new Set(pracks().map(prack => headerOf(prack, 'RAck'))).size, 4)
  assert.is(station.endpoint.counters.overloaded, 1, 'the fifth; those after it are not next')
  for (const prack of pracks()) peer.respond(us, prack, 200)
  for (let rseq = 5; rseq <= 100; rseq++) {
    peer.respond(us, invite, 183, { toTag: 'one', headers: reliable(rseq) })
    const last = pracks().at(-1)
    if (last !== undefined) peer.respond(us, last, 200)
  }
  assert.is(new Set(pracks().map(prack => headerOf(prack, 'RAck'))).size, 50)
  peer.respond(us, invite, 183, { toTag: 'two', headers: reliable(7) })
  assert.is(pracks().length, 50, 'another fork is of the same call')
  peer.respond(us, invite, 200, { toTag: 'one', body: 'answer' })
  hangUp('one')
})

test.run()
