import {
  type ClientOwner,
  type ClientTransaction,
  type Dialog,
  defaultTimers,
  type IncomingRequest,
  type IncomingResponse,
  InviteExchange,
  type OfferState,
  retryAfterSeconds,
  type ServerOwner,
  type ServerTransaction,
  Timer,
  type TimerOwner,
  type TransactionFault,
} from '../../sip/index.ts'
import { type EndReason, localEnd } from '../base/end-reason.ts'
import { DialogSender } from './dialog-sender.ts'
import { ReInvites } from './re-invites.ts'
import { contactOf, sdpOf } from './read.ts'
import type { ResponseParts } from './response.ts'
import { reasonOf } from './response-reason.ts'
import { allow, type EndpointServices, outbound } from './services.ts'

/** Owner of the dialog. `over` comes once; the dialog itself may live on until its BYE is answered. */
export interface CallDialogOwner {
  readonly id: string
  over(reason: EndReason, now: number): void
  /** No part of the dialog is left. */
  released(): void
}

const byeGivenUpMs = 32_000

const retryAfter = (seconds: number): ResponseParts => ({
  fields: [{ name: 'Retry-After', value: String(seconds) }],
})

/** A dialog that stands: offers of both sides, the answer that waits for its ACK, and the BYE. */
export class CallDialog extends InviteExchange implements ClientOwner, ServerOwner, TimerOwner {
  readonly services: EndpointServices
  readonly host: CallDialogOwner
  readonly dialog: Dialog
  readonly sender: DialogSender
  readonly ownOffers: ReInvites
  readonly #timer = new Timer<TimerOwner>(this, 'bye')
  #isByeOut = false

  constructor(services: EndpointServices, host: CallDialogOwner, dialog: Dialog, offer: OfferState) {
    super(services.timers, defaultTimers, 'open', offer)
    this.services = services
    this.host = host
    this.dialog = dialog
    this.sender = new DialogSender(services, dialog, this)
    this.ownOffers = new ReInvites(this)
  }

  repeat(_transaction: ServerTransaction, bytes: Uint8Array): void {
    this.services.resend(bytes)
  }

  // What the phone asks.

  reanswer(sdp: string, now: number): void {
    const transaction = this.takePending()
    if (transaction === undefined) return
    if (transaction.request.message.method === 'INVITE') {
      this.answer(transaction, sdp, now)
      return
    }
    this.step('answer-sent')
    this.services.respond(transaction, 200, now, { fields: [this.services.contact()], sdp })
  }

  refuseReoffer(status: number, now: number): void {
    const transaction = this.withdrawPending()
    if (transaction !== undefined) this.services.respond(transaction, status, now)
  }

  /** Our 2xx to an INVITE, repeated until its ACK (RFC 3261 §13.3.1.4). */
  answer(transaction: ServerTransaction, sdp: string, now: number): void {
    if (!this.mayAccept()) return
    const bytes = this.services.respond(transaction, 200, now, {
      toTag: this.dialog.localTag,
      fields: [this.services.contact(), allow, outbound],
      sdp,
    })
    transaction.owner = this
    this.acceptSent(transaction, bytes, now)
  }

  /** Our 2xx once more, where it waits for its ACK. */
  answerAgain(now: number): void {
    this.answeredInvite.expired('repeat', now)
  }

  /** Our hang-up. The person is done with the call at once, whatever becomes of the BYE. */
  end(reason: EndReason, now: number): void {
    if (!this.isOpen) return
    this.host.over(reason, now)
    this.refuseReoffer(487, now)
    if (this.endNow()) this.#bye(now)
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
    if (!this.isOpen) services.respond(transaction, 481, now)
    else if (method === 'INVITE' || method === 'UPDATE') this.#offerArrived(transaction, method, now)
    else services.respond(transaction, 200, now, { fields: [allow] })
  }

  ackArrived(ack: IncomingRequest, now: number): void {
    const sdp = sdpOf(ack.message)
    const taken = this.ackTaken(ack.cseq, sdp)
    if (taken === undefined) return
    if (this.state === 'ending-on-ack') this.#bye(now)
    else if (this.isOpen)
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
    if (transaction === this.pendingRequest) this.refuseReoffer(487, now)
  }

  /** Our BYE was given up. */
  expired(): void {
    this.#release()
  }

  lineUp(now: number): void {
    if (this.state === 'ending' && !this.#isByeOut) this.#bye(now)
  }

  #offerArrived(transaction: ServerTransaction, method: 'INVITE' | 'UPDATE', now: number): void {
    const services = this.services
    const { message } = transaction.request
    const sdp = sdpOf(message)
    const refusal = this.refusalOf(method, sdp)
    if (refusal !== undefined) {
      services.respond(
        transaction,
        refusal,
        now,
        refusal === 500 ? retryAfter(retryAfterSeconds(services.fraction())) : {},
      )
      return
    }
    const contact = contactOf(message)
    if (contact !== undefined) this.dialog.remoteTarget = contact
    if (method === 'UPDATE' && sdp === undefined) {
      services.respond(transaction, 200, now, { fields: [services.contact()] })
      return
    }
    this.keepPending(transaction, sdp)
    transaction.owner = this
    services.emit({ type: 'reoffered', id: this.host.id, ...(sdp === undefined ? {} : { sdp }) })
  }

  #bye(now: number): void {
    this.moveOn('bye')
    if (!this.#timer.running) this.services.timers.set(this.#timer, now + byeGivenUpMs)
    if (!this.services.isUp) return
    this.#isByeOut = true
    this.sender.request('BYE', now)
  }

  gaveUp(now: number): void {
    if (this.isOpen) this.host.over(localEnd('No answer from the service', 'network'), now)
    this.#bye(now)
  }

  #close(reason: EndReason, now: number): void {
    if (this.isOpen) this.host.over(reason, now)
    this.refuseReoffer(487, now)
    this.#release()
  }

  #release(): void {
    if (!this.moveOn('close')) return
    this.answeredInvite.stop()
    this.services.timers.stop(this.#timer)
    this.host.released()
  }
}
