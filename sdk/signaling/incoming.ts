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
import { contactOf, readAddress, sdpOf } from './read.ts'
import { reasonOf } from './response-reason.ts'
import { Session, type SessionHost } from './session.ts'
import { allow, lineLostMs, type Party, type Station, shownAgainMs, sidHeader, type TaggedCall } from './station.ts'

/** A call that came: from its INVITE to our final response; then its session has the word. */
export class IncomingCall implements ServerOwner, TimerOwner, TaggedCall, SessionHost {
  readonly id: string
  readonly callId: string
  readonly session: Session
  readonly #station: Station
  readonly #invite: ServerTransaction
  readonly #timer = new Timer<TimerOwner>(this, 'line')
  #state: 'offered' | 'answered' | 'over' = 'offered'
  #isTold = false
  /** Declined while the line was down: the status to answer with when the switch shows the call again. */
  #refusal: number | undefined

  constructor(station: Station, id: string, transaction: ServerTransaction) {
    const { request } = transaction
    this.#station = station
    this.#invite = transaction
    this.id = id
    this.callId = request.callId
    const localTag = station.word(12)
    const dialog = dialogOfCallee(request, localTag, contactOf(request.message))
    this.session = new Session(station, this, dialog, sdpOf(request.message) === undefined ? 'initial' : 'remote-offer')
    transaction.owner = this
  }

  start(now: number): void {
    this.#station.bind(this.session.dialog.localTag, this)
    this.#ring(now)
    const { message } = this.#invite.request
    const sdp = sdpOf(message)
    const sid = headerOf(message, sidHeader)
    const from = partyOf(this.#invite.request)
    this.#station.emit({ type: 'offered', id: this.id, from, sid, sdp })
  }

  isOf({ callId, fromTag }: IncomingRequest): boolean {
    return callId === this.callId && fromTag === this.session.dialog.remoteTag
  }

  /**
   * The same INVITE by another branch: after a new connection the switch forks to it (RFC 5626 §5.3). The first one
   * holds (RFC 3261 §8.2.2.2), and what was said of it is said again, since it may have gone with the old connection.
   */
  offeredAgain(transaction: ServerTransaction, now: number): void {
    this.#station.timers.stop(this.#timer)
    this.#station.respond(transaction, this.#refusal ?? 482, now, { toTag: this.session.dialog.localTag })
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
    if (this.#timer.running && !this.#station.isReady) {
      this.#refusal = status
      this.#tell(reason)
      return
    }
    this.#station.respond(this.#invite, status, now, { toTag: this.session.dialog.localTag })
    this.#finish(reason)
  }

  over(reason: EndReason): void {
    this.#tell(reason, true)
  }

  released(): void {
    this.#state = 'over'
    this.#station.timers.stop(this.#timer)
    this.#station.release(this.id, this.session.dialog.localTag)
  }

  requestArrived(transaction: ServerTransaction, now: number): void {
    const { request } = transaction
    if (request.fromTag !== this.session.dialog.remoteTag) this.#station.respond(transaction, 481, now)
    else if (this.#state !== 'offered') this.session.requestArrived(transaction, now)
    else if (request.message.method === 'BYE') {
      // RFC 3261 §15: allowed to the caller in an early dialog.
      this.#station.respond(transaction, 200, now)
      this.end(reasonOf(request.message, 'remote'), now, 487)
    } else this.#station.respond(transaction, request.message.method === 'UPDATE' ? 504 : 491, now)
  }

  ackArrived(ack: IncomingRequest, now: number): void {
    this.session.ackArrived(ack, now)
  }

  lineUp(now: number): void {
    this.session.lineUp(now)
  }

  lineDown(now: number): void {
    if (this.#state === 'offered') this.#station.timers.set(this.#timer, now + lineLostMs)
  }

  registered(now: number): void {
    if (this.#timer.running) this.#station.timers.set(this.#timer, now + shownAgainMs)
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
    // Nobody acknowledged our refusal: all that can be done has been.
  }

  finished(): void {}

  #ring(now: number): void {
    this.#station.respond(this.#invite, 180, now, {
      toTag: this.session.dialog.localTag,
      fields: [
        { name: 'Contact', value: this.#station.contact() },
        { name: 'Allow', value: allow },
      ],
    })
  }

  #finish(reason: EndReason): void {
    this.#tell(reason)
    this.released()
  }

  #tell(reason: EndReason, wasOpen = false): void {
    if (this.#isTold) return
    this.#isTold = true
    this.#station.emit({ type: 'ended', id: this.id, reason, wasOpen })
  }
}

/** Who calls: the identity that the switch vouches for when it says one, else From. */
function partyOf(request: IncomingRequest): Party {
  for (const value of [...headersOf(request.message, 'P-Asserted-Identity'), request.from]) {
    const { user, displayName, uri } = readAddress(value)
    if (user !== '') return { user, displayName, uri }
  }
  return { user: 'anonymous', displayName: '', uri: '' }
}
