import type { Dialog } from '../../dialog/dialog.ts'
import type { CredentialScope } from '../../digest/credential-scope.ts'
import { InviteExchange } from '../../invite/invite-exchange.ts'
import type { OfferState } from '../../invite/offer-answer.ts'
import type { SessionState } from '../../invite/session-states.ts'
import type { HeaderField, SipMessage } from '../../message/message.ts'
import { allowsMethod, sdpOf } from '../../message/typed-fields.ts'
import type { Flow } from '../../network/flow.ts'
import type { IncomingRequest, IncomingResponse } from '../../transaction/incoming.ts'
import type {
  ClientOwner,
  ClientTransaction,
  ServerOwner,
  ServerTransaction,
  TimerOwner,
  TransactionFault,
} from '../../transaction/transaction.ts'
import type { CallCause } from '../services/call-event.ts'
import type { ReasonHeader, SdpWarning } from '../services/reason-header.ts'
import { reasonFields, warningFields } from '../services/reason-header.ts'
import { contactOf } from '../services/request.ts'
import type { EndpointServices } from '../services/services.ts'
import { allowField, supportedField } from '../services/settings.ts'
import type { DialogRemote } from './dialog-remote.ts'
import { DialogSender } from './dialog-sender.ts'
import { answerInDialog } from './in-dialog.ts'
import { OwnOffers } from './own-offers.ts'
import type { InviteSessionOwner, SessionContext } from './session-context.ts'
import { SessionRefresh } from './session-refresh.ts'

interface SessionStart {
  readonly state: SessionState
  readonly offer: OfferState
  /** We made the Call-ID. */
  readonly weCalled: boolean
  /** It named UPDATE in its Allow. */
  readonly remoteAllowsUpdate: boolean
  readonly localSdp?: string
  readonly scope?: CredentialScope | undefined
  /** A softphone's requests go over the flow of its messages, wherever its Contact leads (RFC 5626 §5.3). */
  readonly remote: DialogRemote
  /** The customer whose document named the remote (`HopName`). */
  readonly customer?: string | undefined
}

const noAnswer: ReasonHeader = { status: 488, q850: 88, text: 'No answer to the offer', code: 'END.0488' }
const noAck: ReasonHeader = { status: 480, q850: 102, text: 'No ACK', code: 'END.1408' }
const lost: ReasonHeader = { status: 480, q850: 102, text: 'No answer within the dialog', code: 'END.1408' }
const expired: ReasonHeader = { status: 480, q850: 102, text: 'Session expired', code: 'END.0212' }

/** A dialog made by INVITE, from its first answer to its BYE: requests of both sides, offers, refreshes. */
export class InviteSession extends InviteExchange implements SessionContext, ClientOwner, ServerOwner {
  readonly services: EndpointServices
  readonly host: InviteSessionOwner
  readonly dialog: Dialog
  readonly refresh: SessionRefresh
  readonly sender: DialogSender
  readonly remote: DialogRemote
  readonly ownOffers: OwnOffers
  #remoteAllowsUpdate: boolean
  #hasReanswered = false
  /** Additional header fields of our 2xx to the INVITE that made this session. */
  #answerFields: readonly HeaderField[] = []
  #localSdp: string | undefined
  #endReason: ReasonHeader | undefined
  #endCause: CallCause = { kind: 'bye' }
  /** The INVITE that made the dialog has its ACK: theirs, or the one that we send. */
  #isConfirmed: boolean
  #isAgreedEarly = false

  constructor(services: EndpointServices, host: InviteSessionOwner, dialog: Dialog, near: Flow, start: SessionStart) {
    super(services.timers, services.settings.timers, start.state, start.offer)
    this.services = services
    this.host = host
    this.dialog = dialog
    this.#localSdp = start.localSdp
    this.#remoteAllowsUpdate = start.remoteAllowsUpdate
    this.#isConfirmed = start.weCalled
    this.sender = new DialogSender(services, dialog, this, { ...start, near })
    this.remote = start.remote
    this.ownOffers = new OwnOffers(this, start.weCalled)
    this.refresh = new SessionRefresh(services, this)
  }

  repeat(transaction: ServerTransaction, bytes: Uint8Array, now: number): void {
    this.services.layer.respond(transaction, 200, bytes, now)
  }

  get remoteAllowsUpdate(): boolean {
    return this.#remoteAllowsUpdate
  }

  /** The last SDP that we sent. */
  get localSdp(): string | undefined {
    return this.#localSdp
  }

  /** The remote waits for our answer to its offer. */
  get awaitsAnswer(): boolean {
    return this.pendingRequest !== undefined
  }

  /** The remote has sent a new offer in an UPDATE. SDP in later responses to the INVITE is older and is ignored. */
  get hasReoffered(): boolean {
    return this.awaitsAnswer || this.#hasReanswered
  }

  /** Objects that may have a timer running for this session. */
  get timerOwners(): readonly TimerOwner[] {
    return [this.refresh, this.ownOffers, this.answeredInvite]
  }

  get awaitsAck(): boolean {
    return this.answeredInvite.waits
  }

  /** Goes with our 2xx to the INVITE. */
  answerWith(fields: readonly HeaderField[]): void {
    this.#answerFields = fields
  }

  allowsOf(message: SipMessage): void {
    if (allowsMethod(message, 'UPDATE')) this.#remoteAllowsUpdate = true
  }

  updateNotAllowed(): void {
    this.#remoteAllowsUpdate = false
  }

  offered(sdp: string): void {
    this.#localSdp = sdp
  }

  /** Our answer has arrived before the 2xx, which only repeats what holds (RFC 3262 §5, RFC 3261 §13.2.1). */
  agreedEarly(sdp: string): void {
    if (!this.step('answer-sent')) return
    this.#localSdp = sdp
    this.#isAgreedEarly = true
  }

  /** Continues an early session of the same dialog after its 2xx: what was agreed there is valid. */
  continueFrom(early: InviteSession, remoteSeq: number): void {
    this.adoptFrom(early)
    this.#localSdp = early.#localSdp
    this.#hasReanswered = early.#hasReanswered
    if (early.#remoteAllowsUpdate) this.#remoteAllowsUpdate = true
    this.dialog.takeRemoteSeq(remoteSeq)
    if (this.pendingRequest !== undefined) this.pendingRequest.owner = this
  }

  /** Our 2xx to an INVITE, repeated until its ACK. */
  accept(transaction: ServerTransaction, answer: string, now: number): void {
    const agreed = this.state === 'early' && this.#isAgreedEarly ? this.#localSdp : undefined
    if (agreed === undefined && !this.mayAccept()) return
    const sdp = agreed ?? answer
    this.#localSdp = sdp
    this.remote.learnNextHop(this.dialog.nextHop, now)
    const bytes = this.services.respond(transaction, 200, now, {
      toTag: this.dialog.localTag,
      recordRoute: !this.#isConfirmed,
      fields: [
        { name: 'Contact', value: contactOf(transaction.flow) },
        allowField,
        supportedField,
        ...this.#answerFields,
        ...this.refresh.answerFields(transaction.request.message, now),
      ],
      sdp,
    })
    this.acceptSent(transaction, bytes, now)
  }

  ackArrived(ack: IncomingRequest, now: number): void {
    const sdp = sdpOf(ack.message)
    const taken = this.ackTaken(ack.cseq, sdp)
    if (taken === undefined) return
    const isMissing = taken === 'missing'
    const isFirst = !this.#isConfirmed
    this.#isConfirmed = true
    if (this.#endReason !== undefined) this.#sendBye(this.#endReason, now)
    else if (isMissing && isFirst) this.endFor({ kind: 'response', status: noAnswer.status }, noAnswer, now)
    else if (isFirst) this.host.confirmed(taken === 'answer' ? sdp : undefined, now)
    else if (taken !== 'plain')
      this.services.emit({ type: 'reconfirmed', id: this.host.id, ...(sdp === undefined ? undefined : { sdp }) })
  }

  /** Ends the dialog; the host gets `over` once the BYE is answered or given up. */
  end(reason: ReasonHeader, now: number): void {
    if (this.state !== 'early' && this.state !== 'open') return
    if (this.endNow()) this.#sendBye(reason, now)
    else this.#endReason = reason
  }

  /** The same, and `cause` is what the host gets. */
  endFor(cause: CallCause, reason: ReasonHeader, now: number): void {
    this.#endCause = cause
    this.end(reason, now)
  }

  /** Ended without a BYE of ours. */
  close(cause: CallCause, now: number): void {
    if (!this.moveOn('close')) return
    this.#stopAll(now)
    this.sender.close()
    this.host.over(cause, now)
  }

  /** A request within the dialog, whose tags are right. */
  requestArrived(transaction: ServerTransaction, now: number): void {
    this.sender.receivedOver(transaction.request.flow)
    answerInDialog(this, transaction, now)
  }

  reanswer(sdp: string, now: number): void {
    const transaction = this.takePending()
    if (transaction === undefined) return
    if (transaction.request.message.method === 'INVITE') {
      this.accept(transaction, sdp, now)
      return
    }
    this.step('answer-sent')
    this.#localSdp = sdp
    this.#hasReanswered = true
    const fields = transaction.request.message.method === 'UPDATE' ? this.updateFields(transaction, now) : []
    this.services.respond(transaction, 200, now, { fields, sdp })
  }

  /** What our 2xx to an UPDATE says. */
  updateFields(transaction: ServerTransaction, now: number): readonly HeaderField[] {
    const contact = { name: 'Contact', value: contactOf(transaction.flow) }
    // The timer of a session begins with its 2xx.
    const timer = this.state === 'early' ? [] : this.refresh.answerFields(transaction.request.message, now)
    return [contact, ...timer]
  }

  askForAnswer(transaction: ServerTransaction, sdp: string | undefined): void {
    this.keepPending(transaction, sdp)
    transaction.owner = this
    const source = transaction.request.flow.address
    this.services.emit({ type: 'reoffered', id: this.host.id, source, ...(sdp === undefined ? undefined : { sdp }) })
  }

  refuseReoffer(warning: SdpWarning | undefined, now: number): void {
    this.#withdrawPending(488, now, warningFields(warning))
  }

  /** Our own re-INVITE. */
  reoffer(sdp: string, now: number): void {
    this.ownOffers.make(sdp, now)
  }

  /** OPTIONS within the dialog: any answer but 408 and 481 shows that the remote is there (RFC 5057 §5.1). */
  probe(now: number): void {
    if (this.state === 'open' && !this.awaitsAck) this.sender.request('OPTIONS', now, {})
  }

  sendRefresh(fields: readonly HeaderField[], now: number): void {
    this.ownOffers.refresh(fields, now)
  }

  /** RFC 4028 §10: the session was not refreshed, or the remote has forgotten it. A probe without an answer means the same. */
  sessionExpired(now: number): void {
    this.#gone({ kind: 'session-expired' }, expired, now)
  }

  responded(transaction: ClientTransaction, response: IncomingResponse, now: number): void {
    const { status } = response.message
    if (status < 200) return
    if (transaction.request.method === 'OPTIONS') {
      if (status === 408 || status === 481) this.sessionExpired(now)
      return
    }
    if (transaction.request.method !== 'BYE') {
      this.ownOffers.responded(transaction, response, now)
      return
    }
    if ((status === 401 || status === 407) && this.sender.authorized(transaction, response, now)) return
    this.close(this.#endCause, now)
  }

  failed(transaction: ClientTransaction | ServerTransaction, _fault: TransactionFault, now: number): void {
    if (transaction.role === 'server') return
    if (transaction.request.method === 'BYE') {
      this.close(this.#endCause, now)
      return
    }
    if (transaction.request.method === 'OPTIONS') {
      this.sessionExpired(now)
      return
    }
    this.ownOffers.forget()
    // RFC 3261 §12.2.1.2: it does not answer within the dialog.
    this.#gone({ kind: 'timeout' }, lost, now)
  }

  finished(): void {}

  get atRest(): ClientOwner {
    return this.remote
  }

  isSource(flow: Flow): boolean {
    return this.remote.isSource(flow)
  }

  acknowledged(_transaction: ServerTransaction, ack: IncomingRequest, now: number): void {
    this.ackArrived(ack, now)
  }

  /** CANCEL of their re-INVITE: the session goes on as it was. */
  cancelled(transaction: ServerTransaction, _cancel: IncomingRequest, now: number): void {
    if (transaction === this.pendingRequest) this.#withdrawPending(487, now)
  }

  /** RFC 3261 §13.3.1.4: the session is ended by a BYE. */
  gaveUp(now: number): void {
    if (this.#endReason === undefined) this.#gone({ kind: 'timeout' }, noAck, now)
    else this.#sendBye(this.#endReason, now)
  }

  /** The BYE is a formality: the host does not wait 32 s for an answer to it that will hardly come. */
  #gone(cause: CallCause, reason: ReasonHeader, now: number): void {
    this.endFor(cause, reason, now)
    if (this.state === 'ending') this.host.over(cause, now)
  }

  #sendBye(reason: ReasonHeader, now: number): void {
    if (!this.moveOn('bye')) return
    this.#stopAll(now)
    this.sender.request('BYE', now, { fields: reasonFields(reason) })
  }

  #withdrawPending(status: number, now: number, fields: readonly HeaderField[] = []): void {
    const transaction = this.withdrawPending()
    if (transaction !== undefined) this.services.respond(transaction, status, now, { fields })
  }

  #stopAll(now: number): void {
    // RFC 3261 §15.1.2: what waits for an answer gets a 487.
    this.#withdrawPending(487, now)
    this.answeredInvite.stop()
    this.ownOffers.stop()
    this.refresh.stop()
  }
}
