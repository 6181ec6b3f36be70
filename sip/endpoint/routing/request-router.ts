import type { ParsedMessage } from '../../message/fault.ts'
import type { SipRequest } from '../../message/message.ts'
import { isAckTo } from '../../message/peek.ts'
import { type Flow, isWebSocket } from '../../network/flow.ts'
import type { PhoneDirectory } from '../../registrar/phone.ts'
import type { IncomingRequest, IncomingResponse } from '../../transaction/incoming.ts'
import type { TransactionLayer } from '../../transaction/layer.ts'
import { type ReadRequest, readRequest, readResponse } from '../../transaction/read-incoming.ts'
import type { ClientTransaction, ServerTransaction } from '../../transaction/transaction.ts'
import type { PeerConfig } from '../peers/peer.ts'
import type { Claims } from '../phones/claims.ts'
import type { TaggedCall } from '../services/services.ts'
import { acceptField, allowField, supportedField } from '../services/settings.ts'
import { isSameFlow } from '../session/dialog-remote.ts'
import { NewCalls } from './new-calls.ts'
import { Responder } from './responder.ts'
import type { RoutingServices } from './routing-services.ts'
import { screen } from './screening.ts'
import { SignIns } from './sign-ins.ts'
import { SourceLimits } from './source-limits.ts'
import { UnknownSourceNotices } from './unknown-source-notices.ts'
import type { UnreadRefusal } from './unread-invites.ts'

/** Most that an answer to a datagram of an unknown source may exceed the length of the request. */
const mostAmplification = 1.5
const answeredMethods: ReadonlySet<string> = new Set(['OPTIONS', 'INVITE', 'REGISTER'])

/** Everything that comes in: whose it is, whether it is taken, refused or met with silence. */
export class RequestRouter {
  readonly #services: RoutingServices
  readonly #responder: Responder
  readonly #signIns: SignIns
  readonly #newCalls: NewCalls
  readonly #notices: UnknownSourceNotices
  readonly #limits = new SourceLimits()
  readonly #refusalTag: Uint8Array

  constructor(services: RoutingServices, phones: PhoneDirectory) {
    this.#services = services
    this.#responder = new Responder(services)
    this.#signIns = new SignIns(services, this.#responder, this.#limits, phones)
    this.#newCalls = new NewCalls(services, this.#responder, flow => this.#signIns.isPhone(flow))
    this.#notices = new UnknownSourceNotices(call => services.unknownSourceDropped(call))
    this.#refusalTag = new TextEncoder().encode(`;tag=${this.#responder.tag}`)
  }

  /** New calls are refused. */
  set isDraining(isOn: boolean) {
    this.#newCalls.isDraining = isOn
  }

  flowClosed(flow: Flow): void {
    this.#signIns.flowClosed(flow)
  }

  inviteFinished(merged: string): void {
    this.#newCalls.finished(merged)
  }

  /** It ends nothing that we keep (RFC 3261 §8.2.7), and under load it is the most frequent message. */
  isAckOfRefusal(bytes: Uint8Array): boolean {
    if (!isAckTo(bytes, this.#refusalTag)) return false
    this.#services.counters.received++
    return true
  }

  /** An INVITE that is refused by load before it is parsed; undefined: it is to be read. */
  refusalOf(bytes: Uint8Array, flow: Flow, now: number, waitedMs: number): UnreadRefusal | undefined {
    return this.#newCalls.refusalOf(bytes, flow, now, waitedMs)
  }

  isKnownSource(flow: Flow): boolean {
    return this.#peerAt(flow) !== undefined || this.#signIns.isPhone(flow)
  }

  messageArrived(parsed: ParsedMessage, length: number, flow: Flow, now: number, waitedMs = 0): void {
    this.#services.counters.received++
    this.#newCalls.waitedMs = waitedMs
    if (!parsed.ok) {
      if (this.isKnownSource(flow) && parsed.partial !== undefined && parsed.status !== undefined) {
        const { request } = readRequest(parsed.partial, flow)
        if (request.message.method !== 'ACK' && request.via.text !== '') {
          this.#responder.respond(request, parsed.status, [])
          return
        }
      }
      this.#services.counters.malformed++
      return
    }
    if (parsed.value.kind === 'response') {
      this.#responseArrived(readResponse(parsed.value, flow), now)
      return
    }
    this.#requestArrived(parsed.value, length, flow, now)
  }

  #responseArrived(response: IncomingResponse | undefined, now: number): void {
    const { layer, counters } = this.#services
    const transaction = response && layer.clientOf(response)
    if (response === undefined || transaction === undefined) counters.stray++
    else if (this.#isFromItsTarget(transaction, response.flow)) layer.responseArrived(response, now, transaction)
    else {
      counters.foreign++
      this.#services.foreignResponse({ address: response.flow.address, expected: transaction.flow.address }, now)
    }
  }

  /**
   * RFC 3581 §4: a response comes from where its request went. From elsewhere it is a forgery of who has seen the branch, and
   * would move the dialog; a NAT may change the port, and a trunk may answer from another of its addresses.
   */
  #isFromItsTarget({ flow: sent, owner }: ClientTransaction, flow: Flow): boolean {
    return isSameFlow(this.#services.currentFlow(sent), flow) || owner.isSource?.(flow) === true
  }

  #requestArrived(message: SipRequest, length: number, flow: Flow, now: number): void {
    const read = readRequest(message, flow)
    const { request } = read
    const isPhone = this.#signIns.isPhone(flow)
    const peer = isPhone ? undefined : this.#peerAt(flow)
    const tagged = request.toTag === undefined ? undefined : this.#services.callOf(request.toTag)
    const call = tagged?.callId === request.callId ? tagged : undefined
    const isForeign = call !== undefined && !call.isSource(flow)
    if (isForeign || (read.refusal === undefined && !this.#isFromItsSource(request))) {
      this.#foreignArrived(read, now)
      return
    }
    if (read.refusal === undefined) {
      const arrival = this.#services.layer.requestArrived(request, now)
      if (arrival === 'absorbed') return
      if (arrival === 'stray-ack') {
        if (call === undefined) this.#services.counters.stray++
        else call.ackArrived(request, now)
        return
      }
    }
    const isOurs =
      call !== undefined || (message.method === 'CANCEL' && this.#services.layer.inviteOf(request) !== undefined)
    if (peer === undefined && !isOurs && !isPhone) {
      this.#unknownSourceArrived(read, length, now)
      return
    }
    if (message.method === 'ACK' || request.via.text === '') {
      this.#services.counters.stray++
      return
    }
    const refusal = screen(read)
    if (refusal !== undefined) {
      this.#responder.respond(request, refusal.status, refusal.fields)
      return
    }
    if (message.method === 'CANCEL') this.#cancelArrived(request, now)
    else if (request.toTag !== undefined) this.#inDialogArrived(request, call, now)
    else {
      const claims = needsSignIn(request, peer) ? this.#signIns.claimsOf(request, now) : undefined
      if (claims === undefined || this.#signIns.mayAskAgain(request, claims, now))
        this.#outOfDialogArrived(request, peer, claims, now)
    }
  }

  /** A retransmission, an ACK or a CANCEL of another sender's request would redirect its responses, or undo it. */
  #isFromItsSource(request: IncomingRequest): boolean {
    const known = serverOf(this.#services.layer, request)
    if (known === undefined) return true
    const { flow } = request
    const { owner } = known
    if (owner?.isSource !== undefined) return owner.isSource(flow)
    const before = known.request.flow
    if (isSameFlow(this.#services.currentFlow(before), flow)) return true
    const peer = this.#services.peers.bySource(before.address)
    return peer !== undefined && !isWebSocket(flow.transport) && this.#services.isOfPeer(peer.id, flow.address)
  }

  /** The sender knows tags or a branch of ours, but is not the party that they belong to. */
  #foreignArrived({ request, refusal }: ReadRequest, now: number): void {
    this.#services.counters.foreign++
    const { method } = request.message
    const isAnswered = method === 'CANCEL' || (method !== 'ACK' && request.toTag !== undefined)
    if (refusal === undefined && isAnswered && this.#limits.mayAsk(request.flow, '', now))
      this.#responder.respond(request, 481, [])
  }

  /** A page in a browser at a trunk's address is no trunk. */
  #peerAt(flow: Flow): PeerConfig | undefined {
    return isWebSocket(flow.transport) ? undefined : this.#services.peers.bySource(flow.address)
  }

  #inDialogArrived(request: IncomingRequest, call: TaggedCall | undefined, now: number): void {
    if (call === undefined) {
      this.#responder.respond(request, 481, [])
      return
    }
    const transaction = this.#responder.accept(request, call)
    if (transaction === undefined) return
    this.#services.flowKnown(request.flow)
    if (request.message.method === 'INVITE') this.#services.respond(transaction, 100, now)
    call.requestArrived(transaction, now)
  }

  /** `peer` undefined: from a softphone, which has to prove who it is. */
  #outOfDialogArrived(
    request: IncomingRequest,
    peer: PeerConfig | undefined,
    claims: Claims | undefined,
    now: number,
  ): void {
    switch (request.message.method) {
      case 'INVITE':
        if (peer !== undefined) this.#newCalls.arrived(request, { peer }, now)
        // Digests cost more than a refusal.
        else if (!this.#newCalls.isOpenToPhones(now)) this.#newCalls.turnAway(request, now)
        else if (claims !== undefined)
          this.#signIns.phone(request, claims, now, phone => this.#newCalls.arrived(request, { phone }, now))
        return
      case 'OPTIONS':
        this.#responder.respond(request, 200, this.#abilities())
        return
      case 'REGISTER':
        if (claims !== undefined)
          this.#signIns.phone(request, claims, now, phone => this.#signIns.register(request, phone, now))
        return
      default:
        this.#responder.respond(request, 481, [])
    }
  }

  #cancelArrived(cancel: IncomingRequest, now: number): void {
    const invite = this.#services.layer.inviteOf(cancel)
    if (invite === undefined) {
      this.#responder.respond(cancel, 481, [])
      return
    }
    const transaction = this.#responder.accept(cancel)
    if (transaction === undefined) return
    this.#services.respond(transaction, 200, now, { toTag: this.#responder.tag })
    invite.owner?.cancelled(invite, cancel, now)
  }

  /**
   * An unknown source: OPTIONS and senders that may authenticate get an answer, the same for every name; all else
   * gets none.
   */
  #unknownSourceArrived(read: ReadRequest, length: number, now: number): void {
    const { request } = read
    const { method } = request.message
    const isAsking = read.refusal === undefined && answeredMethods.has(method) && request.toTag === undefined
    if (!isAsking || screen(read) !== undefined || !this.#signIns.mayProve(request)) {
      if (isAsking && screen(read) === undefined) this.#notices.dropped(read, now)
      this.#services.counters.dropped++
      return
    }
    const claims = this.#signIns.claimsOf(request, now)
    if (!this.#signIns.mayAsk(request, claims, now)) return
    // A datagram's source may be forged: then the answer goes to a victim.
    this.#responder.mostBytes = request.flow.transport === 'udp' && length > 0 ? mostAmplification * length : undefined
    const isPeer = this.#signIns.peer(request, claims, now, peer => this.#newCalls.arrived(request, { peer }, now))
    if (!isPeer) this.#outOfDialogArrived(request, undefined, claims, now)
    this.#responder.mostBytes = undefined
  }

  #abilities() {
    return [allowField, acceptField, supportedField]
  }
}

/** A trunk's calls are taken by its address, and it registers like a phone. */
const needsSignIn = ({ message: { method } }: IncomingRequest, peer: PeerConfig | undefined): boolean =>
  method === 'REGISTER' || (method === 'INVITE' && peer === undefined)

/** The transaction to which a request belongs: a repetition, an ACK, or the INVITE that a CANCEL means. */
function serverOf(layer: TransactionLayer, request: IncomingRequest): ServerTransaction | undefined {
  const { method } = request.message
  if (method !== 'CANCEL') return layer.inviteOf(request, method === 'ACK' ? 'INVITE' : method)
  return layer.inviteOf(request) ?? layer.inviteOf(request, method)
}
