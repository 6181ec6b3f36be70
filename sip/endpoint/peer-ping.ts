import type { Flow } from '../transaction/flow.ts'
import type { IncomingResponse } from '../transaction/incoming.ts'
import { branchCookie } from '../transaction/key.ts'
import { Timer } from '../transaction/timer-queue.ts'
import type { ClientOwner, ClientTransaction, TimerOwner } from '../transaction/transaction.ts'
import { formatHostPort } from '../uri/host.ts'
import type { Agent } from './agent.ts'
import { hopOfPeer, type PeerConfig } from './peer.ts'
import { buildRequest, contactOf, viaOf } from './request.ts'
import { acceptedBody } from './settings.ts'

/** Asks a peer now and then whether it is there. Any final response means yes. */
export class PeerPing implements ClientOwner, TimerOwner {
  readonly #agent: Agent
  readonly #peer: PeerConfig
  readonly #timer = new Timer<TimerOwner>(this, 'ping')
  readonly #callId: string
  readonly #tag: string
  #cseq = 0
  #isReachable: boolean | undefined
  #isStopped = false

  constructor(agent: Agent, peer: PeerConfig) {
    this.#agent = agent
    this.#peer = peer
    this.#callId = agent.tokens.take(24)
    this.#tag = agent.tokens.take(12)
  }

  start(now: number): void {
    this.expired('ping', now)
  }

  stop(): void {
    this.#isStopped = true
    this.#agent.timers.stop(this.#timer)
  }

  expired(_name: string, now: number): void {
    this.#agent.timers.set(this.#timer, now + this.#peer.optionsPingSeconds * 1000)
    this.#agent.resolve(hopOfPeer(this.#peer), now, ([flow], later) => {
      if (this.#isStopped) return
      if (flow === undefined) this.#tell(false)
      else this.#send(flow, later)
    })
  }

  responded(_transaction: ClientTransaction, response: IncomingResponse): void {
    if (response.message.status >= 200) this.#tell(true)
  }

  failed(): void {
    this.#tell(false)
  }

  finished(): void {}

  #send(flow: Flow, now: number): void {
    this.#cseq++
    const branch = branchCookie + this.#agent.tokens.take(16)
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
        { name: 'Accept', value: acceptedBody },
        { name: 'User-Agent', value: this.#agent.settings.userAgent },
      ],
    })
    this.#agent.layer.request(request, branch, flow, this, now)
  }

  #tell(isReachable: boolean): void {
    if (this.#isStopped || this.#isReachable === isReachable) return
    this.#isReachable = isReachable
    this.#agent.peerState(this.#peer.id, isReachable ? 'reachable' : 'unreachable')
  }
}
