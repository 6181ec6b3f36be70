import {
  dialogOfCallee,
  headersOf,
  type IncomingRequest,
  type ServerOwner,
  type ServerTransaction,
} from '../../sip/index.ts'
import { type EndReason, localEnd } from '../end-reason.ts'
import { contactOf, readAddress, sdpOf } from './read.ts'
import { reasonOf } from './response-reason.ts'
import { Session, type SessionHost } from './session.ts'
import { allow, type Party, type Station, type TaggedCall } from './station.ts'

/** A call that came: from its INVITE to our final response; then its session has the word. */
export class IncomingCall implements ServerOwner, TaggedCall, SessionHost {
  readonly id: string
  readonly callId: string
  readonly session: Session
  readonly #station: Station
  readonly #invite: ServerTransaction
  #state: 'offered' | 'answered' | 'over' = 'offered'
  #isTold = false

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
    this.#station.respond(this.#invite, 180, now, {
      toTag: this.session.dialog.localTag,
      fields: [
        { name: 'Contact', value: this.#station.contact() },
        { name: 'Allow', value: allow },
      ],
    })
    const sdp = sdpOf(this.#invite.request.message)
    const from = partyOf(this.#invite.request)
    this.#station.emit({ type: 'offered', id: this.id, from, ...(sdp === undefined ? {} : { sdp }) })
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
    this.#station.respond(this.#invite, status, now, { toTag: this.session.dialog.localTag })
    this.#finish(reason)
  }

  over(reason: EndReason): void {
    this.#tell(reason, true)
  }

  released(): void {
    this.#state = 'over'
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

  lineDown(): void {
    // Its CANCEL could not reach us any more, nor our answer the caller.
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
