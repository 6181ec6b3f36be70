import { assertNever } from '../../base/assert-never.ts'
import { offeredAlgorithms } from '../../digest/challenge.ts'
import { Challenger } from '../../digest/challenger.ts'
import { quote } from '../../grammar/quoted-string.ts'
import { parseNameAddr } from '../../header/name-addr.ts'
import type { HeaderField } from '../../message/message.ts'
import { type Flow, isReliable, isWebSocket } from '../../network/flow.ts'
import type { PhoneDirectory, PhoneIdentity } from '../../registrar/phone.ts'
import type { IncomingRequest } from '../../transaction/incoming.ts'
import { escapeUser } from '../../uri/escape.ts'
import { formatHost } from '../../uri/host.ts'
import type { PeerConfig } from '../peers/peer.ts'
import { type Claims, claimsOf } from '../phones/claims.ts'
import { PhoneSignIn, tokenEnded } from '../phones/phone-sign-in.ts'
import { reasonFields } from '../services/reason-header.ts'
import type { Responder } from './responder.ts'
import type { RoutingServices } from './routing-services.ts'
import type { SourceLimits } from './source-limits.ts'

/** Finds out by credentials who a request is from: softphones by token or digest, trunks without addresses by digest. */
export class SignIns {
  readonly #services: RoutingServices
  readonly #responder: Responder
  readonly #limits: SourceLimits
  readonly #challenger: Challenger
  readonly #signIn: PhoneSignIn
  /** Connections over which a softphone has signed in. */
  readonly #signedInOver = new Set<number>()

  constructor(services: RoutingServices, responder: Responder, limits: SourceLimits, phones: PhoneDirectory) {
    this.#services = services
    this.#responder = responder
    this.#limits = limits
    this.#challenger = new Challenger(services.settings, services.tokens)
    this.#signIn = new PhoneSignIn(phones, this.#challenger, services.settings.realm)
  }

  /** A connection is gone. */
  flowClosed(flow: Flow): void {
    if (flow.socket !== undefined) this.#signedInOver.delete(flow.socket)
  }

  /** A softphone has signed in over just this flow. */
  isPhone(flow: Flow): boolean {
    const isSignedIn = isReliable(flow.transport) && flow.socket !== undefined && this.#signedInOver.has(flow.socket)
    return isSignedIn || this.#services.registrar.isPhone(flow)
  }

  /** An INVITE of an unknown source is worth a challenge: by its connection or From it may be a softphone, or a trunk that signs in. */
  mayProve(request: IncomingRequest): boolean {
    if (request.message.method !== 'INVITE' || isWebSocket(request.flow.transport)) return true
    if (this.#services.peers.byCredentials.length > 0) return true
    const from = parseNameAddr(request.from)
    if (!from.ok || from.value.uri.kind !== 'sip') return false
    return from.value.uri.host.toLowerCase() === this.#services.settings.realm.toLowerCase()
  }

  claimsOf(request: IncomingRequest, now: number): Claims {
    return claimsOf(request, this.#challenger, now)
  }

  /**
   * False: an unknown source asks too often, and gets no answer. What only the receiver of a challenge can know, and a token,
   * forged datagrams cannot use up.
   */
  mayAsk({ flow }: IncomingRequest, claims: Claims, now: number): boolean {
    if (this.#isProof(claims) || this.#limits.mayAsk(flow, claims.from, now)) return true
    this.#services.counters.throttled++
    return false
  }

  /** The same for a phone or a trunk, of which over UDP nothing but the address is known. */
  mayAskAgain({ flow }: IncomingRequest, claims: Claims, now: number): boolean {
    if (isReliable(flow.transport) || this.#isProof(claims) || this.#limits.mayAskAgain(flow, now)) return true
    this.#services.counters.throttled++
    return false
  }

  #isProof({ token, digests }: Claims): boolean {
    return token === undefined ? digests.length > 0 : this.#signIn.isValid(token)
  }

  /** Calls `then` for a softphone that has proved who it is; otherwise it is challenged or refused. */
  phone(request: IncomingRequest, claims: Claims, now: number, then: (phone: PhoneIdentity) => void): void {
    if (!this.#mayTry(request, claims, now)) return
    const signIn = this.#signIn.check(request.message, claims, now)
    const { address, socket, transport } = request.flow
    switch (signIn.kind) {
      case 'signed-in':
        this.#limits.wasRight(request.flow, signIn.phone.user, now)
        if (isReliable(transport) && socket !== undefined) this.#signedInOver.add(socket)
        this.#services.flowTrusted(request.flow)
        then(signIn.phone)
        return
      case 'refused':
        this.#responder.respond(request, tokenEnded.status, reasonFields(tokenEnded))
        return
      case 'unproven':
        if (signIn.isWrong) this.#limits.wasWrong(address, namesOf(claims), now)
        this.#services.counters.challenged++
        this.#responder.respond(request, 401, [
          ...this.#signIn.challenge(signIn, claims.source, transport, now),
          ...(signIn.error === undefined ? [] : this.#date()),
        ])
        return
      default:
        assertNever(signIn)
    }
  }

  /** A call with the credentials of a trunk that has no addresses. False: it names no such trunk. */
  peer(request: IncomingRequest, claims: Claims, now: number, then: (peer: PeerConfig) => void): boolean {
    const peers = this.#services.peers.byCredentials
    if (peers.length === 0 || request.message.method !== 'INVITE') return false
    const names = namesOf(claims)
    const named = peers.filter(peer => names.includes(peer.username))
    if (named.length === 0) return false
    if (!this.#mayTry(request, claims, now)) return true
    const candidatesOf = (name: string) =>
      named.filter(peer => peer.username === name).map(peer => ({ ...peer, owner: peer }))
    const verdict = this.#challenger.check(request.message, claims.source, claims.digests, candidatesOf, now)
    if (verdict.owner === undefined) {
      if (verdict.isWrong) this.#limits.wasWrong(request.flow.address, names, now)
      this.#services.counters.challenged++
      const challenges = this.#challenger.challenge(claims.source, now, verdict.stale, offeredAlgorithms)
      this.#responder.respond(request, 401, challenges)
      return true
    }
    this.#limits.wasRight(request.flow, verdict.owner.username, now)
    this.#services.flowKnown(request.flow)
    then(verdict.owner)
    return true
  }

  register(request: IncomingRequest, phone: PhoneIdentity, now: number): void {
    const transaction = this.#responder.accept(request)
    if (transaction === undefined) return
    const { status, fields, moved } = this.#services.registrar.register(request, phone, now)
    if (status === 200) this.#services.counters.registered++
    else if (status === 503) this.#services.counters.overloaded++
    const own =
      status === 200 ? [{ name: 'Supported', value: 'outbound' }, ...this.#identityOf(phone), ...this.#date()] : []
    this.#services.respond(transaction, status, now, { toTag: this.#responder.tag, fields: [...fields, ...own] })
    for (const move of moved ?? []) this.#services.phoneMoved(move, now)
  }

  /** False: it has been wrong too often, and gets no answer before anything is computed. */
  #mayTry({ flow }: IncomingRequest, claims: Claims, now: number): boolean {
    if (claims.digests.length === 0 || this.#limits.mayTry(flow.address, namesOf(claims), now)) return true
    this.#services.counters.throttled++
    return false
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
}

const namesOf = ({ digests }: Claims): readonly string[] => digests.map(({ username }) => username)
