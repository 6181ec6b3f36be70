import { type Flow, isWebSocket } from '../../network/flow.ts'
import type { IncomingResponse } from '../../transaction/incoming.ts'
import { branchCookie } from '../../transaction/key.ts'
import { Timer } from '../../transaction/timer-queue.ts'
import type { ClientOwner, ClientTransaction, TimerOwner } from '../../transaction/transaction.ts'
import { formatHostPort } from '../../uri/host.ts'
import { buildRequest, contactOf, viaOf } from '../services/request.ts'
import type { EndpointServices } from '../services/services.ts'
import { acceptField } from '../services/settings.ts'
import { hopOfPeer, type PeerConfig } from './peer.ts'

/** Asks a peer now and then whether it is there. Any final response means yes. */
export class PeerPing implements ClientOwner, TimerOwner {
  readonly #services: EndpointServices
  readonly #peer: PeerConfig
  readonly #timer = new Timer<TimerOwner>(this, 'ping')
  readonly #callId: string
  readonly #tag: string
  #cseq = 0
  #hops: readonly Flow[] = []
  #isReachable: boolean | undefined
  #isStopped = false

  constructor(services: EndpointServices, peer: PeerConfig) {
    this.#services = services
    this.#peer = peer
    this.#callId = services.tokens.take(24)
    this.#tag = services.tokens.take(12)
  }

  start(now: number): void {
    this.expired('ping', now)
  }

  stop(): void {
    this.#isStopped = true
    this.#services.timers.stop(this.#timer)
  }

  expired(_name: string, now: number): void {
    this.#services.timers.set(this.#timer, now + this.#peer.optionsPingSeconds * 1000)
    this.#services.resolve(hopOfPeer(this.#peer), now, (hops, later) => {
      if (this.#isStopped) return
      const [flow] = hops
      this.#hops = hops
      if (flow === undefined) this.#report(false)
      else this.#send(flow, later)
    })
  }

  responded(_transaction: ClientTransaction, response: IncomingResponse): void {
    if (response.message.status >= 200) this.#report(true)
  }

  failed(): void {
    this.#report(false)
  }

  finished(): void {}

  isSource(flow: Flow): boolean {
    const { address, transport } = flow
    if (isWebSocket(transport)) return false
    return this.#hops.some(hop => hop.address === address) || this.#services.isOfPeer(this.#peer.id, address)
  }

  #send(flow: Flow, now: number): void {
    this.#cseq++
    const branch = branchCookie + this.#services.tokens.take(16)
    const { host, port } = hopOfPeer(this.#peer)
    const uri = `sip:${formatHostPort(host, port)}`
    const request = buildRequest({
      method: 'OPTIONS',
      uri,
      via: viaOf(flow, branch),
      head: [
        { name: 'Max-Forwards', value: '70' },
        { name: 'From', value: `<sip:sauti@${flow.localHost}>;tag=${this.#tag}` },
        { name: 'To', value: `<${uri}>` },
        { name: 'Call-ID', value: this.#callId },
        { name: 'CSeq', value: `${this.#cseq} OPTIONS` },
      ],
      fields: [
        { name: 'Contact', value: contactOf(flow) },
        acceptField,
        { name: 'User-Agent', value: this.#services.settings.userAgent },
      ],
    })
    this.#services.layer.request(request, branch, flow, this, now)
  }

  #report(isReachable: boolean): void {
    if (this.#isStopped || this.#isReachable === isReachable) return
    this.#isReachable = isReachable
    this.#services.peerState(this.#peer.id, isReachable ? 'reachable' : 'unreachable')
  }
}
