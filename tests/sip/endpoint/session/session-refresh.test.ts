import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { headerOf } from '../../../../sip/message/headers.ts'
import { bed, causeOf, them, us } from '../../bed/dialog-bed.ts'
import { leavesNothing } from '../../bed/leaves-nothing.ts'
import { ScriptedPeer } from '../../bed/scripted-peer.ts'
import { VirtualNetwork } from '../../bed/virtual-network.ts'

test('session timer: a peer that refreshes keeps the call, one that stops loses it (RFC 4028)', () => {
  const { net, station, peer, answered } = bed()
  const headers = ['Supported: timer', 'Session-Expires: 90;refresher=uac']
  const { id, toTag } = answered({ headers })
  const ok = peer.received.find(({ message }) => message.kind === 'response' && message.status === 200)?.message
  assert.is(ok && headerOf(ok, 'Session-Expires'), '90;refresher=uac')
  assert.is(ok && headerOf(ok, 'Require'), 'timer')
  net.run(45_000)
  peer.request('UPDATE', us, 2, { toTag, headers })
  assert.is(peer.statuses.at(-1), 200)
  net.run(50_000)
  assert.is(causeOf(station, id), undefined)
  net.run(20_000)
  peer.respond(us, peer.lastRequest('BYE'), 200)
  assert.equal(causeOf(station, id), { kind: 'session-expired' })
  leavesNothing(net, station)
})

test('session timer: we refresh at half time, by UPDATE where the peer knows it; too short an interval gets 422', () => {
  for (const update of [true, false]) {
    const { net, station, peer, dial } = bed()
    dial()
    const headers = ['Session-Expires: 120;refresher=uac', ...(update ? ['Allow: INVITE, UPDATE'] : [])]
    peer.respond(us, peer.lastRequest('INVITE'), 200, { toTag: 'x', body: 'answer', headers })
    net.run(60_000)
    const refresh = peer.lastRequest(update ? 'UPDATE' : 'INVITE')
    assert.is(headerOf(refresh, 'Session-Expires'), '120;refresher=uac')
    peer.respond(us, refresh, 200, { ...(update ? {} : { body: 'answer' }), headers })
    net.run(70_000)
    assert.is(causeOf(station, 'out'), undefined, 'refreshed')
    net.run(200_000)
    assert.equal(causeOf(station, 'out')?.kind, update ? 'timeout' : 'timeout')
    leavesNothing(net, station)
  }
  const { station, peer } = bed()
  peer.request('INVITE', us, 1, { headers: ['Supported: timer', 'Session-Expires: 30'] })
  assert.is(peer.statuses.at(-1), 422)
  assert.is(headerOf(peer.lastResponse(), 'Min-SE'), '90')
  assert.is(station.events.length, 0)
})

test('registration: credentials, refresh before expiry, longer waits after failures; pings', () => {
  const net = new VirtualNetwork(2)
  const registrar = new ScriptedPeer(net, them)
  const station = net.station(us, [
    { host: them, username: 'u', password: 'p', register: true, optionsPingSeconds: 30 },
  ])
  net.run(50)
  assert.equal(registrar.methods, ['REGISTER', 'OPTIONS'])
  registrar.respond(us, registrar.lastRequest('OPTIONS'), 404, { toTag: 'o' })
  const headers = ['WWW-Authenticate: Digest realm="r", nonce="n", algorithm=SHA-256, qop="auth"']
  registrar.respond(us, registrar.lastRequest('REGISTER'), 401, { toTag: 'r', headers })
  const register = registrar.lastRequest('REGISTER')
  assert.match(headerOf(register, 'Authorization') ?? '', /username="u"/)
  registrar.respond(us, register, 200, { toTag: 'r', headers: ['Expires: 120'] })
  const before = registrar.methods.filter(method => method === 'REGISTER').length
  net.run(59_900)
  assert.is(registrar.methods.filter(method => method === 'REGISTER').length, before)
  net.run(200)
  assert.is(registrar.methods.filter(method => method === 'REGISTER').length, before + 1, 'half time of a short grant')
  registrar.respond(us, registrar.lastRequest('REGISTER'), 503, { toTag: 'r' })
  const failed = registrar.methods.filter(method => method === 'REGISTER').length
  net.run(3_500)
  assert.is(registrar.methods.filter(method => method === 'REGISTER').length, failed)
  net.run(1_500)
  assert.ok(registrar.methods.filter(method => method === 'REGISTER').length > failed)
  station.do({ type: 'peers', peers: [] })
  net.run(100_000)
  assert.is(station.endpoint.timers.running.length, 0, 'a peer that is gone is forgotten')
})

test.run()
