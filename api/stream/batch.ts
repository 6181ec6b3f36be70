import { type EventMessages, type LoggedEvent, streamMessage } from '../../core/index.ts'
import { frameOf } from './frame.ts'

/** Frames of neighbouring events, in order. */
export interface Batch {
  readonly firstSeq: number
  readonly lastSeq: number
  readonly bytes: Buffer
}

/** Events of the log, as they are written. */
export type Page = Omit<Batch, 'firstSeq'>

export const liveFrameOf = ({ seq, event }: LoggedEvent): Buffer => frameOf(streamMessage(seq, event))

export const pageOf = ({ lines, lastSeq }: EventMessages): Page => ({
  lastSeq,
  bytes: Buffer.concat(lines.split('\n').map(frameOf)),
})
