import type { ClientTransaction, Dialog, IncomingResponse, OfferInput, TransactionFault } from '../../sip/index.ts'
import { type EndReason, localEnd } from '../base/end-reason.ts'
import type { DialogSender } from './dialog-sender.ts'
import { contactOf, sdpOf } from './read.ts'
import { reasonOf } from './response-reason.ts'
import { bearer, type EndpointServices } from './services.ts'

/** What our own offers use of their session. */
interface OffersContext {
  readonly services: EndpointServices
  readonly host: { readonly id: string }
  readonly dialog: Dialog
  readonly sender: DialogSender
  readonly isOpen: boolean
  readonly isSettled: boolean
  step(input: OfferInput): boolean
  end(reason: EndReason, now: number): void
}

/** Our own re-INVITEs in a session, one at a time. */
export class ReInvites {
  readonly #session: OffersContext
  /** Our INVITE that has no final response yet. */
  #invite: ClientTransaction | undefined

  constructor(session: OffersContext) {
    this.#session = session
  }

  get isOpen(): boolean {
    return this.#invite !== undefined
  }

  make(sdp: string, now: number): void {
    const session = this.#session
    if (session.isSettled && session.services.isUp) {
      session.step('offer-sent')
      this.#invite = session.sender.request('INVITE', now, [], sdp)
    } else this.#reportRefused(session.services.isUp ? 491 : 0)
  }

  responded(transaction: ClientTransaction, response: IncomingResponse, now: number): void {
    const { status } = response.message
    const session = this.#session
    if (transaction !== this.#invite) {
      if (status < 300) session.sender.acknowledgeAgain()
      return
    }
    this.#invite = undefined
    // RFC 8898 §2.1.2: within a dialog the token is shown only to who asks for it.
    const isFirst = !transaction.request.headers.some(({ name }) => name === 'Authorization')
    if (status === 401 && isFirst && session.isOpen) {
      const credentials = bearer(session.services.identity)
      this.#invite = session.sender.request('INVITE', now, [credentials], sdpOf(transaction.request))
    } else if (status < 300) this.#accepted(response)
    else this.#refused(response, now)
  }

  failed(transaction: ClientTransaction, fault: TransactionFault, now: number): void {
    if (transaction !== this.#invite) return
    this.#invite = undefined
    this.#session.step('withdrawn')
    if (fault === 'timeout') this.#session.end(localEnd('No answer from the service', 'network'), now)
    else this.#reportRefused(0)
  }

  #accepted(response: IncomingResponse): void {
    const session = this.#session
    const contact = contactOf(response.message)
    if (contact !== undefined) session.dialog.remoteTarget = contact
    session.sender.acknowledge(response.cseq)
    const sdp = sdpOf(response.message)
    session.step(sdp === undefined ? 'withdrawn' : 'answer-received')
    if (!session.isOpen) return
    if (sdp === undefined) this.#reportRefused(response.message.status)
    else session.services.emit({ type: 'reoffer-answered', id: session.host.id, sdp })
  }

  #refused(response: IncomingResponse, now: number): void {
    const { status } = response.message
    this.#session.step('withdrawn')
    if (!this.#session.isOpen) return
    // RFC 3261 §12.2.1.2: the remote knows nothing of this dialog any more.
    if (status === 481 || status === 408) this.#session.end(reasonOf(response.message, 'remote'), now)
    else this.#reportRefused(status)
  }

  #reportRefused(status: number): void {
    const { services, host } = this.#session
    services.emit({ type: 'reoffer-refused', id: host.id, status })
  }
}
