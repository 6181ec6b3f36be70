import type { AccountProfile, EndUserProfile, NumberOwner, OwnedNumber } from '../model/account.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { CallUuid, LegUuid } from '../model/ids.ts'
import type { Money } from '../model/money.ts'
import type { AudioEvent } from '../ports/audio.ts'
import type { DocumentEvent } from '../ports/documents.ts'
import type { MediaEvent } from '../ports/media.ts'
import type { SignalingEvent } from '../ports/signaling.ts'
import type { CommitResult } from '../ports/store.ts'
import type { Hops } from './hops.ts'
import type { OriginateOrder } from './originate-order.ts'

/** Answers to `Lookup`, of the same kind. */
export type Found =
  | { readonly kind: 'number-owner'; readonly owner: NumberOwner | undefined }
  | {
      readonly kind: 'placing'
      readonly account: AccountProfile | undefined
      readonly from: OwnedNumber | undefined
      readonly instead?: OwnedNumber | undefined
      readonly owner: NumberOwner | undefined
      readonly user?: EndUserProfile | undefined
      /** Undefined: it was not asked for. */
      readonly spendable: Money | undefined
    }
  | {
      readonly kind: 'softphone'
      readonly account: AccountProfile | undefined
      readonly user: EndUserProfile | undefined
      /** What the account's calls present: its first active number. */
      readonly number: OwnedNumber | undefined
      readonly spendable: Money
    }

/** A call that another call of this switch makes to a number of this switch. */
export interface LoopOffered {
  readonly type: 'loop.offered'
  readonly legId: LegUuid
  readonly from: { readonly user: string; readonly displayName: string }
  readonly to: string
  readonly sdp: string
  readonly hops: Hops
}

export type StoreEvent =
  | {
      readonly type: 'store.committed'
      readonly callId: CallUuid
      readonly commitId: number
      readonly result: CommitResult
    }
  /** The database itself has failed. */
  | {
      readonly type: 'store.commit-failed'
      readonly callId: CallUuid
      readonly commitId: number
      readonly detail: string
    }
  | { readonly type: 'store.found'; readonly callId: CallUuid; readonly lookupId: number; readonly found: Found }
  | {
      readonly type: 'store.lookup-failed'
      readonly callId: CallUuid
      readonly lookupId: number
      readonly detail: string
    }

export type ExchangeEvent =
  | SignalingEvent
  | MediaEvent
  | AudioEvent
  | DocumentEvent
  | StoreEvent
  | LoopOffered
  | { readonly type: 'call.originate'; readonly requestId: string; readonly order: OriginateOrder }
  /** Ends a call from outside. Default reason: END.0201. */
  | { readonly type: 'call.hangup'; readonly callId: CallUuid; readonly reason?: EndReason }
  /** No new calls from now on; those that live at `deadline` (monotonic ms) end with END.5503. */
  | { readonly type: 'exchange.drain'; readonly deadline: number }
  | { readonly type: 'exchange.resume' }
