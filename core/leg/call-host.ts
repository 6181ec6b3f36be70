import type { DialCaps } from '../caps/dial-caps.ts'
import type { TrunkLoads } from '../caps/trunk-loads.ts'
import type { Lookup } from '../contract/exchange-command.ts'
import type { Found } from '../contract/exchange-event.ts'
import type { EventCode } from '../events/catalogue.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { Money } from '../model/money.ts'
import type { Change, CommitResult } from '../ports/store.ts'
import type { Leg } from './leg.ts'
import type { LegHost } from './leg-host.ts'
import type { LegOwner } from './leg-owner.ts'

/** What the parts of a call (legs, a dial, a player…) may ask of the call they belong to. */
export interface CallHost extends LegHost {
  /** From now on the leg belongs to the call, and its events are reported to `owner`. */
  adopt(leg: Leg, owner: LegOwner): void
  readonly trunkLoads: Pick<TrunkLoads, 'take' | 'release'>
  readonly dialCaps: Pick<DialCaps, 'takeLeg' | 'takeTurn' | 'giveTurnBack'>
  /** Its account has room for another recording. */
  readonly mayRecord: boolean
  /** A recording has this many bytes. */
  recorded(bytes: number): void
  readonly isOver: boolean
  /**
   * One unit of work. `then` gets success or refusal; a database that fails ends the call instead, after `undone`: nothing
   * of the unit was written. A unit without `then` is written a few milliseconds later where that spares a commit, and one
   * that only reports what has happened goes with a later one where the database fails.
   */
  commit(unit: readonly Change[], then?: (result: CommitResult) => void, undone?: () => void): void
  /** The same where the call goes on without it: `failed` when the database fails. */
  ask(unit: readonly Change[], then: (result: CommitResult) => void, failed: () => void): void
  /** A unit that closes rows and settles their money. What a failing database refuses of it is in the call's last unit. */
  commitClosing(unit: readonly Change[]): void
  /** `then` is not called when the call has ended meanwhile. */
  lookup<K extends Lookup['kind']>(
    query: Extract<Lookup, { kind: K }>,
    then: (found: Extract<Found, { kind: K }>) => void,
  ): void
  /** The change that appends an event of this call. */
  event(code: EventCode, data: Readonly<Record<string, unknown>>): Change
  /** Puts a charge into the call's cost; the store adds the same by `hold.settle`. */
  addCost(charge: Money): void
  /** Ends the call, once. `rejectWith`: the SIP status for a caller who was never answered. */
  finish(reason: EndReason, rejectWith?: 486 | 603): void
}
