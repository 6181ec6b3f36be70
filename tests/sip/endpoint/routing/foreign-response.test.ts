import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { bed, causeOf, reason, them, us } from '../../bed/dialog-bed.ts'
import { ScriptedPeer } from '../../bed/scripted-peer.ts'
import { VirtualNetwork } from '../../bed/virtual-network.ts'

const elsewhere = '203.0.113.66'
const target = (host: string, peerId?: string) => ({
  ...(peerId === undefined ? {} : { peerId }),
  uri: `sip:1@${host}`,
  hop: { host, port: undefined, transport: 'udp' as const },
  username: '',
  password: '',
})

test('responses from elsewhere than the INVITE went to are dropped, whatever their status, and counted', () => {
  const { net, station, peer, dial } = bed()
  const other = new ScriptedPeer(net, elsewhere)
  dial()
  const invite = peer.lastRequest('INVITE')
  const before = station.events.length
  for (const [at, status] of [100, 180, 183, 200, 302, 401, 407, 486, 503, 603].entries()) {
    other.respond(us, invite, status, { toTag: 'stolen', body: 'stolen' })
    assert.is(station.events.length, before, String(status))
    assert.is(station.endpoint.counters.foreign, at + 1)
  }
  assert.is(other.received.length, 0)
  peer.respond(us, invite, 200, { toTag: 'callee', body: 'answer' })
  assert.is(station.events.at(-1)?.type, 'answered')
})

test('the same for a BYE of ours: the call ends with the answer of its own remote', () => {
  const { net, station, peer, answered } = bed()
  const other = new ScriptedPeer(net, elsewhere)
  const { id } = answered()
  station.do({ type: 'end', id, reason })
  net.run(50)
  other.respond(us, peer.lastRequest('BYE'), 200)
  assert.is(causeOf(station, id), undefined)
  peer.respond(us, peer.lastRequest('BYE'), 200)
  assert.equal(causeOf(station, id), { kind: 'bye' })
})

test('a trunk may answer from another of its inbound hosts; another trunk may not', () => {
  const net = new VirtualNetwork(5)
  const station = net.station(us, [
    { id: 'one', host: them, inboundHosts: [them, '192.0.2.16/28'] },
    { id: 'two', inboundHosts: ['192.0.2.32/28'] },
  ])
  const [peer, second, foreign] = [them, '192.0.2.17', '192.0.2.33'].map(at => new ScriptedPeer(net, at))
  if (peer === undefined || second === undefined || foreign === undefined) throw new Error('no peer')
  station.do({ type: 'dial', id: 'out', target: target(them, 'one'), from: { user: '1' }, sdp: 'offer' })
  net.run(50)
  const invite = peer.lastRequest('INVITE')
  foreign.respond(us, invite, 486, { toTag: 'x' })
  assert.is(causeOf(station, 'out'), undefined)
  second.respond(us, invite, 180, { toTag: 'x' })
  assert.is(station.events.at(-1)?.type, 'ringing')
  second.respond(us, invite, 200, { toTag: 'x', body: 'answer' })
  assert.is(station.events.at(-1)?.type, 'answered')
  assert.is(second.lastRequest('ACK').uri, 'sip:peer@192.0.2.17')
})

test.run()
