import { noStats, type SessionStats } from '../../../rtp/worker/index.ts'
import type { LegUuid } from '../../model/ids.ts'
import type { LegMediaStats } from '../../model/leg-quality.ts'
import type { MediaEvent } from '../../ports/media.ts'
import { measureRecording } from '../recordings/measure-recording.ts'
import type { LegMedia } from './leg-media.ts'
import { isCodecName } from './leg-sdp.ts'

/** What ends a recording that never was. */
export const nothingRecorded = (legId: LegUuid, recordId: string): MediaEvent => ({
  type: 'media.recorded',
  legId,
  recordId,
  durationMs: 0,
  sizeBytes: 0,
  endedBy: 'failed',
})

/** A session's counters in the domain's words. */
export const statsOf = ({ codec, ...stats }: SessionStats): LegMediaStats => ({
  ...stats,
  codec: isCodecName(codec) ? codec : undefined,
})

/** The end of a leg without a session. */
export const closedUnopened = (legId: LegUuid): MediaEvent => ({ type: 'media.closed', legId, stats: statsOf(noStats) })

/** A recording whose writer is gone: its file is kept with what it holds. */
const leftBehind = (legId: LegUuid, recordId: string, path: string): MediaEvent => ({
  type: 'media.recorded',
  legId,
  recordId,
  ...measureRecording(path),
  endedBy: 'failed',
})

/** Ends of all that was ordered of a leg and never reported: its thread died, or it never began. Clears the orders. */
export const endsOf = ({ legId, plays, recordings, digits }: LegMedia): readonly MediaEvent[] => {
  const ends: MediaEvent[] = [
    ...[...plays].map(playId => ({ type: 'media.played', legId, playId, completed: false }) as const),
    ...[...recordings].map(([recordId, path]) => leftBehind(legId, recordId, path)),
    ...[...digits].map(digitsId => ({ type: 'media.digits-sent', legId, digitsId }) as const),
  ]
  for (const orders of [plays, recordings, digits]) orders.clear()
  return ends
}
