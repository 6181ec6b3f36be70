import { assertNever } from '../base/assert-never.ts'
import type { Machine } from '../base/machine.ts'
import { NoticeLimit } from '../base/notice-limit.ts'
import { OctetPool } from '../base/octet-pool.ts'
import { TextMap } from '../base/text-map.ts'
import { Tokens } from '../base/tokens.ts'
import type { ChallengeRefusal, CredentialScope } from '../digest/credential-scope.ts'
import type { SipRequest } from '../message/message.ts'
import { parseMessage } from '../message/parse.ts'
import { writeMessage } from '../message/write.ts'
import { type Flow, isReliable } from '../network/flow.ts'
import { noPhones } from '../registrar/phone.ts'
import { type PhoneMove, Registrar } from '../registrar/registrar.ts'
import { formatAckTo } from '../transaction/ack.ts'
import { TransactionLayer } from '../transaction/layer.ts'
import { type ResponseParts, writeResponse } from '../transaction/response.ts'
import { TimerQueue } from '../transaction/timer-queue.ts'
import type { ServerTransaction, TimerOwner } from '../transaction/transaction.ts'
import { trimSettled } from '../transaction/trim-settled.ts'
import { escapeUser } from '../uri/escape.ts'
import { formatHost } from '../uri/host.ts'
import { dumpOfCall, type EndpointCallDump } from './call-dump.ts'
import { IncomingCall, type OfferedInvite } from './calls/incoming-call.ts'
import { OutgoingCall } from './calls/outgoing-call.ts'
import { FlowLoss } from './flow-loss.ts'
import type { EndpointInput, EndpointOutput } from './input.ts'
import { PeerTable } from './peers/peer.ts'
import { PeerWatch } from './peers/peer-watch.ts'
import { notifyRegistrationEnded } from './phones/registration-notice.ts'
import { RequestRouter } from './routing/request-router.ts'
import type { RoutingServices } from './routing/routing-services.ts'
import type { DroppedCall, ForeignResponse } from './routing/unknown-source-notices.ts'
import type { UnreadRefusal } from './routing/unread-invites.ts'
import type { CallCommand, HopName } from './services/call-command.ts'
import type { CallEvent } from './services/call-event.ts'
import { type Counters, newCounters } from './services/counters.ts'
import { HopCache, type UseHops } from './services/hop-cache.ts'
import type { Credentialed, PeerState, TaggedCall } from './services/services.ts'
import type { EndpointSettings } from './services/settings.ts'

const nothing: readonly EndpointOutput[] = []
/** Q.850 cause of a softphone that has gone. */
const subscriberAbsent = 20

/**
 * The user agent as a machine: messages and commands in, messages and events out. It owns the transactions, the
 * calls, and what keeps us registered with our peers; the owner of the sockets drives it.
 */
export class Endpoint implements Machine<EndpointInput, EndpointOutput>, RoutingServices {
  readonly settings: EndpointSettings
  readonly timers = new TimerQueue<TimerOwner>()
  readonly tokens: Tokens
  /** Messages that may be asked for again within half a minute. */
  readonly #settled = new OctetPool()
  readonly counters: Counters = newCounters()
  readonly layer: TransactionLayer
  readonly peers = new PeerTable()
  readonly registrar: Registrar
  readonly #router: RequestRouter
  readonly #watch: PeerWatch
  readonly #hops: HopCache
  readonly #refusedChallenges = new NoticeLimit()
  readonly #foreignResponses = new NoticeLimit()
  readonly #calls = new TextMap<string, IncomingCall | OutgoingCall>()
  /** Calls that may be unanswered: a lost connection ends, and a new one moves, only these. */
  readonly #settingUp = new Set<IncomingCall | OutgoingCall>()
  readonly #byTag = new TextMap<string, TaggedCall>()
  #out: EndpointOutput[] = []

  constructor(settings: EndpointSettings) {
    this.settings = settings
    this.tokens = new Tokens(settings.random)
    this.registrar = new Registrar({ timers: this.timers, newId: () => this.tokens.take(16) }, settings.registrar)
    this.#hops = new HopCache(settings.limits.lookups)
    this.#router = new RequestRouter(this, settings.phones ?? noPhones)
    this.#watch = new PeerWatch(this)
    this.layer = new TransactionLayer({
      timers: settings.timers,
      queue: this.timers,
      send: (flow, bytes, transaction) => {
        this.counters.sent++
        this.#out.push({ type: 'send', flow: this.registrar.current(flow), bytes, transaction })
      },
      format: writeMessage,
      formatAck: formatAckTo,
      settled: transaction => trimSettled(transaction, this.#settled),
    })
  }

  /** Calls that have not ended. */
  get callCount(): number {
    return this.#calls.size
  }

  /** The Call-ID of a call that has not ended. */
  callIdOf(id: string): string | undefined {
    return this.#calls.get(id)?.callId
  }

  /** The state of a call that has not ended, for support. */
  dumpOf(id: string, now: number): EndpointCallDump | undefined {
    const call = this.#calls.get(id)
    return call && dumpOfCall(call, this.layer, this.timers.running, now)
  }

  /** Dialogs that requests may name. */
  get tagCount(): number {
    return this.#byTag.size
  }

  /** It belongs to a refusal that left no state: there is nothing to `handle`. */
  isAckOfRefusal(bytes: Uint8Array): boolean {
    return this.#router.isAckOfRefusal(bytes)
  }

  /** A trunk's address, or a phone's connection: new calls of others are read after theirs. */
  isKnownSource(flow: Flow): boolean {
    return this.#router.isKnownSource(flow)
  }

  /** The refusal of a new call that there is no room for, at a fraction of what `handle` costs; undefined: `handle` it. */
  refusalOf(bytes: Uint8Array, flow: Flow, now: number, waitedMs: number): UnreadRefusal | undefined {
    return this.#router.refusalOf(bytes, flow, now, waitedMs)
  }

  handle(input: EndpointInput, now: number): readonly EndpointOutput[] {
    switch (input.type) {
      case 'received':
        if (this.#router.isAckOfRefusal(input.bytes)) break
        this.#router.messageArrived(parseMessage(input.bytes), input.bytes.length, input.flow, now, input.waitedMs)
        break
      case 'message':
        this.#router.messageArrived(input.parsed, 0, input.flow, now, input.waitedMs)
        break
      case 'send-failed':
        this.layer.transportFailed(input.transaction, now)
        break
      case 'resolved':
        this.#hops.resolved(input.lookup, input.hops, input.isRefused === true, now)
        break
      case 'peers':
        this.peers.replace(input.peers)
        this.#watch.replace(input.peers, now)
        break
      case 'flow-closed':
        this.#router.flowClosed(input.flow)
        this.registrar.flowClosed(input.flow, now)
        new FlowLoss(this.timers, now + this.registrar.graceMs, later => this.#flowLost(input.flow, later))
        break
      case 'revoked':
        for (const binding of this.registrar.revoke(input.tokenId)) notifyRegistrationEnded(this, binding, now)
        break
      case 'drain':
        this.#router.isDraining = input.on
        break
      default:
        this.#command(input, now)
    }
    return this.#take()
  }

  /** What had come out before a fault stopped `handle` or `timeout`. */
  takeOutputs(): readonly EndpointOutput[] {
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

  scopeOf(target: Credentialed): CredentialScope | undefined {
    return this.peers.scopeOf(target)
  }

  challengeRefused(refusal: Omit<ChallengeRefusal, 'refused'>, now: number): void {
    this.counters.challengesRefused++
    const refused = this.#refusedChallenges.count(refusal.peerId ?? refusal.address, now)
    if (refused !== undefined) this.#out.push({ type: 'challenge-refused', refusal: { ...refusal, refused } })
  }

  unknownSourceDropped(call: DroppedCall): void {
    this.#out.push({ type: 'unknown-source', call })
  }

  foreignResponse(response: Omit<ForeignResponse, 'dropped'>, now: number): void {
    const dropped = this.#foreignResponses.count(response.address, now)
    if (dropped !== undefined) this.#out.push({ type: 'foreign-response', response: { ...response, dropped } })
  }

  sendAck(flow: Flow, ack: SipRequest): Uint8Array {
    const bytes = writeMessage(ack)
    this.resend(flow, bytes)
    return bytes
  }

  resend(flow: Flow, bytes: Uint8Array): void {
    this.counters.sent++
    this.#out.push({ type: 'send', flow: this.registrar.current(flow), bytes, transaction: undefined })
  }

  respond(transaction: ServerTransaction, status: number, now: number, parts: ResponseParts = {}): Uint8Array {
    const bytes = writeResponse(transaction.request, status, parts)
    this.layer.respond(transaction, status, bytes, now)
    return bytes
  }

  resolve(hop: HopName, now: number, use: UseHops): void {
    const begun = this.#hops.resolve(hop, now, use)
    if (begun?.ask === true) this.#out.push({ type: 'resolve', lookup: begun.lookup, hop })
  }

  isOfPeer(peerId: string, address: string): boolean {
    return this.peers.isOf(peerId, address)
  }

  currentFlow(flow: Flow): Flow {
    return this.registrar.current(flow)
  }

  isPhoneOf(userId: string, flow: Flow): boolean {
    return this.registrar.isPhoneOf(userId, flow)
  }

  bindTag(localTag: string, call: TaggedCall | undefined): void {
    if (call === undefined) this.#byTag.delete(localTag)
    else this.#byTag.set(localTag, call)
  }

  inviteFinished(merged: string): void {
    this.#router.inviteFinished(merged)
  }

  release(id: string): void {
    const call = this.#calls.get(id)
    if (call === undefined) return
    this.#calls.delete(id)
    this.#settingUp.delete(call)
    this.counters.callsEnded++
  }

  callOf(localTag: string): TaggedCall | undefined {
    return this.#byTag.get(localTag)
  }

  openCall(id: string, invite: OfferedInvite, now: number): void {
    const call = new IncomingCall(this, id, invite)
    this.#calls.set(id, call)
    this.#settingUp.add(call)
    call.expireAsAsked(now)
  }

  flowKnown(flow: Flow): void {
    if (isReliable(flow.transport) && this.peers.bySource(flow.address) === undefined)
      this.#out.push({ type: 'known', flow })
  }

  phoneMoved({ from, binding }: PhoneMove, now: number): void {
    for (const call of this.#unanswered()) if (call instanceof OutgoingCall) call.phoneMoved(from, binding, now)
  }

  flowTrusted(flow: Flow): void {
    this.#out.push({ type: 'trusted', flow })
  }

  #take(): readonly EndpointOutput[] {
    if (this.#out.length === 0) return nothing
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
        if (call instanceof IncomingCall) call.named(command.sid).ring(now)
        break
      case 'progress':
        if (call instanceof IncomingCall) call.named(command.sid).progress(command.sdp, now)
        break
      case 'answer':
        if (call instanceof IncomingCall) call.named(command.sid).answer(command.sdp, now)
        break
      case 'end':
        if (call instanceof IncomingCall) call.named(command.sid)
        call.end(command.reason, now)
        break
      case 'reoffer':
        call.session?.reoffer(command.sdp, now)
        break
      case 'reanswer':
        call.session?.reanswer(command.sdp, now)
        break
      case 'refuse-reoffer':
        call.session?.refuseReoffer(command.warning, now)
        break
      case 'probe':
        call.session?.probe(now)
        break
      default:
        assertNever(command)
    }
  }

  #dial(command: Extract<CallCommand, { type: 'dial' }>, now: number): void {
    if (this.#calls.has(command.id)) return
    this.counters.callsDialled++
    const { calls, clientTransactions } = this.settings.limits
    if (this.#calls.size >= calls || this.layer.clients.size >= clientTransactions) {
      this.counters.overloaded++
      this.counters.callsEnded++
      this.emit({ type: 'ended', id: command.id, cause: { kind: 'response', status: 503 } })
      return
    }
    const call = this.#outgoing(command)
    if (call === undefined) {
      this.counters.callsEnded++
      this.emit({ type: 'ended', id: command.id, cause: { kind: 'response', status: 480, q850: subscriberAbsent } })
      return
    }
    this.#calls.set(command.id, call)
    this.#settingUp.add(call)
    call.start(now)
  }

  #outgoing(command: Extract<CallCommand, { type: 'dial' }>): OutgoingCall | undefined {
    const { target } = command
    if (!('binding' in target)) return new OutgoingCall(this, { ...command, target })
    const binding = this.registrar.find(target.binding)
    if (binding === undefined) return undefined
    const { contact, user, userId, flow } = binding
    const hop = { host: flow.address, port: flow.port, transport: undefined }
    const to = `sip:${escapeUser(user)}@${formatHost(this.settings.realm)}`
    const bound = { uri: contact, hop, username: '', password: '', to }
    return new OutgoingCall(this, { ...command, target: bound }, { userId, flow })
  }

  /** RFC 5626 grace period over: fail the calls that are bound to this flow. */
  #flowLost(flow: Flow, now: number): void {
    if (this.registrar.current(flow) !== flow) return
    const isLost = (used: Flow) => this.registrar.current(used).socket === flow.socket
    for (const call of this.#unanswered()) call.flowLost(isLost, now)
  }

  /** Thousands of connections may be lost at once: the calls that were answered since are walked once, not for each. */
  #unanswered(): readonly (IncomingCall | OutgoingCall)[] {
    for (const call of this.#settingUp) if (call.state === 'answered') this.#settingUp.delete(call)
    return [...this.#settingUp]
  }
}
