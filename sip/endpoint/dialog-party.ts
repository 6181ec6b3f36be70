import { type Flow, isReliable, isWebSocket } from '../transaction/flow.ts'
import { addressBytes } from './address-range.ts'
import type { Agent } from './agent.ts'
import { hopOf } from './request.ts'

/** Addresses of one dialog that are remembered: hops, and where they answered from. */
const mostAddresses = 32

/** Whom a call is with: a peer, a softphone of a user, or somebody else's server. */
export type Who =
  | { readonly kind: 'peer'; readonly peerId: string }
  | { readonly kind: 'phone'; readonly userId: string }
  | { readonly kind: 'other' }

/**
 * Where the requests of a call's dialogs may come from. Who knows the tags, from a trace or a log, is not who speaks:
 * a trunk speaks from its own addresses and from the next hops of the dialog, a softphone over its own connection or
 * the one that has taken its place (RFC 5626 §4.4).
 */
export class DialogParty {
  readonly who: Who
  readonly #agent: Agent
  readonly #addresses = new Set<string>()
  #flow: Flow

  /** `first`: where its INVITE came from, or goes to. */
  constructor(agent: Agent, who: Who, first: Flow) {
    this.#agent = agent
    this.who = who
    this.#flow = first
    this.#remember(first.address)
  }

  /** Messages of the dialog go to it, or came from it in answer to ours. */
  reached(flow: Flow): void {
    if (flow === this.#flow) return
    this.#flow = flow
    this.#remember(flow.address)
  }

  /** The next hop of our requests: whoever stands there may speak too. A name is looked up. */
  expect(uri: string, now: number): void {
    if (this.who.kind === 'phone') return
    const hop = hopOf(uri)
    if (hop === undefined) return
    if (addressBytes(hop.host) !== undefined) this.#remember(hop.host.replace(/^\[|\]$/g, ''))
    // A name that a customer's peer chose is looked up when our own requests go there, by the customer's rules.
    else if (this.who.kind === 'peer')
      this.#agent.resolve(hop, now, hops => {
        for (const { address } of hops) this.#remember(address)
      })
  }

  isSource(flow: Flow): boolean {
    if (this.who.kind === 'phone') return this.#isPhone(this.who.userId, flow)
    if (isWebSocket(flow.transport)) return false
    if (this.#addresses.has(flow.address)) return true
    return this.who.kind === 'peer' && this.#agent.isOfPeer(this.who.peerId, flow.address)
  }

  #isPhone(userId: string, flow: Flow): boolean {
    if (isSameFlow(this.#agent.currentFlow(this.#flow), flow)) return true
    return this.#agent.isPhoneOf(userId, flow)
  }

  #remember(address: string): void {
    if (this.#addresses.size < mostAddresses) this.#addresses.add(address)
  }
}

/**
 * The same connection. Without one, and for a connection that was opened again, the same address: a NAT may have given
 * it another port. Behind a proxy all WebSockets have one address, so there only the connection counts.
 */
export function isSameFlow(a: Flow, b: Flow): boolean {
  if (isWebSocket(a.transport) || isWebSocket(b.transport)) return a.socket !== undefined && a.socket === b.socket
  if (isReliable(a.transport) && a.socket !== undefined && a.socket === b.socket) return true
  return a.address === b.address
}
