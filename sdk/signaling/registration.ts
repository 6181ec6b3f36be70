import {
  branchCookie,
  buildRequest,
  type ClientOwner,
  type ClientTransaction,
  headerOf,
  headersOf,
  type IncomingResponse,
  type SipResponse,
  Timer,
  type TimerOwner,
  type TransactionFault,
} from '../../sip/index.ts'
import { type EndReason, localEnd } from '../base/end-reason.ts'
import { numberOf, readAddress } from './read.ts'
import { reasonOf } from './response-reason.ts'
import { bearer, type EndpointServices } from './services.ts'

export type RegistrationEvent =
  /** `displayName`: the end-user's own. */
  | { readonly type: 'registered'; readonly expiresSeconds: number; readonly displayName: string }
  /** `reason`: the switch has ended it; else it was asked for. */
  | { readonly type: 'unregistered'; readonly reason?: EndReason }
  /** `isFinal`: the switch refuses this token; another try would get the same. */
  | { readonly type: 'registration-failed'; readonly reason: EndReason; readonly isFinal: boolean }
  /** The switch's clock, in Unix ms, where an answer says it (RFC 3261 §20.17). */
  | { readonly type: 'clock'; readonly unix: number }

const wantedSeconds = 600
const shortestSeconds = 20
const firstRetryMs = 2_000
const longestRetryMs = 60_000
/** Refusals that a repetition does not change (RFC 3261 §21.4). */
const final: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, 405, 407, 416, 420, 501, 603])

/** Keeps the phone known to the registrar (RFC 3261 §10.2) over the flow that stands (RFC 5626 §4.2). */
export class Registration implements ClientOwner, TimerOwner {
  readonly #services: EndpointServices
  readonly #instance: string
  readonly #report: (event: RegistrationEvent) => void
  readonly #callId: string
  readonly #tag: string
  readonly #timer = new Timer<TimerOwner>(this, 'register')
  #cseq = 0
  #wanted = wantedSeconds
  #retryMs = firstRetryMs
  #state: 'off' | 'on' | 'leaving' = 'off'
  #register: ClientTransaction | undefined
  #isRegistered = false
  /** The registrar has taken the flow that stands. */
  #knowsFlow = false

  /** `instance`: a uuid that stays the same while this phone lives (RFC 5626 §4.1). */
  constructor(services: EndpointServices, instance: string, report: (event: RegistrationEvent) => void) {
    this.#services = services
    this.#instance = instance
    this.#report = report
    this.#callId = services.word(24)
    this.#tag = services.word(12)
  }

  get isRegistered(): boolean {
    return this.#isRegistered
  }

  /** Whether the switch knows whose requests come over this flow, or nothing more is asked of it. */
  get isSettled(): boolean {
    return this.#knowsFlow || this.#state !== 'on'
  }

  /** Registers, or refreshes with a new token; at the next line when there is none now. */
  start(now: number): void {
    this.#state = 'on'
    this.#retryMs = firstRetryMs
    if (this.#services.isUp) this.#send(this.#wanted, now)
  }

  stop(now: number): void {
    this.#services.timers.stop(this.#timer)
    if (this.#state === 'on' && this.#services.isUp && this.#isRegistered) {
      this.#state = 'leaving'
      this.#send(0, now)
      return
    }
    this.#leave()
  }

  lineUp(now: number): void {
    if (this.#state === 'on') this.#send(this.#wanted, now)
  }

  /** RFC 5626 §4.4.1: a binding is worth what its flow is. */
  lineDown(): void {
    this.#register = undefined
    this.#services.timers.stop(this.#timer)
    if (this.#state === 'leaving') this.#leave()
    this.#isRegistered = false
    this.#knowsFlow = false
  }

  /** The switch has ended it: the token was revoked, or its user is not active any more. */
  revoked(reason: EndReason): void {
    if (this.#state === 'on') this.#leave(reason)
  }

  expired(_name: string, now: number): void {
    if (this.#state === 'on' && this.#services.isUp) this.#send(this.#wanted, now)
  }

  responded(transaction: ClientTransaction, response: IncomingResponse, now: number): void {
    const { message } = response
    if (message.status < 200 || transaction !== this.#register) return
    this.#register = undefined
    const unix = Date.parse(headerOf(message, 'Date') ?? '')
    if (unix) this.#report({ type: 'clock', unix })
    if (this.#state === 'leaving') this.#leave()
    else if (message.status < 300) this.#granted(message, now)
    else if (message.status === 423) this.#tooBrief(message, now)
    else this.#refused(reasonOf(message, 'remote'), now)
  }

  failed(transaction: ClientTransaction, fault: TransactionFault, now: number): void {
    if (transaction !== this.#register) return
    this.#register = undefined
    if (this.#state === 'leaving') this.#leave()
    else if (fault === 'timeout') this.#refused(localEnd('No answer from the service', 'network'), now)
  }

  finished(transaction: ClientTransaction): void {
    this.#services.finished(transaction)
  }

  #send(seconds: number, now: number): void {
    const services = this.#services
    const { extension, realm } = services.identity
    const self = `<sip:${extension}@${realm}>`
    const branch = branchCookie + services.word(16)
    this.#cseq++
    const request = buildRequest({
      method: 'REGISTER',
      uri: `sip:${realm}`,
      via: services.via(branch),
      head: [
        { name: 'Max-Forwards', value: '70' },
        { name: 'From', value: `${self};tag=${this.#tag}` },
        { name: 'To', value: self },
        { name: 'Call-ID', value: this.#callId },
        { name: 'CSeq', value: `${this.#cseq} REGISTER` },
      ],
      fields: [
        {
          name: 'Contact',
          value: `${services.contact().value};reg-id=1;+sip.instance="<urn:uuid:${this.#instance}>";expires=${seconds}`,
        },
        bearer(services.identity),
        { name: 'Expires', value: String(seconds) },
        { name: 'Supported', value: 'outbound, path' },
        { name: 'User-Agent', value: services.userAgent },
      ],
    })
    this.#register = services.request(request, branch, this, now)
  }

  #granted(message: SipResponse, now: number): void {
    const ours = /sip:[^@]*@([^;>]*)/.exec(this.#services.contact().value)?.[1] ?? ''
    // The grant is with our Contact, else in Expires (RFC 3261 §10.2.4).
    const contact = headersOf(message, 'Contact').find(value => value.includes(ours)) ?? ''
    const own = /;\s*expires=(\d{1,9})/i.exec(contact)?.[1]
    const granted = own === undefined ? (numberOf(message, 'Expires') ?? this.#wanted) : Number(own)
    const seconds = Math.min(Math.max(granted, shortestSeconds), wantedSeconds)
    this.#retryMs = firstRetryMs
    this.#isRegistered = true
    this.#knowsFlow = true
    // Early enough for a repetition, and spread, so that a restarted switch does not meet all phones at once.
    this.#services.timers.set(this.#timer, now + seconds * (700 + 150 * this.#services.fraction()))
    const { displayName } = readAddress(headerOf(message, 'P-Associated-URI') ?? '')
    this.#report({ type: 'registered', expiresSeconds: granted, displayName })
  }

  #tooBrief(message: SipResponse, now: number): void {
    const least = numberOf(message, 'Min-Expires') ?? 0
    if (least <= this.#wanted) {
      this.#refused(reasonOf(message, 'remote'), now)
      return
    }
    this.#wanted = least
    this.#send(this.#wanted, now)
  }

  #refused(reason: EndReason, now: number): void {
    this.#isRegistered = false
    const isFinal = reason.status !== undefined && final.has(reason.status)
    if (isFinal) this.#state = 'off'
    else {
      const wait = Math.max((reason.retryAfterSeconds ?? 0) * 1000, this.#retryMs)
      this.#services.timers.set(
        this.#timer,
        now + Math.min(wait, longestRetryMs) * (0.75 + this.#services.fraction() / 2),
      )
      this.#retryMs = Math.min(2 * this.#retryMs, longestRetryMs)
    }
    this.#report({ type: 'registration-failed', reason, isFinal })
  }

  #leave(reason?: EndReason): void {
    this.#state = 'off'
    this.#register = undefined
    this.#isRegistered = false
    this.#services.timers.stop(this.#timer)
    this.#report(reason === undefined ? { type: 'unregistered' } : { type: 'unregistered', reason })
  }
}
