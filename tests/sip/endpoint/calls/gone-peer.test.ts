import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { headerOf } from '../../../../sip/message/headers.ts'
import { ScriptedPeer, tagOfTo } from '../../bed/scripted-peer.ts'
import { VirtualNetwork } from '../../bed/virtual-network.ts'

const us = '192.0.2.1'
const them = '192.0.2.9'
const timer = (refresher: string) => ['Supported: timer', `Session-Expires: 90;refresher=${refresher}`]

/** A call of a peer that says nothing more; `acks` its 200 before that. */
function bed(headers: readonly string[], acks: boolean) {
  const net = new VirtualNetwork(5)
  const station = net.station(us, [{ inboundHosts: [them] }])
  const peer = new ScriptedPeer(net, them)
  peer.request('INVITE', us, 1, { body: 'offer', headers })
  const id = station.events.find(event => event.type === 'offered')?.id ?? ''
  station.do({ type: 'answer', id, sdp: 'answer' })
  net.run(50)
  if (acks) peer.request('ACK', us, 1, { toTag: tagOfTo(peer.lastResponse()) })
  const ends = () => station.events.flatMap(event => (event.type === 'ended' ? [event.cause] : []))
  return { net, station, peer, ends }
}

const cells = [
  ['the ACK never comes', [], false, 32, { kind: 'timeout' }],
  ['nobody refreshes the session', timer('uac'), true, 60, { kind: 'session-expired' }],
  ['our refresh is not answered', timer('uas'), true, 45 + 32, { kind: 'timeout' }],
] as const

for (const [name, headers, acks, seconds, cause] of cells) {
  test(`${name}: the call is over when that is known, while the BYE is still repeated`, () => {
    const { net, station, peer, ends } = bed(headers, acks)
    net.run((seconds - 2) * 1000)
    assert.equal(ends(), [])
    net.run(3000)
    assert.equal(ends(), [cause])
    assert.ok(peer.methods.includes('BYE'))
    net.run(300_000)
    assert.equal(ends(), [cause], 'reported once')
    const { layer, callCount, tagCount, timers } = station.endpoint
    assert.equal([layer.clients.size, layer.servers.size, callCount, tagCount, timers.running.length], [0, 0, 0, 0, 0])
  })
}

for (const status of [481, 408]) {
  for (const method of ['INVITE', 'UPDATE']) {
    test(`our refresh by ${method} is answered ${status}: the session has expired, and both sides get that reason (RFC 4028 §10)`, () => {
      const { net, station, peer, ends } = bed(
        [...timer('uas'), ...(method === 'UPDATE' ? ['Allow: UPDATE'] : [])],
        true,
      )
      net.run(46_000)
      assert.equal(ends(), [])
      peer.respond(us, peer.lastRequest(method), status)
      assert.equal(ends(), [{ kind: 'session-expired' }])
      const bye = peer.lastRequest('BYE')
      assert.is(headerOf(bye, 'X-Voice-Reason-Code'), 'END.0212')
      assert.match(headerOf(bye, 'Reason') ?? '', /Q\.850;cause=102/)
      peer.respond(us, bye, 481)
      net.run(300_000)
      assert.is(ends().length, 1, 'reported once')
      assert.is(station.endpoint.callCount, 0)
    })
  }
}

test.run()
