import { minSessionSeconds } from '../dialog/session-timer.ts'
import type { ParsedMessage } from '../message/fault.ts'
import { formatMessage } from '../message/format.ts'
import type { HeaderField, SipRequest } from '../message/message.ts'
import { defaultPort, type Flow, isReliable } from '../transaction/flow.ts'
import type { IncomingRequest } from '../transaction/incoming.ts'
import { mergeKey } from '../transaction/key.ts'
import type { ServerTransaction } from '../transaction/transaction.ts'
import { subscriberOf } from '../uri/format.ts'
import { parseUri } from '../uri/parse.ts'
import type { Agent, TaggedCall } from './agent.ts'
import { callerOf } from './caller.ts'
import { Challenger } from './challenger.ts'
import { sdpOf } from './fields.ts'
import type { PeerConfig, PeerTable } from './peer.ts'
import { type ReadRequest, readRequest, readResponse } from './read.ts'
import { buildResponse } from './response.ts'
import { screen } from './screening.ts'
import { isIntervalTooSmall } from './session-refresh.ts'
import { acceptedBody, allow, supported } from './settings.ts'

/** An answer to a stranger is never longer than so many times the question. */
const mostAmplification = 3

/** What the reception may ask of the endpoint that it belongs to. */
export interface Desk extends Agent {
  readonly peers: PeerTable
  readonly callCount: number
  /** The call to which a local tag belongs. */
  callOf(localTag: string): TaggedCall | undefined
  openCall(id: string, transaction: ServerTransaction): void
}

/** Everything that comes in: whose it is, whether it is taken, refused or met with silence. */
export class Reception {
  isDraining = false
  readonly #desk: Desk
  readonly #challenger: Challenger
  /** INVITEs that are being dealt with, by what their copies share (RFC 3261 §8.2.2.2). */
  readonly #merges = new Set<string>()
  readonly #statelessTag: string

  constructor(desk: Desk) {
    this.#desk = desk
    this.#challenger = new Challenger(desk.settings, desk.tokens)
    this.#statelessTag = desk.tokens.take(12)
  }

  inviteFinished(invite: IncomingRequest): void {
    this.#merges.delete(mergeKey(invite))
  }

  messageArrived(parsed: ParsedMessage, length: number, flow: Flow, now: number): void {
    this.#desk.counters.received++
    if (!parsed.ok) {
      const isTrusted = this.#desk.peers.bySource(flow.address) !== undefined
      if (isTrusted && parsed.partial !== undefined && parsed.status !== undefined) {
        const { request } = readRequest(parsed.partial, flow)
        if (request.message.method !== 'ACK' && request.via.text !== '') {
          this.#refuse(request, parsed.status, [])
          return
        }
      }
      this.#desk.counters.malformed++
      return
    }
    if (parsed.value.kind === 'response') {
      const response = readResponse(parsed.value, flow)
      if (response === undefined || !this.#desk.layer.responseArrived(response, now)) this.#desk.counters.stray++
      return
    }
    this.#requestArrived(parsed.value, length, flow, now)
  }

  #requestArrived(message: SipRequest, length: number, flow: Flow, now: number): void {
    const read = readRequest(message, flow)
    const { request } = read
    const peer = this.#desk.peers.bySource(flow.address)
    const tagged = request.toTag === undefined ? undefined : this.#desk.callOf(request.toTag)
    const call = tagged?.callId === request.callId ? tagged : undefined
    if (read.refusal === undefined) {
      const arrival = this.#desk.layer.requestArrived(request, now)
      if (arrival === 'absorbed') return
      if (arrival === 'stray-ack') {
        if (call === undefined) this.#desk.counters.stray++
        else call.ackArrived(request, now)
        return
      }
    }
    const isOurs =
      call !== undefined || (message.method === 'CANCEL' && this.#desk.layer.inviteOf(request) !== undefined)
    if (peer === undefined && !isOurs) {
      this.#strangerArrived(read, length, now)
      return
    }
    if (message.method === 'ACK' || request.via.text === '') {
      this.#desk.counters.stray++
      return
    }
    const refusal = screen(read)
    if (refusal !== undefined) {
      this.#refuse(request, refusal.status, refusal.fields)
      return
    }
    if (message.method === 'CANCEL') this.#cancelArrived(request, now)
    else if (request.toTag !== undefined) this.#inDialogArrived(request, call, now)
    else if (peer !== undefined) this.#outOfDialogArrived(request, peer, now)
  }

  #inDialogArrived(request: IncomingRequest, call: TaggedCall | undefined, now: number): void {
    if (call === undefined) {
      this.#refuse(request, 481, [])
      return
    }
    const transaction = this.#accept(request)
    if (transaction === undefined) return
    if (request.message.method === 'INVITE') this.#desk.respond(transaction, 100, now)
    call.requestArrived(transaction, now)
  }

  #outOfDialogArrived(request: IncomingRequest, peer: PeerConfig, now: number): void {
    switch (request.message.method) {
      case 'INVITE':
        this.#inviteArrived(request, peer, now)
        return
      case 'OPTIONS':
        this.#refuse(request, 200, this.#abilities())
        return
      case 'REGISTER':
        this.#refuse(request, 401, this.#challenger.challenge(now))
        return
      default:
        this.#refuse(request, 481, [])
    }
  }

  #inviteArrived(request: IncomingRequest, peer: PeerConfig, now: number): void {
    if (this.#merges.has(mergeKey(request))) {
      this.#refuse(request, 482, [])
      return
    }
    if (this.isDraining || this.#desk.callCount >= this.#desk.settings.limits.calls) {
      if (!this.isDraining) this.#desk.counters.overloaded++
      this.#refuse(request, 503, [{ name: 'Retry-After', value: '5' }])
      return
    }
    if (isIntervalTooSmall(request.message)) {
      this.#refuse(request, 422, [{ name: 'Min-SE', value: String(minSessionSeconds) }])
      return
    }
    const transaction = this.#accept(request)
    if (transaction === undefined) return
    this.#merges.add(mergeKey(request))
    this.#desk.respond(transaction, 100, now)
    const id = this.#desk.settings.newId()
    this.#desk.openCall(id, transaction)
    this.#desk.counters.callsOffered++
    const sdp = sdpOf(request.message)
    const uri = parseUri(request.message.uri)
    const to = (uri.ok && subscriberOf(uri.value)) || ''
    this.#desk.emit({
      type: 'offered',
      id,
      peerId: peer.id,
      from: callerOf(request),
      to,
      ...(sdp === undefined ? {} : { sdp }),
    })
  }

  #cancelArrived(cancel: IncomingRequest, now: number): void {
    const invite = this.#desk.layer.inviteOf(cancel)
    if (invite === undefined) {
      this.#refuse(cancel, 481, [])
      return
    }
    const transaction = this.#accept(cancel)
    if (transaction === undefined) return
    this.#desk.respond(transaction, 200, now, { toTag: this.#statelessTag })
    invite.owner?.cancelled(invite, cancel, now)
  }

  /** Nobody we know: OPTIONS and digest credentials get an answer, all else silence. */
  #strangerArrived(read: ReadRequest, length: number, now: number): void {
    const { request } = read
    const { method } = request.message
    if (read.refusal !== undefined || (method !== 'OPTIONS' && method !== 'INVITE') || screen(read) !== undefined) {
      this.#desk.counters.dropped++
      return
    }
    if (method === 'OPTIONS') {
      const bytes = this.#stateless(request, 200, this.#abilities())
      if (length > 0 && bytes.length > mostAmplification * length) this.#desk.counters.dropped++
      else this.#desk.resend(request.replyTo, bytes)
      return
    }
    if (this.#desk.peers.byCredentials.length === 0 || request.toTag !== undefined) {
      this.#desk.counters.dropped++
      return
    }
    const verdict = this.#challenger.check(request.message, this.#desk.peers.byCredentials, now)
    if (verdict.peer !== undefined) this.#inviteArrived(request, verdict.peer, now)
    else {
      this.#desk.counters.challenged++
      this.#refuse(request, 401, this.#challenger.challenge(now, verdict.stale))
    }
  }

  #abilities() {
    return [
      { name: 'Allow', value: allow },
      { name: 'Accept', value: acceptedBody },
      { name: 'Supported', value: supported },
    ]
  }

  /** Begins a transaction, unless there are too many. */
  #accept(request: IncomingRequest): ServerTransaction | undefined {
    if (this.#desk.layer.serverCount >= this.#desk.settings.limits.serverTransactions) {
      this.#desk.counters.overloaded++
      this.#refuse(request, 503, [{ name: 'Retry-After', value: '5' }])
      return undefined
    }
    const transaction = this.#desk.layer.accept(request)
    const { flow, via } = request
    if (isReliable(flow.transport))
      transaction.fallback = { ...flow, socket: undefined, port: via.port ?? defaultPort(flow.transport) }
    return transaction
  }

  /** RFC 3261 §8.2.7: an answer without a transaction; the same question gets the same answer, tag and all. */
  #refuse(request: IncomingRequest, status: number, fields: readonly HeaderField[]): void {
    this.#desk.resend(request.replyTo, this.#stateless(request, status, fields))
  }

  #stateless(request: IncomingRequest, status: number, fields: readonly HeaderField[] = []): Uint8Array {
    return formatMessage(buildResponse(request, status, { toTag: this.#statelessTag, fields }))
  }
}
