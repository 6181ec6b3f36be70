import type { Leg } from '../leg/leg.ts'
import type { DialRequest } from '../verbs/index.ts'
import type { CallRecordings } from './call-recordings.ts'

/** The longest that a Dial may last is also the longest of its recording. */
const maxRecordedMs = 14_400_000

/** Records both directions of the leg while it is dialled through; undefined when that is not asked for. */
export function recordDial(
  recorder: () => CallRecordings,
  leg: Leg,
  record: DialRequest['record'],
): string | undefined {
  if (record === 'do-not-record') return undefined
  const channels = record === 'record-from-answer-dual' ? 'dual' : 'mono'
  const options = { channels, track: 'both', maxLengthMs: maxRecordedMs, format: 'wav' } as const
  return recorder().startSession(leg, options)
}
