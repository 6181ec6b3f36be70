import type { Dialog } from '../../dialog/dialog.ts'
import type { OfferInput } from '../../invite/offer-answer.ts'
import type { SessionState } from '../../invite/session-states.ts'
import type { HeaderField, SipMessage } from '../../message/message.ts'
import type { ServerTransaction } from '../../transaction/transaction.ts'
import type { CallCause } from '../services/call-event.ts'
import type { EndpointServices } from '../services/services.ts'
import type { DialogRemote } from './dialog-remote.ts'
import type { DialogSender } from './dialog-sender.ts'
import type { SessionRefresh } from './session-refresh.ts'

/** The call that a session belongs to. It learns of the first ACK and of the end. */
export interface InviteSessionOwner {
  readonly id: string
  /** The ACK for the 2xx to the INVITE that made the dialog. */
  confirmed(sdp: string | undefined, now: number): void
  over(cause: CallCause, now: number): void
}

/** What the parts of a session (answers to the remote's requests, our own offers) use of it. */
export interface SessionContext {
  readonly services: EndpointServices
  readonly host: InviteSessionOwner
  readonly dialog: Dialog
  readonly refresh: SessionRefresh
  readonly sender: DialogSender
  readonly remote: DialogRemote
  readonly state: SessionState
  /** We may send an offer. */
  readonly isSettled: boolean
  readonly remoteAllowsUpdate: boolean
  /** Our latest session description. */
  readonly localSdp: string | undefined
  /** Whether the remote's Allow lists UPDATE. A message without Allow changes nothing. */
  allowsOf(message: SipMessage): void
  /** The remote has refused UPDATE itself. */
  updateNotAllowed(): void
  /** Our re-INVITE with this description has got its 2xx. */
  offered(sdp: string): void
  /** The status for a request of the peer, undefined = it is taken. */
  refusalOf(method: 'INVITE' | 'UPDATE' | 'PRACK', sdp: string | undefined): 491 | 500 | undefined
  /** False: the step is not allowed in this state, and nothing changed. */
  step(input: OfferInput): boolean
  /** Fields of our 2xx to an UPDATE. */
  updateFields(transaction: ServerTransaction, now: number): readonly HeaderField[]
  /** The remote no longer knows the dialog, or it was not refreshed in time (RFC 4028 §10). */
  sessionExpired(now: number): void
  /** Asks the owner of the media for an answer to `sdp`; without `sdp`, for an offer. */
  askForAnswer(transaction: ServerTransaction, sdp: string | undefined): void
  close(cause: CallCause, now: number): void
}
