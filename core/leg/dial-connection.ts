import type { RoomEvent } from '../contract/conference-rooms.ts'
import type { DialDump, HoldDump } from '../model/call-dump.ts'
import type { DialCallStatus, EndReason } from '../model/end-reason.ts'
import type { Change } from '../ports/store.ts'
import type { Leg } from './leg.ts'

export interface DialOutcome {
  readonly status: DialCallStatus
  readonly durationSeconds: number
  readonly reason: EndReason
  readonly sid: string
}

/** What a Dial verb makes its call do: ring destinations, or enter a room. */
export interface DialConnection {
  /** The other leg that receives the party: for digits that came by INFO. */
  readonly bridgedLeg: Leg | undefined
  /** Its state, for support. */
  readonly dump: DialDump
  /** Money that is held for its legs. */
  readonly holds: readonly HoldDump[]
  start(): void
  /** Something about the party that a connection may wait for has changed. */
  partyChanged(): void
  partyDigit(digit: string): void
  digitsSent(): void
  inRoom(event: RoomEvent): void
  /** The call ends. */
  stop(reason: EndReason): void
  /** What that means, for the call's last unit. */
  finalChanges(): readonly Change[]
}
