import {
  AnsweredInvite,
  type ClientOwner,
  type ClientTransaction,
  type Dialog,
  defaultTimers,
  type IncomingRequest,
  type IncomingResponse,
  mayOffer,
  type OfferInput,
  type OfferState,
  type OpenRequest,
  offerAnswer,
  refusalOfRequest,
  type ServerOwner,
  type ServerTransaction,
  Timer,
  type TimerOwner,
  type TransactionFault,
} from '../../sip/index.ts'
import { type EndReason, localEnd } from '../base/end-reason.ts'
import { DialogSender } from './dialog-sender.ts'
import { OwnOffers } from './own-offers.ts'
import { contactOf, sdpOf } from './read.ts'
import type { ResponseParts } from './response.ts'
import { reasonOf } from './response-reason.ts'
import { allow, type EndpointServices, outbound } from './services.ts'

/** Whose dialog it is. `over` comes once; the dialog itself may live on until its BYE is answered. */
export interface CallDialogOwner {
  readonly id: string
  over(reason: EndReason, now: number): void
  /** Nothing of the dialog is left. */
  released(): void
}

/** `ending-on-ack`: BYE as soon as our 2xx is acknowledged (RFC 3261 §15). `ending`: our BYE is to be answered. */
type SessionState = 'open' | 'ending-on-ack' | 'ending' | 'over'

const byeGivenUpMs = 32_000

const retryAfter = (seconds: number): ResponseParts => ({
  fields: [{ name: 'Retry-After', value: String(Math.floor(seconds)) }],
})

/** A dialog that stands: offers of both sides, the answer that waits for its ACK, and the BYE. */
export class CallDialog implements ClientOwner, ServerOwner, TimerOwner {
  readonly services: EndpointServices
  readonly host: CallDialogOwner
  readonly dialog: Dialog
  readonly sender: DialogSender
  readonly ownOffers: OwnOffers
  readonly #timer = new Timer<TimerOwner>(this, 'bye')
  /** Our 2xx that waits for its ACK. */
  readonly #answered: AnsweredInvite
  #state: SessionState = 'open'
  #offer: OfferState
  /** Their re-INVITE or UPDATE that waits for our answer. */
  #pending: ServerTransaction | undefined
  #isByeOut = false

  constructor(services: EndpointServices, host: CallDialogOwner, dialog: Dialog, offer: OfferState) {
    this.services = services
    this.host = host
    this.dialog = dialog
    this.sender = new DialogSender(services, dialog, this)
    this.ownOffers = new OwnOffers(this)
    this.#offer = offer
    this.#answered = new AnsweredInvite(services.timers, defaultTimers, {
      repeat: (_transaction, bytes) => services.resend(bytes),
      gaveUp: later => this.#neverAcknowledged(later),
    })
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  /** Our own offer may be sent: nothing is open in either direction. */
  get isSettled(): boolean {
    return this.isOpen && mayOffer(this.#offer, this.#openRequest)
  }

  get #openRequest(): OpenRequest {
    if (this.#pending !== undefined) return 'theirs'
    if (this.ownOffers.isOpen) return 'ours'
    return this.#answered.waits ? 'unacknowledged' : 'none'
  }

  /** False: not allowed in this state, and nothing changed. */
  step(input: OfferInput): boolean {
    const next = offerAnswer[this.#offer][input]
    if (next === undefined) return false
    this.#offer = next
    return true
  }

  // What the phone asks.

  reanswer(sdp: string, now: number): void {
    const transaction = this.#pending
    if (transaction === undefined) return
    this.#pending = undefined
    if (transaction.request.message.method === 'INVITE') {
      this.answer(transaction, sdp, now)
      return
    }
    this.step('answer-sent')
    this.services.respond(transaction, 200, now, { fields: [this.services.contact()], sdp })
  }

  refuseReoffer(status: number, now: number): void {
    const transaction = this.#pending
    if (transaction === undefined) return
    this.#pending = undefined
    this.step('withdrawn')
    this.services.respond(transaction, status, now)
  }

  /** Our 2xx to an INVITE, repeated until its ACK (RFC 3261 §13.3.1.4). */
  answer(transaction: ServerTransaction, sdp: string, now: number): void {
    if (!this.step('answer-sent') && !this.step('offer-sent')) return
    const bytes = this.services.respond(transaction, 200, now, {
      toTag: this.dialog.localTag,
      fields: [this.services.contact(), allow, outbound],
      sdp,
    })
    transaction.owner = this
    this.#answered.begin(transaction, bytes, now)
  }

  /** Our 2xx once more, where it waits for its ACK. */
  answerAgain(now: number): void {
    this.#answered.expired('repeat', now)
  }

  /** Our hang-up. The person is done with the call at once, whatever becomes of the BYE. */
  end(reason: EndReason, now: number): void {
    if (this.#state !== 'open') return
    this.host.over(reason, now)
    this.refuseReoffer(487, now)
    if (this.#answered.waits) this.#state = 'ending-on-ack'
    else this.#bye(now)
  }

  // What comes.

  requestArrived(transaction: ServerTransaction, now: number): void {
    const { message, cseq } = transaction.request
    const { method } = message
    const services = this.services
    if (!this.dialog.takeRemoteSeq(cseq)) {
      services.respond(transaction, 500, now, retryAfter(0))
      return
    }
    if (method === 'BYE') {
      services.respond(transaction, 200, now)
      this.#close(reasonOf(message, 'remote'), now)
      return
    }
    if (this.#state !== 'open') services.respond(transaction, 481, now)
    else if (method === 'INVITE' || method === 'UPDATE') this.#offerArrived(transaction, now)
    else services.respond(transaction, 200, now, { fields: [allow] })
  }

  ackArrived(ack: IncomingRequest, now: number): void {
    if (!this.#answered.acknowledged(ack.cseq)) return
    const sdp = sdpOf(ack.message)
    if (this.#offer === 'local-offer') this.step(sdp === undefined ? 'withdrawn' : 'answer-received')
    if (this.#state === 'ending-on-ack') this.#bye(now)
    else if (this.#state === 'open')
      this.services.emit({ type: 'confirmed', id: this.host.id, ...(sdp === undefined ? {} : { sdp }) })
  }

  responded(transaction: ClientTransaction, response: IncomingResponse, now: number): void {
    const { status } = response.message
    if (status < 200) return
    if (transaction.request.method === 'BYE') {
      this.#release()
      return
    }
    this.ownOffers.responded(transaction, response, now)
  }

  failed(transaction: ClientTransaction | ServerTransaction, fault: TransactionFault, now: number): void {
    if (transaction.role === 'server') return
    if (transaction.request.method === 'BYE') {
      this.#isByeOut = false
      if (fault === 'timeout') this.#release()
      return
    }
    this.ownOffers.failed(transaction, fault, now)
  }

  finished(transaction: ClientTransaction | ServerTransaction): void {
    if (transaction.role === 'client') this.services.finished(transaction)
  }

  acknowledged(_transaction: ServerTransaction, ack: IncomingRequest, now: number): void {
    this.ackArrived(ack, now)
  }

  cancelled(transaction: ServerTransaction, _cancel: IncomingRequest, now: number): void {
    if (transaction === this.#pending) this.refuseReoffer(487, now)
  }

  /** Our BYE was given up. */
  expired(): void {
    this.#release()
  }

  lineUp(now: number): void {
    if (this.#state === 'ending' && !this.#isByeOut) this.#bye(now)
  }

  #offerArrived(transaction: ServerTransaction, now: number): void {
    const services = this.services
    const { message } = transaction.request
    const sdp = sdpOf(message)
    const carriesOffer = message.method === 'INVITE' || sdp !== undefined
    const refusal = refusalOfRequest(
      this.#offer,
      this.#openRequest,
      message.method === 'INVITE' ? 'INVITE' : carriesOffer ? 'UPDATE' : 'refresh',
    )
    if (refusal !== undefined) {
      // RFC 3261 §14.2: 0 to 10 s.
      services.respond(transaction, refusal, now, refusal === 500 ? retryAfter(11 * services.fraction()) : {})
      return
    }
    const contact = contactOf(message)
    if (contact !== undefined) this.dialog.remoteTarget = contact
    if (!carriesOffer) {
      services.respond(transaction, 200, now, { fields: [services.contact()] })
      return
    }
    if (sdp !== undefined) this.step('offer-received')
    this.#pending = transaction
    transaction.owner = this
    services.emit({ type: 'reoffered', id: this.host.id, ...(sdp === undefined ? {} : { sdp }) })
  }

  #bye(now: number): void {
    this.#state = 'ending'
    if (!this.#timer.running) this.services.timers.set(this.#timer, now + byeGivenUpMs)
    if (!this.services.isUp) return
    this.#isByeOut = true
    this.sender.request('BYE', now)
  }

  #neverAcknowledged(now: number): void {
    if (this.#state === 'open') this.host.over(localEnd('No answer from the service', 'network'), now)
    this.#bye(now)
  }

  #close(reason: EndReason, now: number): void {
    if (this.#state === 'open') this.host.over(reason, now)
    this.refuseReoffer(487, now)
    this.#release()
  }

  #release(): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    this.#answered.stop()
    this.services.timers.stop(this.#timer)
    this.host.released()
  }
}
