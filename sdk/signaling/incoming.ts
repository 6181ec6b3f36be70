import {
  dialogOfCallee,
  headerOf,
  headersOf,
  type IncomingRequest,
  type ServerOwner,
  type ServerTransaction,
  Timer,
  type TimerOwner,
} from '../../sip/index.ts'
import { type EndReason, localEnd } from '../base/end-reason.ts'
import { CallDialog, type CallDialogOwner } from './call-dialog.ts'
import { contactOf, readAddress, sdpOf } from './read.ts'
import { reasonOf } from './response-reason.ts'
import {
  allow,
  type EndpointServices,
  lineLostMs,
  type Party,
  shownAgainMs,
  sidHeader,
  type TaggedCall,
} from './services.ts'

/** A call that came: from its INVITE to our final response; then its session has the word. */
export class IncomingCall implements ServerOwner, TimerOwner, TaggedCall, CallDialogOwner {
  readonly id: string
  readonly callId: string
  readonly session: CallDialog
  readonly #services: EndpointServices
  readonly #invite: ServerTransaction
  readonly #timer = new Timer<TimerOwner>(this, 'line')
  #state: 'offered' | 'answered' | 'over' = 'offered'
  #isReported = false
  /** Declined while the line was down: the status to answer with when the switch shows the call again. */
  #refusal: number | undefined

  constructor(services: EndpointServices, id: string, transaction: ServerTransaction) {
    const { request } = transaction
    this.#services = services
    this.#invite = transaction
    this.id = id
    this.callId = request.callId
    const localTag = services.word(12)
    const dialog = dialogOfCallee(request, localTag, contactOf(request.message))
    this.session = new CallDialog(
      services,
      this,
      dialog,
      sdpOf(request.message) === undefined ? 'initial' : 'remote-offer',
    )
    transaction.owner = this
  }

  start(now: number): void {
    this.#services.bind(this.session.dialog.localTag, this)
    this.#ring(now)
    const { message } = this.#invite.request
    const sdp = sdpOf(message)
    const sid = headerOf(message, sidHeader)
    const from = partyOf(this.#invite.request)
    this.#services.emit({ type: 'offered', id: this.id, from, sid, sdp })
  }

  isOf({ callId, fromTag }: IncomingRequest): boolean {
    return callId === this.callId && fromTag === this.session.dialog.remoteTag
  }

  /**
   * The same INVITE by another branch: after a new connection the switch forks to it (RFC 5626 §5.3). The first one
   * holds (RFC 3261 §8.2.2.2), and what was said of it is said again, since it may have gone with the old connection.
   */
  offeredAgain(transaction: ServerTransaction, now: number): void {
    this.#services.timers.stop(this.#timer)
    this.#services.respond(transaction, this.#refusal ?? 482, now, { toTag: this.session.dialog.localTag })
    if (this.#refusal !== undefined) this.released()
    else if (this.#state === 'offered') this.#ring(now)
    else this.session.answerAgain(now)
  }

  answer(sdp: string, now: number): void {
    if (this.#state !== 'offered') return
    this.#state = 'answered'
    this.session.answer(this.#invite, sdp, now)
  }

  /** `status`: our final response while the call is not answered. */
  end(reason: EndReason, now: number, status = 480): void {
    if (this.#state === 'answered') this.session.end(reason, now)
    if (this.#state !== 'offered') return
    if (this.#timer.running && !this.#services.isReady) {
      this.#refusal = status
      this.#report(reason)
      return
    }
    this.#services.respond(this.#invite, status, now, { toTag: this.session.dialog.localTag })
    this.#finish(reason)
  }

  over(reason: EndReason): void {
    this.#report(reason, true)
  }

  released(): void {
    this.#state = 'over'
    this.#services.timers.stop(this.#timer)
    this.#services.release(this.id, this.session.dialog.localTag)
  }

  requestArrived(transaction: ServerTransaction, now: number): void {
    const { request } = transaction
    if (request.fromTag !== this.session.dialog.remoteTag) this.#services.respond(transaction, 481, now)
    else if (this.#state !== 'offered') this.session.requestArrived(transaction, now)
    else if (request.message.method === 'BYE') {
      // RFC 3261 §15: allowed to the caller in an early dialog.
      this.#services.respond(transaction, 200, now)
      this.end(reasonOf(request.message, 'remote'), now, 487)
    } else this.#services.respond(transaction, request.message.method === 'UPDATE' ? 504 : 491, now)
  }

  ackArrived(ack: IncomingRequest, now: number): void {
    this.session.ackArrived(ack, now)
  }

  lineUp(now: number): void {
    this.session.lineUp(now)
  }

  lineDown(now: number): void {
    if (this.#state === 'offered') this.#services.timers.set(this.#timer, now + lineLostMs)
  }

  registered(now: number): void {
    if (this.#timer.running) this.#services.timers.set(this.#timer, now + shownAgainMs)
  }

  /** The line did not come back in time, or the switch rings us no more. */
  expired(): void {
    if (this.#state === 'offered') this.#finish(localEnd('Connection lost', 'network'))
  }

  acknowledged(_transaction: ServerTransaction, ack: IncomingRequest, now: number): void {
    this.session.ackArrived(ack, now)
  }

  cancelled(_transaction: ServerTransaction, cancel: IncomingRequest, now: number): void {
    this.end(reasonOf(cancel.message, 'remote'), now, 487)
  }

  failed(): void {
    // No ACK to our refusal came: there is nothing left to do.
  }

  finished(): void {}

  #ring(now: number): void {
    this.#services.respond(this.#invite, 180, now, {
      toTag: this.session.dialog.localTag,
      fields: [this.#services.contact(), allow],
    })
  }

  #finish(reason: EndReason): void {
    this.#report(reason)
    this.released()
  }

  #report(reason: EndReason, wasOpen = false): void {
    if (this.#isReported) return
    this.#isReported = true
    this.#services.emit({ type: 'ended', id: this.id, reason, wasOpen })
  }
}

/** The caller: the identity that the switch asserts when it sends one, else From. */
function partyOf(request: IncomingRequest): Party {
  for (const value of [...headersOf(request.message, 'P-Asserted-Identity'), request.from]) {
    const { user, displayName, uri } = readAddress(value)
    if (user !== '') return { user, displayName, uri }
  }
  return { user: 'anonymous', displayName: '', uri: '' }
}
