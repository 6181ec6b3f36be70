import type { CallEnvironment } from '../contract/environment.ts'
import type { ExchangeCommand } from '../contract/exchange-command.ts'
import type { CallRecord } from '../model/call-record.ts'
import type { CallUuid, LegUuid } from '../model/ids.ts'
import type { Deadlines } from './deadlines.ts'

/** A leg whose end the signalling has not reported. */
export interface LostLeg {
  readonly uuid: LegUuid
  /** False: it had ended already. */
  step(input: 'lost'): boolean
}

/** What a leg uses of the call that it belongs to. */
export interface LegHost {
  readonly env: CallEnvironment
  readonly timers: Deadlines
  readonly legs: { lost(leg: LostLeg): void }
  readonly callId: CallUuid
  /** As it is now. */
  readonly record: CallRecord
  /** Monotonic time of the event that is being handled. */
  now(): number
  /** The same moment on the wall clock, which never steps within a call. */
  unix(): number
  emit(command: ExchangeCommand): void
}
