import type { CallRecord } from '../model/call-record.ts'
import type { AccountUuid, CallUuid, LegUuid } from '../model/ids.ts'
import type { AudioCommand } from '../ports/audio.ts'
import type { DocumentFetch } from '../ports/documents.ts'
import type { MediaCommand } from '../ports/media.ts'
import type { SignalingCommand } from '../ports/signaling.ts'
import type { Change } from '../ports/store.ts'
import type { BegunVerb } from '../verbs/index.ts'
import type { RoomCommand } from './conference-rooms.ts'
import type { Hops } from './hops.ts'
import type { OriginateResult } from './originate-order.ts'

/** A question to the store; the answer comes back whole, as one event. */
export type Lookup =
  /** The owner of an E.164 number. */
  | { readonly kind: 'number-owner'; readonly number: string }
  /** What placing a call needs: the account, its number `from`, and the owner of `to` when that is on this switch. */
  | {
      readonly kind: 'placing'
      readonly accountId: AccountUuid
      readonly from: string
      /** Another number, which is presented where the account may not present `from`. */
      readonly instead?: string
      readonly to: string
      /** An end-user of the account: uuid, extension or email; missing = none. */
      readonly user?: string
      /** The account's spendable money is wanted, too: it is not kept in memory. */
      readonly withSpendable: boolean
    }
  /** What a call of a softphone needs. */
  | { readonly kind: 'softphone'; readonly accountId: AccountUuid; readonly endUserUuid: string }

/** A leg to a number of this switch: it never leaves the exchange. */
export interface LoopDial {
  readonly type: 'loop.dial'
  readonly legId: LegUuid
  readonly callId: CallUuid
  readonly from: { readonly user: string; readonly displayName: string }
  readonly to: string
  readonly sdp: string
  readonly hops: Hops
}

export interface CircleFound {
  readonly type: 'circle.found'
  readonly callId: CallUuid
  readonly number: string
}

export type ExchangeCommand =
  | SignalingCommand
  | MediaCommand
  | AudioCommand
  | DocumentFetch
  | LoopDial
  | RoomCommand
  | { readonly type: 'document.abandon'; readonly callId: CallUuid }
  | { readonly type: 'audio.abandon'; readonly callId: CallUuid }
  | {
      readonly type: 'store.commit'
      readonly callId: CallUuid
      readonly commitId: number
      readonly unit: readonly Change[]
      /** The call goes on only once it is durable; otherwise a few milliseconds more do no harm. */
      readonly isAwaited: boolean
    }
  | { readonly type: 'store.lookup'; readonly callId: CallUuid; readonly lookupId: number; readonly query: Lookup }
  | { readonly type: 'originate.done'; readonly requestId: string; readonly result: OriginateResult }
  /** A verb of a document begins. Nothing is to be done; people read it in the trace. */
  | { readonly type: 'verb.began'; readonly callId: CallUuid; readonly verb: BegunVerb }
  /** The document of a number of this switch has dialled this call. Nothing is to be done: it is for the trace. */
  | { readonly type: 'caller.dialled'; readonly callId: CallUuid; readonly legId: LegUuid; readonly by: string }
  /** Dialled, the number led into a circle of numbers that dial one another. Nothing is to be done: it is for the trace. */
  | CircleFound
  /** The call has ended and its last row is durable, or is given up after a failing database. */
  | { readonly type: 'call.over'; readonly callId: CallUuid; readonly record: CallRecord }
  | {
      readonly type: 'log'
      readonly level: 'error' | 'warn' | 'info' | 'debug'
      readonly fields: Readonly<Record<string, unknown>>
      readonly message: string
    }
