import type {
  ClientOwner,
  ClientTransaction,
  Flow,
  HeaderField,
  IncomingRequest,
  ServerTransaction,
  SipRequest,
  TimerOwner,
  TimerQueue,
  TransactionLayer,
} from '../../sip/index.ts'
import type { EndReason } from '../base/end-reason.ts'
import type { ResponseParts } from './response.ts'

/** Our identity towards the switch. */
export interface Identity {
  readonly extension: string
  readonly realm: string
  /** Bearer token of RFC 8898. */
  readonly token: string
}

/** What becomes of calls; `ended` comes once for each and is the last. */
export type CallEvent =
  | {
      readonly type: 'offered'
      readonly id: string
      readonly from: Party
      readonly sid: string | undefined
      readonly sdp: string | undefined
    }
  /** The switch's name of the call. */
  | { readonly type: 'named'; readonly id: string; readonly sid: string }
  | { readonly type: 'ringing'; readonly id: string }
  | { readonly type: 'early'; readonly id: string; readonly sdp: string }
  | { readonly type: 'answered'; readonly id: string; readonly sdp: string }
  /** The ACK for our answer; with `sdp` when we made the offer in it. */
  | { readonly type: 'confirmed'; readonly id: string; readonly sdp?: string }
  /** Their re-INVITE or UPDATE; without `sdp` they want our offer. */
  | { readonly type: 'reoffered'; readonly id: string; readonly sdp?: string }
  | { readonly type: 'reoffer-answered'; readonly id: string; readonly sdp: string }
  /** Status 0: the line went down meanwhile. */
  | { readonly type: 'reoffer-refused'; readonly id: string; readonly status: number }
  | { readonly type: 'ended'; readonly id: string; readonly reason: EndReason; readonly wasOpen: boolean }

export interface Party {
  /** Number or extension. */
  readonly user: string
  readonly displayName: string
  readonly uri: string
}

/** What the parts of the user agent (registration, calls) use of it. */
export interface EndpointServices {
  readonly identity: Identity
  readonly layer: TransactionLayer
  readonly timers: TimerQueue<TimerOwner>
  readonly flow: Flow
  /** The WebSocket stands. */
  readonly isUp: boolean
  /** And the switch knows whose requests come over it. */
  readonly isReady: boolean
  readonly userAgent: string
  /** `length` random letters and digits. */
  word(length: number): string
  /** 0 ≤ fraction < 1, random. */
  fraction(): number
  /** Via value for a new transaction. */
  via(branch: string): string
  /** Our Contact field. */
  contact(): HeaderField
  request(request: SipRequest, branch: string, owner: ClientOwner, now: number): ClientTransaction
  /** The transaction needs no watching any more. */
  finished(transaction: ClientTransaction): void
  respond(transaction: ServerTransaction, status: number, now: number, parts?: ResponseParts): Uint8Array
  /** Sends what no transaction repeats: ACKs, and copies of a 2xx. Lost when the line is down. */
  resend(bytes: Uint8Array): void
  emit(event: CallEvent): void
  bind(localTag: string, call: TaggedCall): void
  release(id: string, localTag: string): void
}

/** A call as the user agent sees it. */
export interface TaggedCall {
  readonly callId: string
  requestArrived(transaction: ServerTransaction, now: number): void
  ackArrived(ack: IncomingRequest, now: number): void
  lineUp(now: number): void
  lineDown(now: number): void
  /** The switch knows the line that stands as ours. */
  registered(now: number): void
}

/** `sid` of the call, in every INVITE and every answer of the switch. */
export const sidHeader = 'X-Voice-Call-Sid'

/** How long an unanswered call outlives its line: the switch waits 10 s for the phone (RFC 5626 §4.4). */
export const lineLostMs = 12_000
/** Within which the switch shows on the next line that the call still rings. */
export const shownAgainMs = 5_000

/** RFC 8898 §2.2. */
export const bearer = (identity: Identity): HeaderField => ({
  name: 'Authorization',
  value: `Bearer ${identity.token}`,
})

/** RFC 5626: requests come back over the flow. */
export const outbound: HeaderField = { name: 'Supported', value: 'outbound' }

export const allow: HeaderField = { name: 'Allow', value: 'INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, INFO, NOTIFY' }
