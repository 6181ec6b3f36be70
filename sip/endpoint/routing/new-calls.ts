import { TextMap } from '../../base/text-map.ts'
import { minSessionSeconds } from '../../dialog/session-timer.ts'
import { parseMaxForwards } from '../../header/max-forwards.ts'
import { parseNameAddr } from '../../header/name-addr.ts'
import { headerOf } from '../../message/headers.ts'
import { sdpOf } from '../../message/typed-fields.ts'
import type { Flow } from '../../network/flow.ts'
import type { PhoneIdentity } from '../../registrar/phone.ts'
import type { IncomingRequest } from '../../transaction/incoming.ts'
import { mergeKey } from '../../transaction/key.ts'
import { subscriberOf } from '../../uri/format.ts'
import type { PeerConfig } from '../peers/peer.ts'
import { dialledBy, phoneOfferOf } from '../phones/phone-call.ts'
import { type InviteGate, openGate, phonesSource } from '../services/invite-gate.ts'
import type { ReasonHeader } from '../services/reason-header.ts'
import { reasonFields } from '../services/reason-header.ts'
import type { RemoteIdentity } from '../session/dialog-remote.ts'
import { isIntervalTooSmall } from '../session/session-refresh.ts'
import { shownCallerOf } from './caller.ts'
import { KnownInvites, keyOfInvite, retrySecondsOf } from './known-invites.ts'
import type { Responder } from './responder.ts'
import type { RoutingServices } from './routing-services.ts'
import { UnreadInvites, type UnreadRefusal } from './unread-invites.ts'

/** The user of the Request-URI. */
function dialledOf(request: IncomingRequest): string {
  return (request.uri && subscriberOf(request.uri)) || ''
}

/** Who was called before the Request-URI became our Contact: P-Called-Party-ID (RFC 7315 §4.2), else To. */
function calledOf({ message }: IncomingRequest): string {
  for (const name of ['P-Called-Party-ID', 'To']) {
    const address = parseNameAddr(headerOf(message, name) ?? '')
    const user = address.ok ? subscriberOf(address.value.uri) : undefined
    if (user !== undefined) return user
  }
  return ''
}

/** Q.850's 42: switching equipment congestion. */
const loaded: ReasonHeader = { status: 503, q850: 42, text: 'The switch is loaded', code: 'LIMIT.0503' }

/** Source of an INVITE: a trusted peer, or a softphone that has signed in. */
type InviteSource = { readonly peer: PeerConfig } | { readonly phone: PhoneIdentity }

/** Decides about each new INVITE of a known source: taken as a call, or refused by load, as a loop or by its timer. */
export class NewCalls {
  isDraining = false
  /** How long the message in hand has waited since it was taken from the socket. */
  waitedMs = 0
  readonly #services: RoutingServices
  readonly #responder: Responder
  readonly #gate: InviteGate
  /** INVITEs in progress, by what their copies share (RFC 3261 §8.2.2.2). */
  readonly #merges = new TextMap<string, true>()
  /** Refused by load. */
  readonly #refused = new KnownInvites()
  readonly #taken = new KnownInvites()
  readonly #unread: UnreadInvites

  constructor(services: RoutingServices, responder: Responder, isPhone: (flow: Flow) => boolean) {
    this.#services = services
    this.#responder = responder
    this.#gate = services.settings.gate ?? openGate
    this.#unread = new UnreadInvites({
      peers: services.peers,
      gate: this.#gate,
      isPhone,
      refused: this.#refused,
      taken: this.#taken,
      counters: services.counters,
      reason: loaded,
      tag: responder.tag,
    })
  }

  /** A softphone that has not signed in yet has room for a call: proving who it is costs more than a refusal. */
  isOpenToPhones(now: number): boolean {
    return this.#gate.isOpenTo(phonesSource, now, this.waitedMs)
  }

  arrived(request: IncomingRequest, sender: InviteSource, now: number): void {
    const dialled = dialledOf(request)
    const registered = 'peer' in sender ? this.#services.peers.byContact(dialled, request.flow.address) : undefined
    // Several trunks may share an address: the Contact that we registered tells which of them it is.
    const source: InviteSource = registered === undefined ? sender : { peer: registered }
    const merged = mergeKey(request)
    if (this.#merges.has(merged)) {
      this.#responder.respond(request, 482, [])
      return
    }
    if (this.isDraining || this.#services.callCount >= this.#services.settings.limits.calls) {
      if (!this.isDraining) this.#services.counters.overloaded++
      this.#responder.respond(request, 503, [{ name: 'Retry-After', value: '5' }])
      return
    }
    const from = 'peer' in source ? source.peer.id : phonesSource
    const group = 'phone' in source ? source.phone.accountId : undefined
    const key = keyOfInvite(request)
    if (this.#refused.has(key, now) || !this.#gate.admits(from, now, this.waitedMs, group)) {
      this.turnAway(request, now)
      return
    }
    if (isIntervalTooSmall(request.message)) {
      this.#responder.respond(request, 422, [{ name: 'Min-SE', value: String(minSessionSeconds) }])
      return
    }
    const transaction = this.#responder.accept(request)
    if (transaction === undefined) return
    this.#merges.set(merged, true)
    this.#taken.add(key, now)
    this.#services.respond(transaction, 100, now)
    const id = this.#services.settings.newId()
    const identity: RemoteIdentity =
      'phone' in source ? { kind: 'phone', userId: source.phone.userId } : { kind: 'peer', peerId: source.peer.id }
    const sdp = sdpOf(request.message)
    this.#services.openCall(id, { transaction, identity, merged, hasOffer: sdp !== undefined }, now)
    this.#services.counters.callsOffered++
    const offer = { source: request.flow.address, ...(sdp === undefined ? undefined : { sdp }) }
    if ('phone' in source) {
      const phone = phoneOfferOf(request, source.phone)
      const from = { user: source.phone.user, displayName: '' }
      const to = dialledBy(request, this.#services.settings.realm)
      this.#services.emit({ type: 'offered', id, phone, from, to, ...offer })
      return
    }
    const to = registered === undefined ? dialled : calledOf(request)
    const forwards = parseMaxForwards(headerOf(request.message, 'Max-Forwards') ?? '')
    const more = forwards.ok ? { ...offer, maxForwards: forwards.value } : offer
    this.#services.emit({ type: 'offered', id, peerId: source.peer.id, from: shownCallerOf(request), to, ...more })
  }

  /** Refused by load: 503 without a transaction, the same for each copy. */
  turnAway(request: IncomingRequest, now: number): void {
    const key = keyOfInvite(request)
    this.#refused.add(key, now)
    this.#responder.respond(request, 503, reasonFields({ ...loaded, retryAfterSeconds: retrySecondsOf(key) }))
  }

  finished(merged: string): void {
    this.#merges.delete(merged)
  }

  /** An INVITE that is refused by load before it is parsed; undefined: it is to be read. */
  refusalOf(bytes: Uint8Array, flow: Flow, now: number, waitedMs: number): UnreadRefusal | undefined {
    return this.isDraining ? undefined : this.#unread.refuse(bytes, flow, now, waitedMs)
  }
}
