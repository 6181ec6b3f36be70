import { mayOffer } from '../../dialog/offer-answer.ts'
import type { HeaderField } from '../../message/message.ts'
import { allowsMethod, contactUriOf, sdpOf } from '../../message/typed-fields.ts'
import type { IncomingResponse } from '../../transaction/incoming.ts'
import { Timer } from '../../transaction/timer-queue.ts'
import type { ClientTransaction, TimerOwner } from '../../transaction/transaction.ts'
import { allow } from '../services/settings.ts'
import type { SessionContext } from './session-context.ts'

/** Our own re-INVITEs and UPDATEs in a session: offers, refreshes, and the waiting after glare. */
export class OwnOffers implements TimerOwner {
  readonly #session: SessionContext
  readonly #weCalled: boolean
  readonly #glareTimer = new Timer<TimerOwner>(this, 'glare')
  /** Our INVITE that has no final response yet. */
  #invite: ClientTransaction | undefined
  /** The offer that somebody asked us to make; undefined while we only refresh. */
  #asked: string | undefined

  constructor(session: SessionContext, weCalled: boolean) {
    this.#session = session
    this.#weCalled = weCalled
  }

  get isOpen(): boolean {
    return this.#invite !== undefined
  }

  make(sdp: string, now: number): void {
    const session = this.#session
    if (session.state !== 'open' || !mayOffer(session.offer, session.open)) {
      session.services.emit({ type: 'reoffer-refused', id: session.host.id, status: 491 })
      return
    }
    this.#asked = sdp
    this.#sendInvite([{ name: 'Allow', value: allow }], sdp, now)
  }

  /** Shows the peer that we are there: UPDATE where it knows it, else a re-INVITE with what is agreed. */
  refresh(fields: readonly HeaderField[], now: number): void {
    const session = this.#session
    if (session.state !== 'open' || this.isOpen || session.offer !== 'stable') return
    if (session.peerAllowsUpdate) session.sender.request('UPDATE', now, { fields })
    else if (session.localSdp !== undefined) this.#sendInvite(fields, session.localSdp, now)
  }

  responded(transaction: ClientTransaction, response: IncomingResponse, now: number): void {
    const { status } = response.message
    const isInvite = transaction.request.method === 'INVITE'
    if (isInvite && status < 300 && transaction !== this.#invite) {
      this.#session.sender.acknowledgeAgain()
      return
    }
    if (isInvite) this.#invite = undefined
    if (status === 401 || status === 407) {
      const keep = (again: ClientTransaction) => {
        if (isInvite) this.#invite = again
      }
      if (this.#session.sender.authorized(transaction, response, now, keep)) return
    }
    if (status < 300) this.#accepted(isInvite, response, now)
    else this.#refused(isInvite, status, now)
  }

  stop(): void {
    this.#session.services.timers.stop(this.#glareTimer)
  }

  forget(): void {
    this.#invite = undefined
  }

  expired(_name: string, now: number): void {
    const sdp = this.#asked
    this.#asked = undefined
    if (sdp !== undefined) this.make(sdp, now)
  }

  #sendInvite(fields: readonly HeaderField[], sdp: string, now: number): void {
    this.#session.step('offer-sent')
    this.#session.sender.request('INVITE', now, { fields, sdp }, transaction => {
      this.#invite = transaction
    })
  }

  #accepted(isInvite: boolean, response: IncomingResponse, now: number): void {
    const session = this.#session
    const contact = contactUriOf(response.message)
    if (contact !== undefined) {
      session.dialog.remoteTarget = contact
      session.remote.learnNextHop(session.dialog.nextHop, now)
    }
    if (allowsMethod(response.message, 'UPDATE')) session.peerAllowsUpdate = true
    session.refresh.answered(response.message, now)
    if (!isInvite) return
    session.sender.acknowledge(response.cseq, [], now)
    const sdp = sdpOf(response.message)
    const asked = this.#asked
    this.#asked = undefined
    session.step(sdp === undefined ? 'withdrawn' : 'answer-received')
    if (asked === undefined) return
    session.localSdp = asked
    session.services.emit(
      sdp === undefined
        ? { type: 'reoffer-refused', id: session.host.id, status: response.message.status }
        : { type: 'reoffer-answered', id: session.host.id, sdp },
    )
  }

  #refused(isInvite: boolean, status: number, now: number): void {
    const session = this.#session
    if (isInvite) session.step('withdrawn')
    if (status === 481 || status === 408) {
      // The peer knows nothing of this dialog any more (RFC 3261 §12.2.1.2, RFC 4028 §10, RFC 5057 §5.1): no refusal of a call.
      session.sessionExpired(now)
      return
    }
    if (isInvite && this.#asked !== undefined) {
      if (status === 491 && session.state === 'open') this.#waitOut(now)
      else {
        this.#asked = undefined
        session.services.emit({ type: 'reoffer-refused', id: session.host.id, status })
      }
      return
    }
    if (!isInvite && (status === 405 || status === 501)) session.peerAllowsUpdate = false
    session.refresh.refused(now)
  }

  /** RFC 3261 §14.1: the side that made the Call-ID waits 2.1 to 4 s, the other 0 to 2 s, in steps of 10 ms. */
  #waitOut(now: number): void {
    const { tokens, timers } = this.#session.services
    const wait = this.#weCalled ? 2100 + 1900 * tokens.fraction() : 2000 * tokens.fraction()
    timers.set(this.#glareTimer, now + Math.round(wait / 10) * 10)
  }
}
