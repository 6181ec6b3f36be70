import { minSessionSeconds } from '../../dialog/session-timer.ts'
import { digestAlgorithms } from '../../digest/challenge.ts'
import { Challenger } from '../../digest/challenger.ts'
import { quote } from '../../grammar/quoted-string.ts'
import { authenticationParameterOf, isScheme, parseAuthentication } from '../../header/authentication.ts'
import { parseMaxForwards } from '../../header/max-forwards.ts'
import { parseNameAddr } from '../../header/name-addr.ts'
import type { ParsedMessage } from '../../message/fault.ts'
import { formatMessage } from '../../message/format.ts'
import { headerOf, headersOf } from '../../message/headers.ts'
import type { HeaderField, SipRequest } from '../../message/message.ts'
import { isAckTo } from '../../message/peek.ts'
import { sdpOf } from '../../message/typed-fields.ts'
import { defaultPort, type Flow, isReliable, isWebSocket } from '../../network/flow.ts'
import type { PhoneDirectory, PhoneIdentity } from '../../registrar/phone.ts'
import type { IncomingRequest } from '../../transaction/incoming.ts'
import { mergeKey } from '../../transaction/key.ts'
import type { TransactionLayer } from '../../transaction/layer.ts'
import { type ReadRequest, readRequest, readResponse } from '../../transaction/read-incoming.ts'
import { buildResponse } from '../../transaction/response.ts'
import type { ServerTransaction } from '../../transaction/transaction.ts'
import { escapeUser } from '../../uri/escape.ts'
import { subscriberOf } from '../../uri/format.ts'
import { formatHost } from '../../uri/host.ts'
import { parseUri } from '../../uri/parse.ts'
import type { PeerConfig } from '../peers/peer.ts'
import { dialledBy, phoneOfferOf } from '../phones/phone-call.ts'
import { PhoneSignIn, tokenEnded } from '../phones/phone-sign-in.ts'
import { type InviteGate, openGate, phonesSource } from '../services/invite-gate.ts'
import type { ReasonHeader } from '../services/reason-header.ts'
import { reasonFields } from '../services/reason-header.ts'
import type { TaggedCall } from '../services/services.ts'
import { acceptedBody, allow, supported } from '../services/settings.ts'
import { isSameFlow, type RemoteIdentity } from '../session/dialog-remote.ts'
import { isIntervalTooSmall } from '../session/session-refresh.ts'
import { shownCallerOf } from './caller.ts'
import { KnownInvites, keyOfInvite, retrySecondsOf } from './known-invites.ts'
import type { RoutingServices } from './routing-services.ts'
import { screen } from './screening.ts'
import { SourceLimits } from './source-limits.ts'
import { UnknownSourceNotices } from './unknown-source-notices.ts'
import { UnreadInvites, type UnreadRefusal } from './unread-invites.ts'

/** An answer to a datagram of an unknown source is never longer than so many times the question. */
const mostAmplification = 1.5
const answeredMethods: ReadonlySet<string> = new Set(['OPTIONS', 'INVITE', 'REGISTER'])
/** Q.850's 42: switching equipment congestion. */
const loaded: ReasonHeader = { status: 503, q850: 42, text: 'The switch is loaded', code: 'LIMIT.0503' }

/** Whose an INVITE is: a peer's that is trusted, or a softphone's that has signed in. */
type Source = { readonly peer: PeerConfig } | { readonly phone: PhoneIdentity }

/** Everything that comes in: whose it is, whether it is taken, refused or met with silence. */
export class RequestRouter {
  isDraining = false
  readonly #services: RoutingServices
  readonly #challenger: Challenger
  readonly #signIn: PhoneSignIn
  readonly #notices: UnknownSourceNotices
  readonly #limits = new SourceLimits()
  /** Connections over which a softphone has signed in. */
  readonly #signedInOver = new Set<number>()
  /** Octets of the longest answer to the request in hand; undefined = any. */
  #mostReply: number | undefined
  /** INVITEs that are being dealt with, by what their copies share (RFC 3261 §8.2.2.2). */
  readonly #merges = new Set<string>()
  readonly #statelessTag: string
  readonly #gate: InviteGate
  readonly #refusalTag: Uint8Array
  /** Turned away by load. */
  readonly #refused = new KnownInvites()
  readonly #taken = new KnownInvites()
  readonly #unread: UnreadInvites
  /** Of the message that is being read. */
  #waitedMs = 0

  constructor(services: RoutingServices, phones: PhoneDirectory) {
    this.#services = services
    this.#challenger = new Challenger(services.settings, services.tokens)
    this.#signIn = new PhoneSignIn(phones, this.#challenger, services.settings.realm)
    this.#notices = new UnknownSourceNotices(call => services.unknownSourceDropped(call))
    this.#statelessTag = services.tokens.take(12)
    this.#gate = services.settings.gate ?? openGate
    this.#refusalTag = new TextEncoder().encode(`;tag=${this.#statelessTag}`)
    this.#unread = new UnreadInvites({
      peers: services.peers,
      gate: this.#gate,
      isPhone: flow => this.#isPhone(flow),
      refused: this.#refused,
      taken: this.#taken,
      counters: services.counters,
      reason: loaded,
      tag: this.#statelessTag,
    })
  }

  /** A connection over which somebody had signed in is gone. */
  flowClosed(flow: Flow): void {
    if (flow.socket !== undefined) this.#signedInOver.delete(flow.socket)
  }

  inviteFinished(invite: IncomingRequest): void {
    this.#merges.delete(mergeKey(invite))
  }

  /** It ends nothing that we keep (RFC 3261 §8.2.7), and under load it is the most frequent message. */
  isAckOfRefusal(bytes: Uint8Array): boolean {
    if (!isAckTo(bytes, this.#refusalTag)) return false
    this.#services.counters.received++
    return true
  }

  /** An INVITE that is refused by load before it is parsed; undefined: it is to be read. */
  refusalOf(bytes: Uint8Array, flow: Flow, now: number, waitedMs: number): UnreadRefusal | undefined {
    return this.isDraining ? undefined : this.#unread.refuse(bytes, flow, now, waitedMs)
  }

  messageArrived(parsed: ParsedMessage, length: number, flow: Flow, now: number, waitedMs = 0): void {
    this.#services.counters.received++
    this.#waitedMs = waitedMs
    if (!parsed.ok) {
      const isTrusted = this.#isPhone(flow) || this.#peerAt(flow) !== undefined
      if (isTrusted && parsed.partial !== undefined && parsed.status !== undefined) {
        const { request } = readRequest(parsed.partial, flow)
        if (request.message.method !== 'ACK' && request.via.text !== '') {
          this.#refuse(request, parsed.status, [])
          return
        }
      }
      this.#services.counters.malformed++
      return
    }
    if (parsed.value.kind === 'response') {
      const response = readResponse(parsed.value, flow)
      if (response === undefined || !this.#services.layer.responseArrived(response, now))
        this.#services.counters.stray++
      return
    }
    this.#requestArrived(parsed.value, length, flow, now)
  }

  #requestArrived(message: SipRequest, length: number, flow: Flow, now: number): void {
    const read = readRequest(message, flow)
    const { request } = read
    const isPhone = this.#isPhone(flow)
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
      this.#refuse(request, refusal.status, refusal.fields)
      return
    }
    if (message.method === 'CANCEL') this.#cancelArrived(request, now)
    else if (request.toTag !== undefined) this.#inDialogArrived(request, call, now)
    else this.#outOfDialogArrived(request, peer, now)
  }

  /** A repetition, an ACK or a CANCEL of a request that somebody else has sent would move its answers, or undo it. */
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

  /** It knows tags or a branch of ours, and is not who they belong to. */
  #foreignArrived({ request, refusal }: ReadRequest, now: number): void {
    this.#services.counters.foreign++
    const { method } = request.message
    const isAnswered = method === 'CANCEL' || (method !== 'ACK' && request.toTag !== undefined)
    if (refusal === undefined && isAnswered && this.#limits.mayAsk(request.flow.address, now))
      this.#refuse(request, 481, [])
  }

  /** A page in a browser at a trunk's address is no trunk. */
  #peerAt(flow: Flow): PeerConfig | undefined {
    return isWebSocket(flow.transport) ? undefined : this.#services.peers.bySource(flow.address)
  }

  /** Somebody has signed in over just this flow. */
  #isPhone(flow: Flow): boolean {
    const isSignedIn = isReliable(flow.transport) && flow.socket !== undefined && this.#signedInOver.has(flow.socket)
    return isSignedIn || this.#services.registrar.isPhone(flow)
  }

  #inDialogArrived(request: IncomingRequest, call: TaggedCall | undefined, now: number): void {
    if (call === undefined) {
      this.#refuse(request, 481, [])
      return
    }
    const transaction = this.#accept(request)
    if (transaction === undefined) return
    this.#services.flowKnown(request.flow)
    if (request.message.method === 'INVITE') this.#services.respond(transaction, 100, now)
    call.requestArrived(transaction, now)
  }

  /** `peer` undefined: from a softphone, which has to prove who it is. */
  #outOfDialogArrived(request: IncomingRequest, peer: PeerConfig | undefined, now: number): void {
    switch (request.message.method) {
      case 'INVITE':
        if (peer !== undefined) this.#inviteArrived(request, { peer }, now)
        // Digests cost more than a refusal.
        else if (!this.#gate.isOpenTo(phonesSource, now, this.#waitedMs)) this.#turnAway(request, now)
        else this.#signedIn(request, now, phone => this.#inviteArrived(request, { phone }, now))
        return
      case 'OPTIONS':
        this.#refuse(request, 200, this.#abilities())
        return
      case 'REGISTER':
        this.#signedIn(request, now, phone => this.#registerArrived(request, phone, now))
        return
      default:
        this.#refuse(request, 481, [])
    }
  }

  /** Lets a softphone in that has proved who it is; else the answer tells it what to do. */
  #signedIn(request: IncomingRequest, now: number, then: (phone: PhoneIdentity) => void): void {
    if (!this.#mayTry(request, now)) return
    const signIn = this.#signIn.check(request.message, now)
    const { address, socket, transport } = request.flow
    switch (signIn.kind) {
      case 'signed-in':
        this.#limits.wasRight(address, now)
        if (isReliable(transport) && socket !== undefined) this.#signedInOver.add(socket)
        this.#services.flowTrusted(request.flow)
        then(signIn.phone)
        return
      case 'refused':
        this.#refuse(request, tokenEnded.status, reasonFields(tokenEnded))
        return
      case 'unproven':
        if (signIn.isWrong) this.#limits.wasWrong(address, claimedUser(request.message), now)
        this.#services.counters.challenged++
        this.#refuse(request, 401, [
          ...this.#signIn.challenge(signIn, request.flow.transport, now),
          ...(signIn.error === undefined ? [] : this.#date()),
        ])
    }
  }

  /** RFC 7315 §4.1: by which identity, and name, its calls are known. */
  #identityOf({ user, displayName = '' }: PhoneIdentity): readonly HeaderField[] {
    if (displayName === '') return []
    const uri = `sip:${escapeUser(user)}@${formatHost(this.#services.settings.realm)}`
    return [{ name: 'P-Associated-URI', value: `${quote(displayName)} <${uri}>` }]
  }

  /** RFC 3261 §20.17: a phone whose own clock is wrong judges its token by ours. */
  #date(): readonly HeaderField[] {
    const { unixNow } = this.#services.settings
    return unixNow === undefined ? [] : [{ name: 'Date', value: new Date(unixNow()).toUTCString() }]
  }

  #registerArrived(request: IncomingRequest, phone: PhoneIdentity, now: number): void {
    const transaction = this.#accept(request)
    if (transaction === undefined) return
    const { status, fields, moved } = this.#services.registrar.register(request, phone, now)
    if (status === 200) this.#services.counters.registered++
    const own =
      status === 200 ? [{ name: 'Supported', value: 'outbound' }, ...this.#identityOf(phone), ...this.#date()] : []
    this.#services.respond(transaction, status, now, { toTag: this.#statelessTag, fields: [...fields, ...own] })
    for (const move of moved ?? []) this.#services.phoneMoved(move, now)
  }

  #inviteArrived(request: IncomingRequest, source: Source, now: number): void {
    if (this.#merges.has(mergeKey(request))) {
      this.#refuse(request, 482, [])
      return
    }
    if (this.isDraining || this.#services.callCount >= this.#services.settings.limits.calls) {
      if (!this.isDraining) this.#services.counters.overloaded++
      this.#refuse(request, 503, [{ name: 'Retry-After', value: '5' }])
      return
    }
    const from = 'peer' in source ? source.peer.id : phonesSource
    const key = keyOfInvite(request)
    if (this.#refused.has(key, now) || !this.#gate.admits(from, now, this.#waitedMs)) {
      this.#turnAway(request, now)
      return
    }
    if (isIntervalTooSmall(request.message)) {
      this.#refuse(request, 422, [{ name: 'Min-SE', value: String(minSessionSeconds) }])
      return
    }
    const transaction = this.#accept(request)
    if (transaction === undefined) return
    this.#merges.add(mergeKey(request))
    this.#taken.add(key, now)
    this.#services.respond(transaction, 100, now)
    const id = this.#services.settings.newId()
    const identity: RemoteIdentity =
      'phone' in source ? { kind: 'phone', userId: source.phone.userId } : { kind: 'peer', peerId: source.peer.id }
    this.#services.openCall(id, transaction, identity)
    this.#services.counters.callsOffered++
    const sdp = sdpOf(request.message)
    const offer = { source: request.flow.address, ...(sdp === undefined ? {} : { sdp }) }
    if ('phone' in source) {
      const phone = phoneOfferOf(request, source.phone)
      const from = { user: source.phone.user, displayName: '' }
      const to = dialledBy(request, this.#services.settings.realm)
      this.#services.emit({ type: 'offered', id, phone, from, to, ...offer })
      return
    }
    const uri = parseUri(request.message.uri)
    const to = (uri.ok && subscriberOf(uri.value)) || ''
    const forwards = parseMaxForwards(headerOf(request.message, 'Max-Forwards') ?? '')
    const more = forwards.ok ? { ...offer, maxForwards: forwards.value } : offer
    this.#services.emit({ type: 'offered', id, peerId: source.peer.id, from: shownCallerOf(request), to, ...more })
  }

  /** Too much to do: 503, without a transaction, and the same for each copy. */
  #turnAway(request: IncomingRequest, now: number): void {
    const key = keyOfInvite(request)
    this.#refused.add(key, now)
    this.#refuse(request, 503, reasonFields({ ...loaded, retryAfterSeconds: retrySecondsOf(key) }))
  }

  #cancelArrived(cancel: IncomingRequest, now: number): void {
    const invite = this.#services.layer.inviteOf(cancel)
    if (invite === undefined) {
      this.#refuse(cancel, 481, [])
      return
    }
    const transaction = this.#accept(cancel)
    if (transaction === undefined) return
    this.#services.respond(transaction, 200, now, { toTag: this.#statelessTag })
    invite.owner?.cancelled(invite, cancel, now)
  }

  /** An unknown source: OPTIONS and who may prove to be somebody get an answer, the same for every name; all else silence. */
  #unknownSourceArrived(read: ReadRequest, length: number, now: number): void {
    const { request } = read
    const { method } = request.message
    const isAsking = read.refusal === undefined && answeredMethods.has(method) && request.toTag === undefined
    if (!isAsking || screen(read) !== undefined || !this.#mayProve(request)) {
      if (isAsking && screen(read) === undefined) this.#notices.dropped(read, now)
      this.#services.counters.dropped++
      return
    }
    if (!this.#limits.mayAsk(request.flow.address, now)) {
      this.#services.counters.throttled++
      return
    }
    // A datagram's source may be forged: then the answer goes to a victim.
    this.#mostReply = request.flow.transport === 'udp' && length > 0 ? mostAmplification * length : undefined
    if (!this.#isOfPeerByCredentials(request, now)) this.#outOfDialogArrived(request, undefined, now)
    this.#mostReply = undefined
  }

  /** INVITEs of anybody's are silence, but those of a softphone of ours, by its connection or its From, or of a trunk that signs in. */
  #mayProve(request: IncomingRequest): boolean {
    if (request.message.method !== 'INVITE' || isWebSocket(request.flow.transport)) return true
    if (this.#services.peers.byCredentials.length > 0) return true
    const from = parseNameAddr(request.from)
    if (!from.ok || from.value.uri.kind !== 'sip') return false
    return from.value.uri.host.toLowerCase() === this.#services.settings.realm.toLowerCase()
  }

  /** A call with the credentials of a trunk that has no addresses. */
  #isOfPeerByCredentials(request: IncomingRequest, now: number): boolean {
    const peers = this.#services.peers.byCredentials
    if (peers.length === 0 || request.message.method !== 'INVITE') return false
    const name = claimedUser(request.message)
    const named = peers.filter(peer => peer.username === name)
    if (named.length === 0) return false
    if (!this.#mayTry(request, now)) return true
    const candidates = named.map(peer => ({ ...peer, owner: peer }))
    const verdict = this.#challenger.check(request.message, () => candidates, now)
    if (verdict.owner === undefined) {
      if (verdict.isWrong) this.#limits.wasWrong(request.flow.address, name, now)
      this.#services.counters.challenged++
      this.#refuse(request, 401, this.#challenger.challenge(now, verdict.stale, digestAlgorithms))
      return true
    }
    this.#limits.wasRight(request.flow.address, now)
    this.#services.flowKnown(request.flow)
    this.#inviteArrived(request, { peer: verdict.owner }, now)
    return true
  }

  /** False: it has been wrong too often, and gets no answer before anything is computed. */
  #mayTry(request: IncomingRequest, now: number): boolean {
    const { message, flow } = request
    if (headerOf(message, 'Authorization') === undefined) return true
    if (this.#limits.mayTry(flow.address, claimedUser(message), now)) return true
    this.#services.counters.throttled++
    return false
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
    if (this.#services.layer.serverCount >= this.#services.settings.limits.serverTransactions) {
      this.#services.counters.overloaded++
      this.#refuse(request, 503, [{ name: 'Retry-After', value: '5' }])
      return undefined
    }
    const transaction = this.#services.layer.accept(request)
    const { flow, via } = request
    // A phone is reached over its own connection or not at all.
    if (isReliable(flow.transport) && !isWebSocket(flow.transport))
      transaction.fallback = { ...flow, socket: undefined, port: via.port ?? defaultPort(flow.transport) }
    return transaction
  }

  /** RFC 3261 §8.2.7: an answer without a transaction; the same question gets the same answer, tag and all. */
  #refuse(request: IncomingRequest, status: number, fields: readonly HeaderField[]): void {
    let bytes = this.#stateless(request, status, fields)
    // What OPTIONS may be told besides is left out before the answer is.
    if (this.#isTooLong(bytes) && status === 200) bytes = this.#stateless(request, status)
    if (this.#isTooLong(bytes)) this.#services.counters.dropped++
    else this.#services.resend(request.replyTo, bytes)
  }

  #isTooLong(bytes: Uint8Array): boolean {
    return this.#mostReply !== undefined && bytes.length > this.#mostReply
  }

  #stateless(request: IncomingRequest, status: number, fields: readonly HeaderField[] = []): Uint8Array {
    return formatMessage(buildResponse(request, status, { toTag: this.#statelessTag, fields }))
  }
}

/** The transaction to which a request belongs: a repetition, an ACK, or the INVITE that a CANCEL means. */
function serverOf(layer: TransactionLayer, request: IncomingRequest): ServerTransaction | undefined {
  const { method } = request.message
  if (method !== 'CANCEL') return layer.inviteOf(request, method === 'ACK' ? 'INVITE' : method)
  return layer.inviteOf(request) ?? layer.inviteOf(request, method)
}

/** Whom the credentials of a request name, in digest; '' for none, and for a token, which names itself. */
function claimedUser(message: SipRequest): string {
  for (const value of headersOf(message, 'Authorization')) {
    const parsed = parseAuthentication(value)
    if (parsed.ok && isScheme(parsed.value, 'Digest')) return authenticationParameterOf(parsed.value, 'username') ?? ''
  }
  return ''
}
