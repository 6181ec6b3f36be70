import {
  AnsweredInvite,
  branchCookie,
  buildRequest,
  type ClientOwner,
  type ClientTransaction,
  type Dialog,
  defaultTimers,
  formatMessage,
  type HeaderField,
  type IncomingRequest,
  type IncomingResponse,
  type OfferInput,
  type OfferState,
  offerAnswer,
  refusalOfOffer,
  type ServerOwner,
  type ServerTransaction,
  Timer,
  type TimerOwner,
  type TransactionFault,
} from '../../sip/index.ts'
import { type EndReason, localEnd } from '../end-reason.ts'
import { contactOf, sdpOf } from './read.ts'
import { reasonOf } from './response-reason.ts'
import { allow, bearer, type Station } from './station.ts'

/** Whose dialog it is. `over` comes once; the dialog itself may live on until its BYE is answered. */
export interface SessionHost {
  readonly id: string
  over(reason: EndReason, now: number): void
  /** Nothing of the dialog is left. */
  released(): void
}

/** `doomed`: BYE as soon as our 2xx is acknowledged (RFC 3261 §15). `ending`: our BYE is to be answered. */
type SessionState = 'open' | 'doomed' | 'ending' | 'over'

const byeGivenUpMs = 32_000

/** A dialog that stands: offers of both sides, the answer that waits for its ACK, and the BYE. */
export class Session implements ClientOwner, ServerOwner, TimerOwner {
  readonly dialog: Dialog
  readonly #station: Station
  readonly #host: SessionHost
  readonly #timer = new Timer<TimerOwner>(this, 'bye')
  /** Our 2xx that waits for its ACK. */
  readonly #answered: AnsweredInvite
  #state: SessionState = 'open'
  #offer: OfferState
  /** Our re-INVITE without a final response. */
  #invite: ClientTransaction | undefined
  /** Their re-INVITE or UPDATE that waits for our answer. */
  #pending: ServerTransaction | undefined
  #ack: Uint8Array | undefined
  #isByeOut = false

  constructor(station: Station, host: SessionHost, dialog: Dialog, offer: OfferState) {
    this.#station = station
    this.#host = host
    this.dialog = dialog
    this.#offer = offer
    this.#answered = new AnsweredInvite(station.timers, defaultTimers, {
      repeat: (_transaction, bytes) => station.resend(bytes),
      gaveUp: later => this.#neverAcknowledged(later),
    })
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  /** False: not allowed in this state, and nothing changed. */
  step(input: OfferInput): boolean {
    const next = offerAnswer[this.#offer][input]
    if (next === undefined) return false
    this.#offer = next
    return true
  }

  // What the phone asks.

  reoffer(sdp: string, now: number): void {
    const isFree = this.#state === 'open' && this.#invite === undefined && !this.#answered.waits
    if (!isFree || this.#pending !== undefined || this.#offer !== 'stable' || !this.#station.isUp) {
      this.#station.emit({ type: 'reoffer-refused', id: this.#host.id, status: this.#station.isUp ? 491 : 0 })
      return
    }
    this.step('offer-sent')
    this.#invite = this.#send('INVITE', now, [], sdp)
  }

  reanswer(sdp: string, now: number): void {
    const transaction = this.#pending
    if (transaction === undefined) return
    this.#pending = undefined
    if (transaction.request.message.method === 'INVITE') {
      this.answer(transaction, sdp, now)
      return
    }
    this.step('answer-sent')
    const fields = [{ name: 'Contact', value: this.#station.contact() }]
    this.#station.respond(transaction, 200, now, { fields, sdp })
  }

  refuseReoffer(status: number, now: number): void {
    const transaction = this.#pending
    if (transaction === undefined) return
    this.#pending = undefined
    this.step('withdrawn')
    this.#station.respond(transaction, status, now)
  }

  /** Our 2xx to an INVITE, repeated until its ACK (RFC 3261 §13.3.1.4). */
  answer(transaction: ServerTransaction, sdp: string, now: number): void {
    if (!this.step(this.#offer === 'remote-offer' ? 'answer-sent' : 'offer-sent')) return
    const bytes = this.#station.respond(transaction, 200, now, {
      toTag: this.dialog.localTag,
      fields: [
        { name: 'Contact', value: this.#station.contact() },
        { name: 'Allow', value: allow },
        { name: 'Supported', value: 'outbound' },
      ],
      sdp,
    })
    transaction.owner = this
    this.#answered.begin(transaction, bytes, now)
  }

  /** The ACK of the 2xx to our INVITE of that number. */
  acknowledge(cseq: number): void {
    const { uri, fields } = this.dialog.head('ACK', cseq)
    const via = this.#station.via(branchCookie + this.#station.word(16))
    this.#ack = formatMessage(buildRequest({ method: 'ACK', uri, via, head: fields }))
    this.#station.resend(this.#ack)
  }

  acknowledgeAgain(): void {
    if (this.#ack !== undefined) this.#station.resend(this.#ack)
  }

  /** Our hang-up. The person is done with the call at once, whatever becomes of the BYE. */
  end(reason: EndReason, now: number): void {
    if (this.#state !== 'open') return
    this.#host.over(reason, now)
    this.refuseReoffer(487, now)
    if (this.#answered.waits) this.#state = 'doomed'
    else this.#bye(now)
  }

  // What comes.

  requestArrived(transaction: ServerTransaction, now: number): void {
    const { message, cseq } = transaction.request
    const { method } = message
    const station = this.#station
    if (!this.dialog.takeRemoteSeq(cseq)) {
      station.respond(transaction, 500, now, { fields: [{ name: 'Retry-After', value: '0' }] })
      return
    }
    if (method === 'BYE') {
      station.respond(transaction, 200, now)
      this.#close(reasonOf(message, 'remote'), now)
      return
    }
    if (this.#state !== 'open') station.respond(transaction, 481, now)
    else if (method === 'INVITE' || method === 'UPDATE') this.#offerArrived(transaction, now)
    else station.respond(transaction, 200, now, { fields: [{ name: 'Allow', value: allow }] })
  }

  ackArrived(ack: IncomingRequest, now: number): void {
    if (!this.#answered.acknowledged(ack.cseq)) return
    const sdp = sdpOf(ack.message)
    if (this.#offer === 'local-offer') this.step(sdp === undefined ? 'withdrawn' : 'answer-received')
    if (this.#state === 'doomed') this.#bye(now)
    else if (this.#state === 'open')
      this.#station.emit({ type: 'confirmed', id: this.#host.id, ...(sdp === undefined ? {} : { sdp }) })
  }

  responded(transaction: ClientTransaction, response: IncomingResponse, now: number): void {
    const { status } = response.message
    if (status < 200) return
    if (transaction.request.method === 'BYE') {
      this.#release()
      return
    }
    if (transaction !== this.#invite) {
      if (status < 300) this.acknowledgeAgain()
      return
    }
    this.#invite = undefined
    // RFC 8898 §2.1.2: within a dialog the token is shown only to who asks for it.
    const isFirst = !transaction.request.headers.some(({ name }) => name === 'Authorization')
    if (status === 401 && isFirst && this.#state === 'open') {
      this.#invite = this.#send('INVITE', now, [bearer(this.#station.identity)], sdpOf(transaction.request))
      return
    }
    if (status < 300) this.#accepted(response)
    else this.#refused(response, now)
  }

  failed(transaction: ClientTransaction | ServerTransaction, fault: TransactionFault, now: number): void {
    if (transaction.role === 'server') return
    if (transaction.request.method === 'BYE') {
      this.#isByeOut = false
      if (fault === 'timeout') this.#release()
      return
    }
    if (transaction !== this.#invite) return
    this.#invite = undefined
    this.step('withdrawn')
    if (fault === 'timeout') this.end(localEnd('No answer from the service', 'network'), now)
    else this.#station.emit({ type: 'reoffer-refused', id: this.#host.id, status: 0 })
  }

  finished(transaction: ClientTransaction | ServerTransaction): void {
    if (transaction.role === 'client') this.#station.finished(transaction)
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
    const station = this.#station
    const { message } = transaction.request
    const sdp = sdpOf(message)
    const carriesOffer = message.method === 'INVITE' || sdp !== undefined
    const isBusy = this.#invite !== undefined || this.#answered.waits
    const refusal = carriesOffer ? (refusalOfOffer(this.#offer) ?? (isBusy ? 491 : undefined)) : undefined
    if (this.#pending !== undefined || refusal === 500) {
      // RFC 3261 §14.2: 0 to 10 s.
      const after = { name: 'Retry-After', value: String(Math.floor(11 * station.fraction())) }
      station.respond(transaction, 500, now, { fields: [after] })
      return
    }
    if (refusal !== undefined) {
      station.respond(transaction, refusal, now)
      return
    }
    const contact = contactOf(message)
    if (contact !== undefined) this.dialog.remoteTarget = contact
    if (!carriesOffer) {
      station.respond(transaction, 200, now, { fields: [{ name: 'Contact', value: station.contact() }] })
      return
    }
    if (sdp !== undefined) this.step('offer-received')
    this.#pending = transaction
    transaction.owner = this
    station.emit({ type: 'reoffered', id: this.#host.id, ...(sdp === undefined ? {} : { sdp }) })
  }

  #accepted(response: IncomingResponse): void {
    const contact = contactOf(response.message)
    if (contact !== undefined) this.dialog.remoteTarget = contact
    this.acknowledge(response.cseq)
    const sdp = sdpOf(response.message)
    this.step(sdp === undefined ? 'withdrawn' : 'answer-received')
    if (this.#state !== 'open') return
    const { id } = this.#host
    const { status } = response.message
    this.#station.emit(
      sdp === undefined ? { type: 'reoffer-refused', id, status } : { type: 'reoffer-answered', id, sdp },
    )
  }

  #refused(response: IncomingResponse, now: number): void {
    const { status } = response.message
    this.step('withdrawn')
    if (this.#state !== 'open') return
    // RFC 3261 §12.2.1.2: the peer knows nothing of this dialog any more.
    if (status === 481 || status === 408) this.end(reasonOf(response.message, 'remote'), now)
    else this.#station.emit({ type: 'reoffer-refused', id: this.#host.id, status })
  }

  #send(method: string, now: number, extra: readonly HeaderField[], sdp?: string): ClientTransaction {
    const station = this.#station
    const { uri, fields: head } = this.dialog.head(method, this.dialog.nextSeq())
    const branch = branchCookie + station.word(16)
    const fields: HeaderField[] = [{ name: 'User-Agent', value: station.userAgent }, ...extra]
    if (method === 'INVITE') fields.push({ name: 'Contact', value: station.contact() }, { name: 'Allow', value: allow })
    const request = buildRequest({ method, uri, via: station.via(branch), head, fields, sdp })
    return station.request(request, branch, this, now)
  }

  #bye(now: number): void {
    this.#state = 'ending'
    if (!this.#timer.running) this.#station.timers.set(this.#timer, now + byeGivenUpMs)
    if (!this.#station.isUp) return
    this.#isByeOut = true
    this.#send('BYE', now, [])
  }

  #neverAcknowledged(now: number): void {
    if (this.#state === 'open') this.#host.over(localEnd('No answer from the service', 'network'), now)
    this.#bye(now)
  }

  #close(reason: EndReason, now: number): void {
    if (this.#state === 'open') this.#host.over(reason, now)
    this.refuseReoffer(487, now)
    this.#release()
  }

  #release(): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    this.#answered.stop()
    this.#station.timers.stop(this.#timer)
    this.#host.released()
  }
}
