import type { TimerQueue } from '../transaction/timer-queue.ts'
import type { TimerSettings } from '../transaction/timer-settings.ts'
import type { ServerTransaction, TimerOwner } from '../transaction/transaction.ts'
import { AnsweredInvite, type AnsweredInviteOwner } from './answered-invite.ts'
import {
  mayOffer,
  type OfferInput,
  type OfferState,
  type OpenRequest,
  offerAnswer,
  refusalOfRequest,
} from './offer-answer.ts'
import { type SessionInput, type SessionState, sessionTable } from './session-states.ts'

/**
 * What a dialog made by INVITE is waiting for, for both who keep one: the endpoint and the phone. Its state, whose offer is
 * open, their request that has no answer yet, and our 2xx that has no ACK yet. It decides, and sends nothing but that 2xx.
 */
export abstract class InviteExchange implements AnsweredInviteOwner {
  protected readonly answeredInvite: AnsweredInvite
  /** Our own re-INVITE, which is open until its final response. */
  abstract readonly ownOffers: { readonly isOpen: boolean }
  #state: SessionState
  #offer: OfferState
  /** Their re-INVITE, UPDATE or PRACK whose offer we have not answered. */
  #pending: ServerTransaction | undefined

  constructor(timers: TimerQueue<TimerOwner>, settings: TimerSettings, state: SessionState, offer: OfferState) {
    this.answeredInvite = new AnsweredInvite(timers, settings, this)
    this.#state = state
    this.#offer = offer
  }

  abstract repeat(transaction: ServerTransaction, bytes: Uint8Array, now: number): void
  abstract gaveUp(now: number): void

  /** Continues an early exchange of the same dialog after its 2xx. */
  protected adoptFrom(early: InviteExchange): void {
    this.#offer = early.#offer
    this.#pending = early.#pending
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  get state(): SessionState {
    return this.#state
  }

  get offerState(): OfferState {
    return this.#offer
  }

  protected get pendingRequest(): ServerTransaction | undefined {
    return this.#pending
  }

  get openRequest(): OpenRequest {
    if (this.#pending !== undefined) return 'theirs'
    if (this.#state === 'early') return 'early'
    if (this.ownOffers.isOpen) return 'ours'
    return this.answeredInvite.waits ? 'unacknowledged' : 'none'
  }

  /** We may send an offer: the session is open, and nothing else is in either direction. */
  get isSettled(): boolean {
    return this.isOpen && mayOffer(this.#offer, this.openRequest)
  }

  /** False: the step is not allowed in this state, and nothing changed. */
  step(input: OfferInput): boolean {
    const next = offerAnswer[this.#offer][input]
    if (next === undefined) return false
    this.#offer = next
    return true
  }

  /** The same of the session itself. */
  protected moveOn(input: SessionInput): boolean {
    const next = sessionTable[this.#state][input]
    if (next === undefined) return false
    this.#state = next
    return true
  }

  /** The status for a request of the peer, undefined = it is taken. Only an INVITE offers, or asks for an offer, without `sdp`. */
  refusalOf(method: 'INVITE' | 'UPDATE' | 'PRACK', sdp: string | undefined): 491 | 500 | undefined {
    return refusalOfRequest(
      this.#offer,
      this.openRequest,
      method === 'INVITE' || sdp !== undefined ? method : 'refresh',
    )
  }

  /** It waits for our answer, or for our offer. */
  protected keepPending(transaction: ServerTransaction, sdp: string | undefined): void {
    if (sdp !== undefined) this.step('offer-received')
    this.#pending = transaction
  }

  /** What waited, once. */
  protected takePending(): ServerTransaction | undefined {
    const transaction = this.#pending
    this.#pending = undefined
    return transaction
  }

  /** What waited is refused, and its offer with it. */
  protected withdrawPending(): ServerTransaction | undefined {
    const transaction = this.takePending()
    if (transaction !== undefined) this.step('withdrawn')
    return transaction
  }

  /** Our 2xx to an INVITE is to go out, with our answer or our offer. False: neither is allowed now. */
  protected mayAccept(): boolean {
    return this.step(this.#offer === 'remote-offer' ? 'answer-sent' : 'offer-sent')
  }

  /** It went out: it is repeated until its ACK. */
  protected acceptSent(transaction: ServerTransaction, bytes: Uint8Array, now: number): void {
    this.moveOn('accept')
    this.answeredInvite.begin(transaction, bytes, now)
  }

  /** The ACK of our 2xx. `missing`: it was to bring the answer to our offer. Undefined: no 2xx waits for it. */
  protected ackTaken(cseq: number, sdp: string | undefined): 'plain' | 'answer' | 'missing' | undefined {
    if (!this.answeredInvite.acknowledged(cseq)) return undefined
    if (this.#offer !== 'local-offer') return 'plain'
    this.step(sdp === undefined ? 'withdrawn' : 'answer-received')
    return sdp === undefined ? 'missing' : 'answer'
  }

  /** We end it. True: by a BYE now; false: it is over already, or the BYE waits for an ACK (RFC 3261 §15). */
  protected endNow(): boolean {
    if (this.answeredInvite.waits) this.moveOn('end-on-ack')
    return this.#state === 'early' || this.#state === 'open'
  }
}
