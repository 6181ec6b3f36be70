import type { CallProblem } from './call-problem.ts'
import type { EndReason } from './end-reason.ts'
import type { AccountUuid, CallUuid, LegUuid, RecordingUuid, Sid } from './ids.ts'
import type { LegQuality } from './leg-quality.ts'
import type { Money } from './money.ts'
import type { OpenDial } from './open-dial.ts'

export type CallDirection = 'inbound' | 'outbound' | 'internal'
export type CallStatus = 'initiated' | 'ringing' | 'answered' | 'completed' | 'failed'

/** The row behind the API's Call resource (docs/api.md). Times are Unix milliseconds. */
export interface CallRecord {
  readonly uuid: CallUuid
  readonly sid: Sid
  readonly accountUuid: AccountUuid
  readonly direction: CallDirection
  readonly fromNumber: string
  readonly toNumber: string
  readonly status: CallStatus
  readonly reasonCode: EndReason | ''
  readonly durationSeconds: number | null
  readonly talkSeconds: number | null
  /** The first thing that was not done while the call went on, where `reasonCode` does not name it; empty: none, or the call lives. */
  readonly problemCode: CallProblem | ''
  /** Charge so far settled, its dialled legs included. */
  readonly cost: Money
  readonly ttsSeconds: number
  readonly customPayload: Readonly<Record<string, unknown>> | null
  /** Media quality of each leg; null while the call lives, and where it is not known any more. */
  readonly quality: readonly LegQuality[] | null
  readonly startedUnix: number | null
  readonly answeredUnix: number | null
  readonly endedUnix: number | null
  readonly createdUnix: number
}

/** One party of a call: kept for billing, for closing after a crash, and for the operator. */
export interface LegRecord {
  readonly uuid: LegUuid
  readonly callUuid: CallUuid
  readonly role: 'caller' | 'callee'
  readonly direction: 'inbound' | 'outbound' | 'on-net'
  readonly trunkName: string
  readonly number: string
  readonly startedUnix: number
  readonly answeredUnix: number | null
  readonly endedUnix: number | null
  readonly reasonCode: EndReason | ''
  /** The Dial that ends with the leg; null: there is none, or its last event is written. Only the row knows it. */
  readonly dial: OpenDial | null
}

export interface RecordingRecord {
  readonly uuid: RecordingUuid
  readonly accountUuid: AccountUuid
  readonly callUuid: CallUuid
  readonly callSid: Sid
  /** Relative to the recordings folder. */
  readonly path: string
  readonly durationMs: number | null
  readonly sizeBytes: number | null
  readonly mediaFormat: 'wav' | 'ogg'
  readonly createdUnix: number
  readonly expiresUnix: number | null
}
