import { minSessionSeconds } from '../dialog/session-timer.ts'
import { parseAssertedIdentity } from '../header/asserted-identity.ts'
import { parseNameAddr } from '../header/name-addr.ts'
import type { Machine } from '../machine.ts'
import type { ParsedMessage } from '../message/fault.ts'
import { formatMessage } from '../message/format.ts'
import { headersOf } from '../message/headers.ts'
import type { SipRequest } from '../message/message.ts'
import { parseMessage } from '../message/parse.ts'
import { defaultPort, type Flow, isReliable } from '../transaction/flow.ts'
import type { IncomingRequest } from '../transaction/incoming.ts'
import { mergeKey } from '../transaction/key.ts'
import { TransactionLayer } from '../transaction/layer.ts'
import { TimerQueue } from '../transaction/timer-queue.ts'
import type { ServerTransaction, TimerOwner } from '../transaction/transaction.ts'
import { userOf } from '../uri/format.ts'
import { parseUri } from '../uri/parse.ts'
import { formatAckTo } from './ack.ts'
import type { Agent, TaggedCall } from './agent.ts'
import type { CallCommand, HopName } from './call-command.ts'
import type { CallEvent } from './call-event.ts'
import { Challenger } from './challenger.ts'
import { type Counters, newCounters } from './counters.ts'
import { sdpOf } from './fields.ts'
import { HopCache } from './hop-cache.ts'
import { IncomingCall } from './incoming-call.ts'
import type { EndpointInput, EndpointOutput, PeerState } from './input.ts'
import { OutgoingCall } from './outgoing-call.ts'
import { type PeerConfig, PeerTable } from './peer.ts'
import { PeerWatch } from './peer-watch.ts'
import { readRequest, readResponse } from './read.ts'
import { buildResponse, type ResponseParts } from './response.ts'
import { screen } from './screening.ts'
import { isIntervalTooSmall } from './session-refresh.ts'
import { acceptedBody, allow, type EndpointSettings, supported } from './settings.ts'
import { Tokens } from './tokens.ts'

/** An answer to a stranger is never longer than so many times the question. */
const mostAmplification = 3

/**
 * The user agent as a machine: messages and commands in, messages and events out. It owns the transactions, the
 * calls, and what keeps us known to our peers; whoever owns the sockets drives it.
 */
export class Endpoint implements Machine<EndpointInput, EndpointOutput>, Agent {
  readonly settings: EndpointSettings
  readonly timers = new TimerQueue<TimerOwner>()
  readonly tokens: Tokens
  readonly counters: Counters = newCounters()
  readonly layer: TransactionLayer
  readonly peers = new PeerTable()
  readonly challenger: Challenger
  readonly #watch: PeerWatch
  readonly #hops: HopCache
  readonly #calls = new Map<string, IncomingCall | OutgoingCall>()
  readonly #byTag = new Map<string, TaggedCall>()
  /** INVITEs that are being dealt with, by what their copies share (RFC 3261 §8.2.2.2). */
  readonly #merges = new Set<string>()
  readonly #statelessTag: string
  #draining = false
  #out: EndpointOutput[] = []

  constructor(settings: EndpointSettings) {
    this.settings = settings
    this.tokens = new Tokens(settings.random)
    this.#statelessTag = this.tokens.take(12)
    this.#hops = new HopCache(settings.limits.lookups)
    this.challenger = new Challenger(settings, this.tokens)
    this.#watch = new PeerWatch(this)
    this.layer = new TransactionLayer({
      timers: settings.timers,
      queue: this.timers,
      send: (flow, bytes, transaction) => {
        this.counters.sent++
        this.#out.push({ type: 'send', flow, bytes, transaction })
      },
      format: formatMessage,
      formatAck: formatAckTo,
    })
  }

  /** Calls that have not ended. */
  get callCount(): number {
    return this.#calls.size
  }

  /** Dialogs that requests may name. */
  get tagCount(): number {
    return this.#byTag.size
  }

  handle(input: EndpointInput, now: number): readonly EndpointOutput[] {
    switch (input.type) {
      case 'received':
        this.#messageArrived(parseMessage(input.bytes), input.bytes.length, input.flow, now)
        break
      case 'message':
        this.#messageArrived(input.parsed, 0, input.flow, now)
        break
      case 'send-failed':
        this.layer.transportFailed(input.transaction, now)
        break
      case 'resolved':
        this.#hops.resolved(input.lookup, input.hops, now)
        break
      case 'peers':
        this.peers.replace(input.peers)
        this.#watch.replace(input.peers, now)
        break
      case 'drain':
        this.#draining = input.on
        break
      default:
        this.#command(input, now)
    }
    return this.#take()
  }

  timeout(now: number): readonly EndpointOutput[] {
    for (let timer = this.timers.takeExpired(now); timer !== undefined; timer = this.timers.takeExpired(now))
      timer.owner.expired(timer.name, now)
    return this.#take()
  }

  deadline(): number | undefined {
    return this.timers.deadline()
  }

  // What calls, registrations and pings use.

  emit(event: CallEvent): void {
    this.#out.push({ type: 'call', event })
  }

  peerState(peerId: string, state: PeerState): void {
    this.#out.push({ type: 'peer', peerId, state })
  }

  sendAck(flow: Flow, ack: SipRequest): Uint8Array {
    const bytes = formatMessage(ack)
    this.resend(flow, bytes)
    return bytes
  }

  resend(flow: Flow, bytes: Uint8Array): void {
    this.counters.sent++
    this.#out.push({ type: 'send', flow, bytes, transaction: undefined })
  }

  respond(transaction: ServerTransaction, status: number, now: number, parts: ResponseParts = {}): Uint8Array {
    const bytes = formatMessage(buildResponse(transaction.request, status, parts))
    this.layer.respond(transaction, status, bytes, now)
    return bytes
  }

  resolve(hop: HopName, now: number, use: (hops: readonly Flow[], now: number) => void): void {
    const begun = this.#hops.resolve(hop, now, use)
    if (begun?.ask === true) this.#out.push({ type: 'resolve', lookup: begun.lookup, hop })
  }

  bindTag(localTag: string, call: TaggedCall | undefined): void {
    if (call === undefined) this.#byTag.delete(localTag)
    else this.#byTag.set(localTag, call)
  }

  inviteFinished(invite: IncomingRequest): void {
    this.#merges.delete(mergeKey(invite))
  }

  release(id: string): void {
    if (this.#calls.delete(id)) this.counters.callsEnded++
  }

  #take(): readonly EndpointOutput[] {
    const out = this.#out
    this.#out = []
    return out
  }

  #command(command: CallCommand, now: number): void {
    if (command.type === 'dial') {
      this.#dial(command, now)
      return
    }
    const call = this.#calls.get(command.id)
    if (call === undefined) return
    switch (command.type) {
      case 'ring':
        if (call instanceof IncomingCall) call.ring(now)
        break
      case 'progress':
        if (call instanceof IncomingCall) call.progress(command.sdp, now)
        break
      case 'answer':
        if (call instanceof IncomingCall) call.answer(command.sdp, now)
        break
      case 'end':
        call.end(command.words, now)
        break
      case 'reoffer':
        call.session?.reoffer(command.sdp, now)
        break
      case 'reanswer':
        call.session?.reanswer(command.sdp, now)
        break
      case 'refuse-reoffer':
        call.session?.refuseReoffer(now)
        break
    }
  }

  #dial(command: Extract<CallCommand, { type: 'dial' }>, now: number): void {
    if (this.#calls.has(command.id)) return
    this.counters.callsDialled++
    if (this.#calls.size >= this.settings.limits.calls) {
      this.counters.overloaded++
      this.counters.callsEnded++
      this.emit({ type: 'ended', id: command.id, cause: { kind: 'response', status: 503 } })
      return
    }
    const call = new OutgoingCall(this, command)
    this.#calls.set(command.id, call)
    call.start(now)
  }

  #messageArrived(parsed: ParsedMessage, length: number, flow: Flow, now: number): void {
    this.counters.received++
    if (!parsed.ok) {
      const isTrusted = this.peers.bySource(flow.address) !== undefined
      if (isTrusted && parsed.partial !== undefined && parsed.status !== undefined) {
        const { request } = readRequest(parsed.partial, flow)
        if (request.message.method !== 'ACK' && request.via.text !== '') {
          this.#refuse(request, parsed.status, [])
          return
        }
      }
      this.counters.malformed++
      return
    }
    if (parsed.value.kind === 'response') {
      const response = readResponse(parsed.value, flow)
      if (response === undefined || !this.layer.responseArrived(response, now)) this.counters.stray++
      return
    }
    this.#requestArrived(parsed.value, length, flow, now)
  }

  #requestArrived(message: SipRequest, length: number, flow: Flow, now: number): void {
    const read = readRequest(message, flow)
    const { request } = read
    const peer = this.peers.bySource(flow.address)
    const tagged = request.toTag === undefined ? undefined : this.#byTag.get(request.toTag)
    const call = tagged?.callId === request.callId ? tagged : undefined
    if (read.refusal === undefined) {
      const arrival = this.layer.requestArrived(request, now)
      if (arrival === 'absorbed') return
      if (arrival === 'stray-ack') {
        if (call === undefined) this.counters.stray++
        else call.ackArrived(request, now)
        return
      }
    }
    const isOurs = call !== undefined || (message.method === 'CANCEL' && this.layer.inviteOf(request) !== undefined)
    if (peer === undefined && !isOurs) {
      this.#strangerArrived(read, length, now)
      return
    }
    if (message.method === 'ACK' || request.via.text === '') {
      this.counters.stray++
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
    if (request.message.method === 'INVITE') this.respond(transaction, 100, now)
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
        this.#refuse(request, 401, this.challenger.challenge(now))
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
    if (this.#draining || this.#calls.size >= this.settings.limits.calls) {
      if (!this.#draining) this.counters.overloaded++
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
    this.respond(transaction, 100, now)
    const id = this.settings.newId()
    const call = new IncomingCall(this, id, transaction)
    this.#calls.set(id, call)
    this.counters.callsOffered++
    const sdp = sdpOf(request.message)
    const uri = parseUri(request.message.uri)
    const to = (uri.ok && userOf(uri.value)) || ''
    this.emit({
      type: 'offered',
      id,
      peerId: peer.id,
      from: callerOf(request),
      to,
      ...(sdp === undefined ? {} : { sdp }),
    })
  }

  #cancelArrived(cancel: IncomingRequest, now: number): void {
    const invite = this.layer.inviteOf(cancel)
    if (invite === undefined) {
      this.#refuse(cancel, 481, [])
      return
    }
    const transaction = this.#accept(cancel)
    if (transaction === undefined) return
    this.respond(transaction, 200, now, { toTag: this.#statelessTag })
    invite.owner?.cancelled(invite, cancel, now)
  }

  /** Nobody we know: OPTIONS and digest credentials get an answer, all else silence. */
  #strangerArrived(read: ReturnType<typeof readRequest>, length: number, now: number): void {
    const { request } = read
    const { method } = request.message
    if (read.refusal !== undefined || (method !== 'OPTIONS' && method !== 'INVITE') || screen(read) !== undefined) {
      this.counters.dropped++
      return
    }
    if (method === 'OPTIONS') {
      const bytes = this.#stateless(request, 200, this.#abilities())
      if (length > 0 && bytes.length > mostAmplification * length) this.counters.dropped++
      else this.resend(request.replyTo, bytes)
      return
    }
    if (this.peers.byCredentials.length === 0 || request.toTag !== undefined) {
      this.counters.dropped++
      return
    }
    const verdict = this.challenger.check(request.message, this.peers.byCredentials, now)
    if (verdict.peer !== undefined) this.#inviteArrived(request, verdict.peer, now)
    else {
      this.counters.challenged++
      this.#refuse(request, 401, this.challenger.challenge(now, verdict.stale))
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
    if (this.layer.serverCount >= this.settings.limits.serverTransactions) {
      this.counters.overloaded++
      this.#refuse(request, 503, [{ name: 'Retry-After', value: '5' }])
      return undefined
    }
    const transaction = this.layer.accept(request)
    const { flow, via } = request
    if (isReliable(flow.transport))
      transaction.fallback = { ...flow, socket: undefined, port: via.port ?? defaultPort(flow.transport) }
    return transaction
  }

  /** RFC 3261 §8.2.7: an answer without a transaction; the same question gets the same answer, tag and all. */
  #refuse(request: IncomingRequest, status: number, fields: ResponseParts['fields']): void {
    this.resend(request.replyTo, this.#stateless(request, status, fields))
  }

  #stateless(request: IncomingRequest, status: number, fields: ResponseParts['fields'] = []): Uint8Array {
    return formatMessage(buildResponse(request, status, { toTag: this.#statelessTag, fields }))
  }
}

/** P-Asserted-Identity of a peer that we trust, else From (RFC 3325 §9.1). */
function callerOf(request: IncomingRequest): { readonly user: string; readonly displayName: string } {
  const asserted = parseAssertedIdentity(headersOf(request.message, 'P-Asserted-Identity'))
  const first = asserted.ok ? asserted.value.find(address => address.uri.kind !== 'other') : undefined
  const from = parseNameAddr(request.from)
  const address = first ?? (from.ok ? from.value : undefined)
  if (address === undefined) return { user: '', displayName: '' }
  return { user: userOf(address.uri) ?? '', displayName: address.displayName }
}
