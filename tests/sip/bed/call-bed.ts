import * as assert from 'uvu/assert'
import type { CallCause } from '../../../sip/endpoint/services/call-event.ts'
import type { SipMessage } from '../../../sip/message/message.ts'
import { type LinkRules, type Station, VirtualNetwork } from './virtual-network.ts'

export const reason = { status: 603, q850: 16, text: 'Completed', code: 'END.0200' }

export const dialTo = (address: string) => ({
  uri: `sip:+254700000001@${address}`,
  hop: { host: address, port: 5060, transport: 'udp' as const },
  username: '',
  password: '',
})

export const offer = 'v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\n'

export const answer = 'v=0\r\no=- 2 2 IN IP4 192.0.2.2\r\ns=-\r\n'

export const what = (message: SipMessage) => (message.kind === 'request' ? message.method : String(message.status))

/** Two endpoints that trust each other; `dial` has the first call the second. */
export function pair(seed = 1, rules: LinkRules = {}) {
  const net = new VirtualNetwork(seed, rules)
  const a = net.station('192.0.2.1', [{ inboundHosts: ['192.0.2.0/24'] }])
  const b = net.station('192.0.2.2', [{ inboundHosts: ['192.0.2.0/24'] }])
  const dial = (id = 'call') =>
    a.do({ type: 'dial', id, target: dialTo('192.0.2.2'), from: { user: '+254711000001' }, sdp: offer })
  const sent = () => net.trace.map(({ packet }) => `${packet.from.slice(-1)} ${what(packet.message)}`)
  const idB = () => b.events.find(event => event.type === 'offered')?.id ?? ''
  return { net, a, b, dial, sent, idB }
}

export const types = (station: Station) => station.events.map(event => event.type)

export const causeOf = (station: Station, id?: string): CallCause | undefined => {
  const ended = station.events.filter(event => event.type === 'ended' && (id === undefined || event.id === id))
  assert.ok(ended.length <= 1, 'ended comes once')
  return ended[0]?.type === 'ended' ? ended[0].cause : undefined
}

/** The same with a call that is answered. */
export function talking(seed = 1) {
  const bed = pair(seed)
  bed.dial()
  bed.net.run(100)
  bed.b.do({ type: 'answer', id: bed.idB(), sdp: answer })
  bed.net.run(100)
  return bed
}
