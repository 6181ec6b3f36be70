import { isAddress } from '../../network/address-range.ts'
import { type Flow, isReliable, isWebSocket } from '../../network/flow.ts'
import type { ClientOwner } from '../../transaction/transaction.ts'
import { hopOf } from '../services/request.ts'
import type { EndpointServices } from '../services/services.ts'

/** Addresses of one dialog that are remembered: hops, and where they answered from. */
const mostAddresses = 32

/** Identity of the remote of a call: a trunk (`peer`), a phone of an end-user, or another server (`other`). */
export type RemoteIdentity =
  | { readonly kind: 'peer'; readonly peerId: string }
  | { readonly kind: 'phone'; readonly userId: string }
  | { readonly kind: 'other' }

/**
 * Where the requests of a call's dialogs may come from. Knowing the tags, from a trace or a log, proves nothing:
 * a trunk sends from its own addresses and from the next hops of the dialog, a softphone over its own connection or
 * the one that has taken its place (RFC 5626 §4.4). Also the owner of a request of ours whose outcome means nothing, or
 * nothing any more.
 */
export class DialogRemote implements ClientOwner {
  readonly identity: RemoteIdentity
  readonly #services: EndpointServices
  /** Mostly one; a list of one takes a tenth of the memory of a set. */
  readonly #addresses: string[]
  #flow: Flow

  /** `first`: where its INVITE came from, or goes to. */
  constructor(services: EndpointServices, identity: RemoteIdentity, first: Flow) {
    this.#services = services
    this.identity = identity
    this.#flow = first
    this.#addresses = [first.address]
  }

  /** Messages of the dialog go to it, or came from it in answer to ours. */
  learnFlow(flow: Flow): void {
    if (flow === this.#flow) return
    this.#flow = flow
    this.#remember(flow.address)
  }

  /** Where the target's name leads: a request goes to one of them, and may be answered by another. */
  learnHops(hops: readonly Flow[]): void {
    for (const { address } of hops) this.#remember(address)
  }

  /** The next hop of our requests: requests may come from there, too. A name is looked up. */
  learnNextHop(uri: string, now: number): void {
    if (this.identity.kind === 'phone') return
    const hop = hopOf(uri)
    if (hop === undefined) return
    if (isAddress(hop.host)) this.#remember(hop.host.replace(/^\[|\]$/g, ''))
    // A name that a customer's target chose is looked up when our own requests go there, by the customer's rules.
    else if (this.identity.kind === 'peer')
      this.#services.resolve(hop, now, hops => {
        for (const { address } of hops) this.#remember(address)
      })
  }

  isSource(flow: Flow): boolean {
    if (this.identity.kind === 'phone') return this.#isPhone(this.identity.userId, flow)
    if (isWebSocket(flow.transport)) return false
    if (this.#addresses.includes(flow.address)) return true
    return this.identity.kind === 'peer' && this.#services.isOfPeer(this.identity.peerId, flow.address)
  }

  responded(): void {}
  failed(): void {}
  finished(): void {}

  #isPhone(userId: string, flow: Flow): boolean {
    if (isSameFlow(this.#services.currentFlow(this.#flow), flow)) return true
    return this.#services.isPhoneOf(userId, flow)
  }

  #remember(address: string): void {
    if (this.#addresses.length < mostAddresses && !this.#addresses.includes(address)) this.#addresses.push(address)
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
