import { glareWaitMs } from '../../invite/offer-waits.ts'
import { type OwnOfferInput, type OwnOfferState, ownOfferTable } from '../../invite/session-states.ts'
import type { HeaderField } from '../../message/message.ts'
import { contactUriOf, sdpOf } from '../../message/typed-fields.ts'
import type { IncomingResponse } from '../../transaction/incoming.ts'
import { Timer } from '../../transaction/timer-queue.ts'
import type { ClientTransaction, TimerOwner } from '../../transaction/transaction.ts'
import { allowField } from '../services/settings.ts'
import type { SessionContext } from './session-context.ts'

/** Our own re-INVITEs and UPDATEs in a session: offers, refreshes, and the waiting after glare. */
export class OwnOffers implements TimerOwner {
  readonly #session: SessionContext
  readonly #weCalled: boolean
  readonly #glareTimer = new Timer<TimerOwner>(this, 'glare')
  #state: OwnOfferState = 'none'
  /** Our INVITE, from when its next hop is known to its final response. */
  #invite: ClientTransaction | undefined
  /** The offer that the domain asked us to make, while `offering` or `waiting`. */
  #asked = ''

  constructor(session: SessionContext, weCalled: boolean) {
    this.#session = session
    this.#weCalled = weCalled
  }

  /** A re-INVITE of ours is out. */
  get isOpen(): boolean {
    return this.#state === 'offering' || this.#state === 'refreshing'
  }

  make(sdp: string, now: number): void {
    if (!this.#session.isSettled || !this.#step('offer')) {
      this.#reportRefused(491)
      return
    }
    this.#session.services.timers.stop(this.#glareTimer)
    this.#asked = sdp
    this.#sendInvite([allowField], sdp, now)
  }

  /**
   * Refreshes the session (RFC 4028): by UPDATE where the remote allows it, else by a re-INVITE with the SDP that is agreed. While an offer or a
   * request of either side is open, it is tried later.
   */
  refresh(fields: readonly HeaderField[], now: number): void {
    const session = this.#session
    const { localSdp } = session
    if (this.#state !== 'none' || !this.#session.isSettled) session.refresh.retryLater(now)
    else if (session.remoteAllowsUpdate) session.sender.request('UPDATE', now, { fields })
    else if (localSdp !== undefined && this.#step('refresh')) this.#sendInvite(fields, localSdp, now)
  }

  responded(transaction: ClientTransaction, response: IncomingResponse, now: number): void {
    const { status } = response.message
    const isInvite = transaction.request.method === 'INVITE'
    if (isInvite && transaction !== this.#invite) {
      if (status < 300) this.#session.sender.acknowledgeAgain()
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

  /** The session ends: nothing is sent again. The answer to what is out is still acknowledged. */
  stop(): void {
    this.#session.services.timers.stop(this.#glareTimer)
    if (this.#state === 'waiting') this.#step('end')
  }

  /** The remote does not answer any more. */
  forget(): void {
    this.#invite = undefined
    this.#step('end')
  }

  expired(_name: string, now: number): void {
    if (this.#state !== 'waiting') return
    if (this.#session.isSettled) this.make(this.#asked, now)
    else {
      this.#step('end')
      this.#reportRefused(491)
    }
  }

  /** False: not allowed in this state, and nothing changed. */
  #step(input: OwnOfferInput): boolean {
    const next = ownOfferTable[this.#state][input]
    if (next === undefined) return false
    this.#state = next
    return true
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
    session.allowsOf(response.message)
    session.refresh.answered(response.message, now)
    if (!isInvite) return
    session.sender.acknowledge(response.cseq, [], now)
    const sdp = sdpOf(response.message)
    const wasAsked = this.#state === 'offering'
    this.#step('end')
    session.step(sdp === undefined ? 'withdrawn' : 'answer-received')
    if (!wasAsked) return
    session.offered(this.#asked)
    if (sdp === undefined) this.#reportRefused(response.message.status)
    else session.services.emit({ type: 'reoffer-answered', id: session.host.id, sdp })
  }

  #refused(isInvite: boolean, status: number, now: number): void {
    const session = this.#session
    const wasAsked = isInvite && this.#state === 'offering'
    const isGlare = status === 491 && session.state === 'open'
    if (isInvite) {
      session.step('withdrawn')
      this.#step(isGlare ? 'glare' : 'end')
    }
    if (status === 481 || status === 408) {
      // These end the dialog, not only the request (RFC 3261 §12.2.1.2, RFC 4028 §10, RFC 5057 §5.1).
      session.sessionExpired(now)
      return
    }
    if (wasAsked) {
      if (isGlare) this.#waitOut(now)
      else this.#reportRefused(status)
      return
    }
    if (!isInvite && (status === 405 || status === 501)) session.updateNotAllowed()
    session.refresh.retryLater(now)
  }

  #reportRefused(status: number): void {
    const { services, host } = this.#session
    services.emit({ type: 'reoffer-refused', id: host.id, status })
  }

  #waitOut(now: number): void {
    const { tokens, timers } = this.#session.services
    timers.set(this.#glareTimer, now + glareWaitMs(this.#weCalled, tokens.fraction()))
  }
}
