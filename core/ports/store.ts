import type { VoiceEvent } from '../events/voice-event.ts'
import type { AccountProfile, EndUserProfile, NumberOwner, OwnedNumber } from '../model/account.ts'
import type { CallRecord, LegRecord, RecordingRecord } from '../model/call-record.ts'
import type { AccountUuid, CallUuid, HoldUuid, LegUuid } from '../model/ids.ts'
import type { Money } from '../model/money.ts'
import type { Rate } from '../model/rate.ts'

/**
 * One thing that a unit of work writes. A unit commits whole or not at all, in order: money and events are in the
 * same transaction as the change that caused them.
 */
export type Change =
  | { readonly type: 'call.insert'; readonly call: CallRecord }
  /** Writes nothing. Refuses the unit with `unknown-call` when the call has no row: the unit before, with that row, was refused. */
  | { readonly type: 'call.exists'; readonly uuid: CallUuid }
  | { readonly type: 'call.update'; readonly uuid: CallUuid; readonly set: Partial<CallRecord> }
  | { readonly type: 'leg.insert'; readonly leg: LegRecord }
  | { readonly type: 'leg.update'; readonly uuid: LegUuid; readonly set: Partial<LegRecord> }
  /** Refuses the unit with `insufficient-funds` when balance + grace + credit − held is less than `amount`. */
  | { readonly type: 'hold.open'; readonly hold: Hold }
  /** Adds to the hold; refuses like `hold.open`. */
  | { readonly type: 'hold.grow'; readonly uuid: HoldUuid; readonly amount: Money }
  /** Ends the hold and posts the charge (0 = only released). The store adds it to the call's `cost`. */
  | {
      readonly type: 'hold.settle'
      readonly uuid: HoldUuid
      readonly charge: Money
      readonly talkSeconds: number
      readonly billedSeconds: number
    }
  /** Appends to the event log, and to the outbox when the account's `status` webhook wants it. */
  | { readonly type: 'event.append'; readonly event: VoiceEvent }
  | { readonly type: 'recording.insert'; readonly recording: RecordingRecord }
  | {
      readonly type: 'recording.update'
      readonly uuid: string
      readonly accountUuid: AccountUuid
      readonly set: Partial<RecordingRecord>
    }
  /** The call that was placed under an Idempotency-Key, as it began: durable with it, or not at all. */
  | {
      readonly type: 'idempotency.placed'
      readonly accountUuid: AccountUuid
      readonly key: string
      readonly call: CallRecord
    }

/** Money set aside for one live, rated leg. The rate is kept with it, so that a crash can be billed. */
export interface Hold {
  readonly uuid: HoldUuid
  readonly accountUuid: AccountUuid
  readonly callUuid: CallUuid
  readonly legUuid: LegUuid
  readonly rate: Rate
  readonly amount: Money
}

export type CommitResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly refused: 'insufficient-funds' | 'unknown-call' }

/** What live calls need of the database. Rejects only when the database itself fails. */
export interface CallStore {
  /**
   * Durable once resolved. Units commit in the order in which they were given; many may share one fsync. One that is not
   * awaited may be kept for some milliseconds, until others come or the time is over.
   */
  commit(unit: readonly Change[], isAwaited?: boolean): Promise<CommitResult>
  account(uuid: AccountUuid): Promise<AccountProfile | undefined>
  /** The owner of an E.164 number on this switch. */
  numberOwner(e164: string): Promise<NumberOwner | undefined>
  /** The same from memory, at once. Undefined: it is to be asked for. */
  knownOwner(e164: string): NumberOwner | undefined
  /** An account's number by its E.164 form. */
  ownedNumber(account: AccountUuid, e164: string): Promise<OwnedNumber | undefined>
  /** The active number that the account has had for longest. */
  firstNumber(account: AccountUuid): Promise<OwnedNumber | undefined>
  /** What the account can still spend: wallet, grace and credit, less what live calls hold. */
  spendable(account: AccountUuid): Promise<Money>
  /** An end-user of the account, by uuid, extension or email. */
  endUser(account: AccountUuid, key: string): Promise<EndUserProfile | undefined>
}
