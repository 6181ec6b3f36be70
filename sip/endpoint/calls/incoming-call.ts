import { type Dialog, dialogOfCallee } from '../../dialog/dialog.ts'
import { parseExpires } from '../../header/expires.ts'
import type { OfferState } from '../../invite/offer-answer.ts'
import { headerOf } from '../../message/headers.ts'
import type { HeaderField } from '../../message/message.ts'
import { allowsMethod, contactUriOf, requires } from '../../message/typed-fields.ts'
import type { Flow } from '../../network/flow.ts'
import type { IncomingRequest } from '../../transaction/incoming.ts'
import type { ResponseParts } from '../../transaction/response.ts'
import { Timer } from '../../transaction/timer-queue.ts'
import type { ServerOwner, ServerTransaction, TimerOwner } from '../../transaction/transaction.ts'
import type { CallCause } from '../services/call-event.ts'
import type { ReasonHeader } from '../services/reason-header.ts'
import { reasonFields, warningFields } from '../services/reason-header.ts'
import { contactOf } from '../services/request.ts'
import type { EndpointServices, TaggedCall } from '../services/services.ts'
import { allowField, callSidHeader } from '../services/settings.ts'
import { DialogRemote, type RemoteIdentity } from '../session/dialog-remote.ts'
import { prackArrived } from '../session/in-dialog.ts'
import { InviteSession } from '../session/invite-session.ts'
import type { InviteSessionOwner } from '../session/session-context.ts'
import { ReliableProvisional } from './reliable-provisional.ts'

/** RFC 3261 §13.3.1.1: once a minute a provisional goes out again, because a proxy may cancel a call after three minutes without one (Timer C, §16.6). */
const provisionalEveryMs = 60_000

/** An INVITE that begins a call. */
export interface OfferedInvite {
  readonly transaction: ServerTransaction
  readonly identity: RemoteIdentity
  /** The same for copies that came by other paths (`mergeKey`). The string that is looked for, not another of the same text. */
  readonly merged: string
  /** It brings a session description. */
  readonly hasOffer: boolean
}

/** An incoming call, from its INVITE to our final response. After a 2xx its `InviteSession` handles the rest. */
export class IncomingCall implements ServerOwner, InviteSessionOwner, TimerOwner, TaggedCall {
  readonly id: string
  readonly callId: string
  transactions: readonly ServerTransaction[] = []
  readonly #services: EndpointServices
  readonly #remote: DialogRemote
  readonly #dialog: Dialog
  readonly #transaction: ServerTransaction
  /** Finds copies of its INVITE that came by other paths (merged requests, RFC 3261 §8.2.2.2). */
  readonly #merged: string
  readonly #isPhone: boolean
  readonly #initialOffer: OfferState
  readonly #timer = new Timer<TimerOwner>(this, 'provisional')
  /** Made when the caller has said how long its invitation holds. */
  #expiry: Timer<TimerOwner> | undefined
  readonly #reliable: ReliableProvisional | undefined
  /** Made when something happens in its dialog: most calls that are refused need none. */
  #session: InviteSession | undefined
  /** What our 2xx and our provisionals say besides. */
  #answerFields: readonly HeaderField[] = []
  /** Our answer in SDP. It is sent once the PRACK has come (RFC 3262 §3). */
  #heldAnswer: string | undefined
  #state: 'offered' | 'answered' | 'over' = 'offered'

  constructor(services: EndpointServices, id: string, { transaction, identity, merged, hasOffer }: OfferedInvite) {
    this.#services = services
    this.id = id
    this.#transaction = transaction
    this.#isPhone = identity.kind === 'phone'
    this.#initialOffer = hasOffer ? 'remote-offer' : 'initial'
    const { request } = transaction
    this.callId = request.callId
    this.#merged = merged
    this.#remote = new DialogRemote(services, identity, request.flow)
    const localTag = services.tokens.take(12)
    this.#dialog = dialogOfCallee(request, localTag, contactUriOf(request.message))
    if (requires(request.message, '100rel'))
      this.#reliable = new ReliableProvisional(services, transaction, later => this.#neverAcknowledged(later))
    transaction.owner = this
    services.bindTag(localTag, this)
  }

  get state(): 'offered' | 'answered' | 'over' {
    return this.#state
  }

  get session(): InviteSession {
    if (this.#session === undefined) {
      const { message, flow } = this.#transaction.request
      this.#session = new InviteSession(this.#services, this, this.#dialog, flow, {
        state: 'early',
        offer: this.#initialOffer,
        weCalled: false,
        remoteAllowsUpdate: allowsMethod(message, 'UPDATE'),
        remote: this.#remote,
      })
      this.#session.answerWith(this.#answerFields)
    }
    return this.#session
  }

  /** Objects that may have a timer running for this call. */
  get timerOwners(): readonly TimerOwner[] {
    return [this, ...(this.#reliable === undefined ? [] : [this.#reliable]), ...(this.#session?.timerOwners ?? [])]
  }

  /** Sets its `sid`, which a softphone gets with every answer from now on. */
  named(sid: string | undefined): this {
    if (sid === undefined || !this.#isPhone) return this
    this.#answerFields = [{ name: callSidHeader, value: sid }]
    this.#session?.answerWith(this.#answerFields)
    return this
  }

  /** RFC 3261 §13.3.1: an INVITE with Expires that has no final response by then is terminated with 487. */
  expireAsAsked(now: number): void {
    const expires = parseExpires(headerOf(this.#transaction.request.message, 'Expires') ?? '')
    // Zero leaves no time to answer in: who writes it cannot mean the invitation.
    if (!expires.ok || expires.value === 0) return
    this.#expiry = new Timer<TimerOwner>(this, 'expiry')
    this.#services.timers.set(this.#expiry, now + 1000 * expires.value)
  }

  ring(now: number): void {
    this.#provisional(180, {}, now)
  }

  progress(sdp: string, now: number): void {
    // A provisional cannot carry an offer that would stay open: without the remote's, ours waits for the 2xx.
    this.#provisional(183, (this.#session?.offerState ?? this.#initialOffer) === 'remote-offer' ? { sdp } : {}, now)
  }

  answer(sdp: string, now: number): void {
    if (this.#state !== 'offered') return
    if (this.#reliable?.holdsAnswer !== undefined) {
      this.#heldAnswer = sdp
      return
    }
    this.#state = 'answered'
    this.#stopWaiting()
    this.session.accept(this.#transaction, sdp, now)
  }

  end(reason: ReasonHeader, now: number): void {
    if (this.#state === 'answered') this.session.end(reason, now)
    if (this.#state !== 'offered') return
    this.#refuse(reason.status, [...reasonFields(reason), ...warningFields(reason.warning)], now)
    this.#close({ kind: 'response', status: reason.status }, now)
  }

  /** RFC 5626 grace period over and the connection is not back: an unanswered call ends as if it were cancelled. */
  flowLost(isLost: (flow: Flow) => boolean, now: number): void {
    if (this.#state !== 'offered' || !isLost(this.#transaction.request.flow)) return
    this.#refuse(487, [], now)
    this.#close({ kind: 'cancel' }, now)
  }

  isSource(flow: Flow): boolean {
    return this.#remote.isSource(flow)
  }

  requestArrived(transaction: ServerTransaction, now: number): void {
    const { request } = transaction
    if (request.fromTag !== this.#dialog.remoteTag) {
      this.#services.respond(transaction, 481, now)
      return
    }
    if (request.message.method === 'PRACK' && this.#reliable !== undefined) {
      this.#dialog.takeRemoteSeq(request.cseq)
      if (this.#acknowledged(this.#reliable, request, now)) prackArrived(this.session, transaction, now)
      else this.#services.respond(transaction, 481, now)
      if (this.#heldAnswer !== undefined) this.answer(this.#heldAnswer, now)
      return
    }
    this.session.requestArrived(transaction, now)
  }

  ackArrived(ack: IncomingRequest, now: number): void {
    this.session.ackArrived(ack, now)
  }

  confirmed(sdp: string | undefined): void {
    this.#services.emit({ type: 'confirmed', id: this.id, ...(sdp === undefined ? undefined : { sdp }) })
  }

  over(cause: CallCause, now: number): void {
    if (this.#state === 'over') return
    if (this.#state === 'offered' && cause.kind === 'bye') this.#refuse(487, [], now)
    this.#state = 'over'
    this.#stopWaiting()
    this.#services.bindTag(this.#dialog.localTag, undefined)
    this.#services.emit({ type: 'ended', id: this.id, cause })
    this.#services.release(this.id)
    this.#transaction.owner = new PastInvite(this.#services, this.#remote, this.#merged)
  }

  acknowledged(_transaction: ServerTransaction, ack: IncomingRequest, now: number): void {
    this.session.ackArrived(ack, now)
  }

  cancelled(_transaction: ServerTransaction, _cancel: IncomingRequest, now: number): void {
    if (this.#state !== 'offered') return
    this.#refuse(487, [], now)
    this.#close({ kind: 'cancel' }, now)
  }

  failed(): void {
    // A response without its ACK: the transaction has done all that can be done.
  }

  finished(): void {
    this.#services.inviteFinished(this.#merged)
  }

  expired(name: string, now: number): void {
    if (this.#state !== 'offered') return
    if (name === 'expiry') {
      this.#refuse(487, [], now)
      this.#close({ kind: 'cancel' }, now)
      return
    }
    if (this.#transaction.bytes === undefined) return
    // What has been acknowledged may not be sent again: it takes one with a new RSeq (RFC 3262 §3).
    if (this.#reliable !== undefined) {
      this.ring(now)
      return
    }
    this.#services.layer.respond(this.#transaction, 180, this.#transaction.bytes, now)
    this.#services.timers.set(this.#timer, now + provisionalEveryMs)
  }

  /** Over without an answer. */
  #close(cause: CallCause, now: number): void {
    if (this.#session === undefined) this.over(cause, now)
    else this.#session.close(cause, now)
  }

  /** A final response that refuses the call. */
  #refuse(status: number, fields: readonly HeaderField[], now: number): void {
    this.#services.respond(this.#transaction, status, now, {
      toTag: this.#dialog.localTag,
      fields: [...fields, ...this.#answerFields],
    })
  }

  #provisional(status: number, parts: ResponseParts, now: number): void {
    if (this.#state !== 'offered') return
    const all: ResponseParts = {
      ...parts,
      toTag: this.#dialog.localTag,
      recordRoute: true,
      fields: [{ name: 'Contact', value: contactOf(this.#transaction.flow) }, allowField, ...this.#answerFields],
    }
    if (this.#reliable !== undefined) {
      this.#reliable.send(status, all, now)
    } else this.#services.respond(this.#transaction, status, now, all)
    this.#services.timers.set(this.#timer, now + provisionalEveryMs)
  }

  /** False: the PRACK means nothing that is open. An answer that it acknowledges is agreed before the 2xx. */
  #acknowledged(reliable: ReliableProvisional, prack: IncomingRequest, now: number): boolean {
    const sdp = reliable.holdsAnswer
    const isTaken = reliable.acknowledged(prack, now)
    if (isTaken && sdp !== undefined) this.session.agreedEarly(sdp)
    return isTaken
  }

  /** RFC 3262 §3: a provisional that is never acknowledged ends the call. */
  #neverAcknowledged(now: number): void {
    if (this.#state !== 'offered') return
    this.#refuse(504, [], now)
    this.#close({ kind: 'timeout' }, now)
  }

  #stopWaiting(): void {
    this.#reliable?.stop()
    this.#services.timers.stop(this.#timer)
    if (this.#expiry !== undefined) this.#services.timers.stop(this.#expiry)
  }
}

/** Replaces an ended call while its INVITE may still be retransmitted, half a minute: the call itself is released. */
class PastInvite implements ServerOwner {
  readonly #services: EndpointServices
  readonly #remote: DialogRemote
  readonly #merged: string

  constructor(services: EndpointServices, remote: DialogRemote, merged: string) {
    this.#services = services
    this.#remote = remote
    this.#merged = merged
  }

  isSource(flow: Flow): boolean {
    return this.#remote.isSource(flow)
  }

  acknowledged(): void {}
  cancelled(): void {}
  failed(): void {}

  finished(): void {
    this.#services.inviteFinished(this.#merged)
  }
}
