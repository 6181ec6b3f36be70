import type { CallRecord } from '../model/call-record.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { LegQuality } from '../model/leg-quality.ts'
import { callStatusTable, type StatusStep } from './call-status.ts'
import type { Leg } from './leg.ts'

/** Whole seconds between two moments of the wall clock, begun ones included. */
export const secondsBetween = (fromUnix: number, toUnix: number): number =>
  Math.max(0, Math.ceil((toUnix - fromUnix) / 1000))

/** What identifies a call from its first moment on. */
type BegunFacts = Pick<
  CallRecord,
  'uuid' | 'sid' | 'accountUuid' | 'direction' | 'fromNumber' | 'toNumber' | 'customPayload'
>

/** The row of a call that begins at `unixMs`. */
export const begunRow = (
  { uuid, sid, accountUuid, direction, fromNumber, toNumber, customPayload }: BegunFacts,
  unixMs: number,
): CallRecord => ({
  uuid,
  sid,
  accountUuid,
  direction,
  fromNumber,
  toNumber,
  status: 'initiated',
  reasonCode: '',
  durationSeconds: null,
  talkSeconds: null,
  cost: 0,
  ttsSeconds: 0,
  customPayload,
  quality: null,
  startedUnix: unixMs,
  answeredUnix: null,
  endedUnix: null,
  createdUnix: unixMs,
})

/** What a step of the status changes in the row; undefined when the table has no such step. */
export function stepOf(
  call: CallRecord,
  step: Exclude<StatusStep, 'end'>,
  unixMs: number,
): Partial<CallRecord> | undefined {
  const status = callStatusTable[call.status][step]
  if (status === undefined) return undefined
  return step === 'answer' ? { status, answeredUnix: unixMs } : { status }
}

/** The row of a call that ends now. */
export function endedRow(call: CallRecord, reason: EndReason, unixMs: number): CallRecord {
  const { startedUnix, answeredUnix, createdUnix } = call
  return {
    ...call,
    status: callStatusTable[call.status].end ?? call.status,
    reasonCode: reason,
    endedUnix: unixMs,
    durationSeconds: secondsBetween(startedUnix ?? createdUnix, unixMs),
    talkSeconds: answeredUnix === null ? 0 : secondsBetween(answeredUnix, unixMs),
  }
}

/** What the end writes into the row; the cost is the store's own sum. */
export const endingOf = (call: CallRecord): Partial<CallRecord> => {
  const { status, reasonCode, durationSeconds, talkSeconds, ttsSeconds, quality, endedUnix } = call
  return { status, reasonCode, durationSeconds, talkSeconds, ttsSeconds, quality, endedUnix }
}

/** Media quality of the legs that agreed on a codec. */
export const qualityOf = (legs: readonly Leg[]): readonly LegQuality[] =>
  legs.flatMap(({ uuid, role, number, stats }) =>
    stats?.codec === undefined ? [] : [{ legUuid: uuid, role, number, media: stats }],
  )
