import {
  type ClientOwner,
  type ClientTransaction,
  defaultTimers,
  type Flow,
  formatAckTo,
  formatMessage,
  type HeaderField,
  headerOf,
  headersOf,
  type IncomingRequest,
  type ServerTransaction,
  type SipRequest,
  type TimerOwner,
  TimerQueue,
  TransactionLayer,
} from '../../sip/index.ts'
import type { EndReason } from '../base/end-reason.ts'
import { IncomingCall } from './incoming.ts'
import { type DialOptions, OutgoingCall } from './outgoing.ts'
import { readMessage, readRequest, readResponse } from './read.ts'
import { Registration, type RegistrationEvent } from './registration.ts'
import { buildResponse, type ResponseParts } from './response.ts'
import { reasonOf } from './response-reason.ts'
import { allow, type CallEvent, type EndpointServices, type Identity, type TaggedCall } from './services.ts'

export type UserAgentInput =
  | { readonly type: 'line-up' }
  | { readonly type: 'line-down' }
  | { readonly type: 'received'; readonly bytes: Uint8Array }
  | { readonly type: 'register'; readonly identity: Identity }
  | { readonly type: 'unregister' }
  | ({ readonly type: 'dial' } & DialOptions)
  | { readonly type: 'answer'; readonly id: string; readonly sdp: string }
  /** `status`: the final response to an incoming call that is not answered. Default 480. */
  | { readonly type: 'end'; readonly id: string; readonly reason: EndReason; readonly status?: number | undefined }
  | { readonly type: 'reoffer'; readonly id: string; readonly sdp: string }
  | { readonly type: 'reanswer'; readonly id: string; readonly sdp: string }
  | { readonly type: 'refuse-reoffer'; readonly id: string; readonly status: number }

export type UserAgentOutput =
  | { readonly type: 'send'; readonly bytes: Uint8Array }
  /** An answer to a keep-alive of ours. */
  | { readonly type: 'pong' }
  | RegistrationEvent
  | CallEvent

interface UserAgentSettings {
  readonly transport: 'ws' | 'wss'
  /** A uuid: this phone, as long as it lives. */
  readonly instance: string
  readonly userAgent: string
  /** `length` random bytes. */
  readonly random: (length: number) => Uint8Array
}

const letters = 'abcdefghijklmnopqrstuvwxyz234567'
/** Calls at once that a person can distinguish; a further one gets 486. */
const mostCalls = 8

/**
 * The phone's SIP side as a machine (RFC 3261 over RFC 7118): messages and wishes in, messages and events out. It
 * knows nothing of sockets: the one who owns the WebSocket says when the line is up, and sends.
 */
export class UserAgent implements EndpointServices {
  readonly timers = new TimerQueue<TimerOwner>()
  readonly layer: TransactionLayer
  readonly userAgent: string
  readonly flow: Flow
  readonly #random: (length: number) => Uint8Array
  readonly #registration: Registration
  readonly #calls = new Map<string, IncomingCall | OutgoingCall>()
  readonly #byTag = new Map<string, TaggedCall>()
  readonly #waiting = new Set<ClientTransaction>()
  #identity: Identity = { extension: '', realm: 'invalid', token: '' }
  #isUp = false
  #out: UserAgentOutput[] = []

  constructor(settings: UserAgentSettings) {
    this.#random = settings.random
    this.userAgent = settings.userAgent
    // RFC 7118 §5: a browser does not know its own address; an invented name takes its place.
    const localHost = `${this.word(12)}.invalid`
    this.flow = { transport: settings.transport, address: '', port: 0, socket: 0, localHost, localPort: 0 }
    this.layer = new TransactionLayer({
      timers: defaultTimers,
      queue: this.timers,
      send: (_flow, bytes) => this.resend(bytes),
      format: formatMessage,
      formatAck: formatAckTo,
    })
    this.#registration = new Registration(this, settings.instance, event => this.#out.push(event))
  }

  get identity(): Identity {
    return this.#identity
  }

  get isUp(): boolean {
    return this.#isUp
  }

  get isRegistered(): boolean {
    return this.#registration.isRegistered
  }

  /** Requests within dialogs can go out, and the switch will know whose they are. */
  get isReady(): boolean {
    return this.#isUp && this.#registration.isSettled
  }

  handle(input: UserAgentInput, now: number): readonly UserAgentOutput[] {
    switch (input.type) {
      case 'line-up':
        this.#isUp = true
        this.#registration.lineUp(now)
        for (const call of [...this.#calls.values()]) call.lineUp(now)
        break
      case 'line-down':
        this.#lineDown(now)
        break
      case 'received':
        this.#received(input.bytes, now)
        break
      case 'register':
        this.#identity = input.identity
        this.#registration.start(now)
        break
      case 'unregister':
        this.#registration.stop(now)
        break
      case 'dial': {
        const call = new OutgoingCall(this, input)
        this.#calls.set(input.id, call)
        call.start(now)
        break
      }
      default:
        this.#command(input, now)
    }
    return this.#take()
  }

  timeout(now: number): readonly UserAgentOutput[] {
    for (let timer = this.timers.takeExpired(now); timer !== undefined; timer = this.timers.takeExpired(now))
      timer.owner.expired(timer.name, now)
    return this.#take()
  }

  deadline(): number | undefined {
    return this.timers.deadline()
  }

  // What registration and calls use.

  word(length: number): string {
    let word = ''
    for (const byte of this.#random(length)) word += letters[byte & 31]
    return word
  }

  fraction(): number {
    const [high = 0, low = 0] = this.#random(2)
    return (high * 256 + low) / 65_536
  }

  via(branch: string): string {
    return `SIP/2.0/${this.flow.transport.toUpperCase()} ${this.flow.localHost};branch=${branch};rport`
  }

  contact(): HeaderField {
    // RFC 5626 §4.3: with `ob`, requests of the dialog come back over the flow that stands, also a later one.
    return { name: 'Contact', value: `<sip:${this.#identity.extension}@${this.flow.localHost};transport=ws;ob>` }
  }

  request(request: SipRequest, branch: string, owner: ClientOwner, now: number): ClientTransaction {
    const transaction = this.layer.request(request, branch, this.flow, owner, now)
    this.#waiting.add(transaction)
    return transaction
  }

  finished(transaction: ClientTransaction): void {
    this.#waiting.delete(transaction)
  }

  respond(transaction: ServerTransaction, status: number, now: number, parts: ResponseParts = {}): Uint8Array {
    const bytes = formatMessage(buildResponse(transaction.request, status, parts))
    this.layer.respond(transaction, status, bytes, now)
    return bytes
  }

  resend(bytes: Uint8Array): void {
    if (this.#isUp) this.#out.push({ type: 'send', bytes })
  }

  emit(event: CallEvent): void {
    this.#out.push(event)
  }

  bind(localTag: string, call: TaggedCall): void {
    this.#byTag.set(localTag, call)
  }

  release(id: string, localTag: string): void {
    this.#byTag.delete(localTag)
    this.#calls.delete(id)
  }

  #take(): readonly UserAgentOutput[] {
    const out = this.#out
    this.#out = []
    return out
  }

  #command(input: Extract<UserAgentInput, { id: string }>, now: number): void {
    const call = this.#calls.get(input.id)
    if (call === undefined) return
    switch (input.type) {
      case 'answer':
        if (call instanceof IncomingCall) call.answer(input.sdp, now)
        break
      case 'end':
        call.end(input.reason, now, input.status)
        break
      case 'reoffer':
        call.session?.ownOffers.make(input.sdp, now)
        break
      case 'reanswer':
        call.session?.reanswer(input.sdp, now)
        break
      case 'refuse-reoffer':
        call.session?.refuseReoffer(input.status, now)
        break
      case 'dial':
        // A call of that id is under way.
        break
      default:
        input satisfies never
    }
  }

  #lineDown(now: number): void {
    if (!this.#isUp) return
    this.#isUp = false
    this.#registration.lineDown()
    for (const call of [...this.#calls.values()]) call.lineDown(now)
    for (const transaction of [...this.#waiting]) this.layer.transportFailed(transaction, now)
    this.#waiting.clear()
  }

  #received(bytes: Uint8Array, now: number): void {
    const message = readMessage(bytes)
    if (message === 'keep-alive') this.#out.push({ type: 'pong' })
    if (typeof message !== 'object') return
    if (message.kind === 'response') {
      const response = readResponse(message, this.flow)
      const wasReady = this.isReady
      if (response !== undefined) this.layer.responseArrived(response, now)
      if (this.isReady && !wasReady) for (const call of [...this.#calls.values()]) call.registered(now)
      return
    }
    const request = readRequest(message, this.flow)
    if (request !== undefined) this.#requestArrived(request, now)
  }

  #requestArrived(request: IncomingRequest, now: number): void {
    const { method } = request.message
    const call = request.toTag === undefined ? undefined : this.#byTag.get(request.toTag)
    const known = call?.callId === request.callId ? call : undefined
    const arrival = this.layer.requestArrived(request, now)
    if (arrival === 'stray-ack') known?.ackArrived(request, now)
    if (arrival !== 'new') return
    const transaction = this.layer.accept(request)
    const refuse = (status: number, ...fields: HeaderField[]) =>
      this.respond(transaction, status, now, { toTag: this.word(12), fields })
    const again = this.#incoming(request)
    if (method === 'CANCEL') this.#cancelled(transaction, now)
    else if (known !== undefined) known.requestArrived(transaction, now)
    else if (request.toTag !== undefined) refuse(481)
    else if (method === 'OPTIONS') refuse(200, allow, { name: 'Accept', value: 'application/sdp' })
    else if (method === 'NOTIFY' && headerOf(request.message, 'Event') === 'reg') {
      // RFC 3680: the registration has ended; the switch says so without being asked.
      refuse(200)
      this.#registration.revoked({ ...reasonOf(request.message, 'remote'), cause: 'Revoked' })
    } else if (method !== 'INVITE') refuse(405, allow)
    else if (headersOf(request.message, 'Require').includes('100rel'))
      refuse(420, { name: 'Unsupported', value: '100rel' })
    else if (again !== undefined) again.offeredAgain(transaction, now)
    else if (this.#calls.size >= mostCalls) refuse(486)
    else {
      const id = this.word(20)
      const made = new IncomingCall(this, id, transaction)
      this.#calls.set(id, made)
      made.start(now)
    }
  }

  /** The call that the INVITE has made already, by another branch. */
  #incoming(request: IncomingRequest): IncomingCall | undefined {
    for (const call of this.#calls.values()) if (call instanceof IncomingCall && call.isOf(request)) return call
    return undefined
  }

  /** RFC 3261 §9.2. */
  #cancelled(transaction: ServerTransaction, now: number): void {
    // Its transaction lets go of the header fields once it is answered.
    const { request } = transaction
    const invite = this.layer.inviteOf(request)
    this.respond(transaction, invite === undefined ? 481 : 200, now)
    if (invite !== undefined) invite.owner?.cancelled(invite, request, now)
  }
}
