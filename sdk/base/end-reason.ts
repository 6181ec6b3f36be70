/** The side that ended the call, or the cause. */
export type EndedBy = 'local' | 'remote' | 'network' | 'device'

/** Ends that no SIP message reports. */
export type LocalCause =
  | 'Hung up'
  | 'Rejected'
  | 'Cancelled'
  | 'Answered elsewhere'
  | 'No answer from the service'
  | 'Connection lost'
  | 'Microphone refused'
  | 'Microphone missing'
  | 'Microphone failed'
  | 'Media failed'
  | 'No common codec'
  | 'Token expired'
  | 'Revoked'
  | 'Signed out'

/** Why a registration or a call failed or ended: what `failed`, `ended`, `registrationFailed` and `unregistered` carry. */
export interface EndReason {
  /** The SIP status line's words (`486 Busy Here`), or one of our own causes. */
  readonly cause: string
  readonly by: EndedBy
  /** SIP status, where one was given. */
  readonly status?: number
  /** The switch's reason code (`END.0486`, `LIMIT.0429`, `BILL.0402`), where it gave one. */
  readonly code?: string
  /** The words of the Reason header. */
  readonly text?: string
  /** Q.850 cause of the Reason header. */
  readonly q850?: number
  /** Seconds after which the switch would take another try. */
  readonly retryAfterSeconds?: number
  /** More for a log than for a person. */
  readonly detail?: string
}

export const localEnd = (cause: LocalCause, by: EndedBy, detail?: string): EndReason =>
  detail === undefined ? { cause, by } : { cause, by, detail }

const ownWill: ReadonlySet<string> = new Set<LocalCause>(['Hung up', 'Cancelled', 'Rejected', 'Signed out'])

/** The person here wanted it so. */
export const isOwnWill = (reason: EndReason): boolean => reason.by === 'local' && ownWill.has(reason.cause)
