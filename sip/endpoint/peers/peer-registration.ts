import type { CredentialScope } from '../../digest/credential-scope.ts'
import { contactExpiresOf, parseContact } from '../../header/contact.ts'
import { parseExpires } from '../../header/expires.ts'
import { headerOf, headersOf } from '../../message/headers.ts'
import type { HeaderField } from '../../message/message.ts'
import { type Flow, isWebSocket } from '../../network/flow.ts'
import type { IncomingResponse } from '../../transaction/incoming.ts'
import { branchCookie } from '../../transaction/key.ts'
import { Timer } from '../../transaction/timer-queue.ts'
import type { ClientOwner, ClientTransaction, TimerOwner } from '../../transaction/transaction.ts'
import { escapeUser } from '../../uri/escape.ts'
import { formatHost } from '../../uri/host.ts'
import { ChallengeAnswers } from '../services/authorize.ts'
import { buildRequest, contactOf, viaOf } from '../services/request.ts'
import type { EndpointServices } from '../services/services.ts'
import { contactUserOf, hopOfPeer, type PeerConfig } from './peer.ts'

/** What we ask for; the registrar may grant less (RFC 3261 §10.2.1.1). */
const wantedSeconds = 3600
/** Seconds of the grant left at which it is refreshed, or half of it when it is short. */
const refreshBeforeSeconds = 60
const shortestSeconds = 30
const firstRetryMs = 5_000
const longestRetryMs = 300_000

/** Keeps us registered with one peer (RFC 3261 §10.2): refresh before expiry, longer and longer waits after failures. */
export class PeerRegistration implements ClientOwner, TimerOwner {
  readonly #services: EndpointServices
  readonly #peer: PeerConfig
  readonly #timer = new Timer<TimerOwner>(this, 'register')
  readonly #answers = new ChallengeAnswers()
  readonly #scope: CredentialScope | undefined
  readonly #callId: string
  readonly #tag: string
  #cseq = 0
  #hops: readonly Flow[] = []
  #timesTooBrief = 0
  #wanted = wantedSeconds
  #retryMs = firstRetryMs
  #isRegistered: boolean | undefined
  #isStopped = false

  constructor(services: EndpointServices, peer: PeerConfig) {
    this.#services = services
    this.#peer = peer
    this.#scope = services.scopeOf({ peerId: peer.id, ...peer, hop: hopOfPeer(peer) })
    this.#callId = services.tokens.take(24)
    this.#tag = services.tokens.take(12)
  }

  start(now: number): void {
    this.expired('register', now)
  }

  stop(): void {
    this.#isStopped = true
    this.#services.timers.stop(this.#timer)
  }

  expired(_name: string, now: number): void {
    this.#answers.reset()
    this.#timesTooBrief = 0
    this.#services.resolve(hopOfPeer(this.#peer), now, (flows, later) => {
      if (this.#isStopped) return
      const [flow] = flows
      this.#hops = flows
      this.#scope?.resolvedTo(flows)
      if (flow === undefined) this.#retry(later)
      else this.#send(flow, [], later)
    })
  }

  responded(transaction: ClientTransaction, response: IncomingResponse, now: number): void {
    const { status } = response.message
    if (status < 200 || this.#isStopped) return
    if (status < 300) {
      this.#granted(transaction.flow, response, now)
      return
    }
    if (status === 401 || status === 407) {
      const { message } = response
      const field = this.#scope && this.#answers.next(this.#services, transaction, message, this.#scope, now)
      if (field === undefined) this.#retry(now)
      else this.#send(transaction.flow, [field], now)
      return
    }
    const least = parseExpires(headerOf(response.message, 'Min-Expires') ?? '')
    if (status === 423 && least.ok && least.value > this.#wanted && this.#timesTooBrief++ < 2) {
      this.#wanted = least.value
      this.#send(transaction.flow, [], now)
      return
    }
    this.#retry(now)
  }

  failed(_transaction: ClientTransaction, _fault: unknown, now: number): void {
    this.#retry(now)
  }

  finished(): void {}

  isSource(flow: Flow): boolean {
    const { address, transport } = flow
    if (isWebSocket(transport)) return false
    return this.#hops.some(hop => hop.address === address) || this.#services.isOfPeer(this.#peer.id, address)
  }

  #send(flow: Flow, extra: readonly HeaderField[], now: number): void {
    this.#cseq++
    const branch = branchCookie + this.#services.tokens.take(16)
    const domain = formatHost(this.#peer.host)
    const self = `<sip:${escapeUser(this.#peer.username)}@${domain}>`
    const request = buildRequest({
      method: 'REGISTER',
      uri: `sip:${domain}`,
      via: viaOf(flow, branch),
      head: [
        { name: 'Max-Forwards', value: '70' },
        { name: 'From', value: `${self};tag=${this.#tag}` },
        { name: 'To', value: self },
        { name: 'Call-ID', value: this.#callId },
        { name: 'CSeq', value: `${this.#cseq} REGISTER` },
      ],
      fields: [
        { name: 'Contact', value: contactOf(flow, contactUserOf(this.#peer)) },
        { name: 'Expires', value: String(this.#wanted) },
        { name: 'User-Agent', value: this.#services.settings.userAgent },
        ...extra,
      ],
    })
    this.#services.layer.request(request, branch, flow, this, now)
  }

  /** The grant stands with our Contact, else in Expires (RFC 3261 §10.2.4). */
  #granted(flow: Flow, response: IncomingResponse, now: number): void {
    const ours = contactOf(flow, contactUserOf(this.#peer)).slice(1, -1)
    let seconds: number | undefined
    for (const value of headersOf(response.message, 'Contact')) {
      const contact = parseContact(value)
      if (contact.ok && contact.value !== '*' && value.includes(ours)) seconds = contactExpiresOf(contact.value)
    }
    const expires = parseExpires(headerOf(response.message, 'Expires') ?? '')
    const granted = Math.max(shortestSeconds, seconds ?? (expires.ok ? expires.value : this.#wanted))
    const wait = Math.max(granted - refreshBeforeSeconds, granted * 0.5)
    this.#retryMs = firstRetryMs
    this.#report(true)
    this.#services.timers.set(this.#timer, now + Math.min(wait, 2 ** 31 / 1000 - 1) * 1000)
  }

  #retry(now: number): void {
    if (this.#isStopped) return
    this.#report(false)
    // Spread by up to a quarter, so that a registrar that comes back does not meet all at once.
    this.#services.timers.set(
      this.#timer,
      now + Math.round(this.#retryMs * (0.75 + this.#services.tokens.fraction() / 4)),
    )
    this.#retryMs = Math.min(2 * this.#retryMs, longestRetryMs)
  }

  #report(isRegistered: boolean): void {
    if (this.#isRegistered === isRegistered) return
    this.#isRegistered = isRegistered
    this.#services.peerState(this.#peer.id, isRegistered ? 'registered' : 'registration-failed')
  }
}
