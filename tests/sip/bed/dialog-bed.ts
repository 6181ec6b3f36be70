import { headerOf } from '../../../sip/message/headers.ts'
import { ScriptedPeer, tagOfTo, type Wants } from './scripted-peer.ts'
import { type Station, VirtualNetwork } from './virtual-network.ts'

export const reason = { status: 480, q850: 16, text: 'Completed', code: 'END.0200' }

export const us = '192.0.2.1'

export const them = '192.0.2.9'

/** An endpoint, and a peer of which the test writes every message. */
export function bed(trunk: { readonly username?: string; readonly password?: string } = {}) {
  const net = new VirtualNetwork(5)
  const station = net.station(us, [{ inboundHosts: ['192.0.2.9'] }])
  const peer = new ScriptedPeer(net, them)
  const types = () => station.events.map(event => event.type)
  const dial = () => {
    station.do({
      type: 'dial',
      id: 'out',
      target: {
        uri: `sip:+254700000001@${them}`,
        hop: { host: them, port: undefined, transport: 'udp' },
        username: trunk.username ?? '',
        password: trunk.password ?? '',
      },
      from: { user: '1001' },
      sdp: 'our offer',
    })
    net.run(50)
  }
  /** A call that the peer made and we answered. */
  const answered = (wants = {}) => {
    peer.request('INVITE', us, 1, { body: 'offer', ...wants })
    const id = station.events.find(event => event.type === 'offered')?.id ?? ''
    station.do({ type: 'answer', id, sdp: 'answer' })
    net.run(50)
    const toTag = tagOfTo(peer.lastResponse())
    peer.request('ACK', us, 1, { toTag })
    return { id, toTag }
  }
  /** A call that the peer made, with our answer in a reliable 183 that it has yet to acknowledge by `prack`. */
  const answeredEarly = () => {
    peer.request('INVITE', us, 1, { body: 'offer', headers: ['Require: 100rel'] })
    const id = station.events[0]?.id ?? ''
    station.do({ type: 'progress', id, sdp: 'early' })
    net.run(50)
    const early = peer.lastResponse()
    const toTag = tagOfTo(early)
    const rseq = Number(headerOf(early, 'RSeq'))
    const prack = (cseq: number, wants: Pick<Wants, 'body'> = {}, acknowledged = rseq) =>
      peer.request('PRACK', us, cseq, { toTag, headers: [`RAck: ${acknowledged} 1 INVITE`], ...wants })
    return { id, toTag, rseq, prack }
  }
  return { net, station, peer, types, dial, answered, answeredEarly }
}

export const causeOf = (station: Station, id: string) => {
  const ended = station.events.find(event => event.type === 'ended' && event.id === id)
  return ended?.type === 'ended' ? ended.cause : undefined
}
