import { type LoggedEvent, streamEnvelope } from '../../core/index.ts'

/** Frames of neighbouring events, in order. */
export interface Batch {
  readonly firstSeq: number
  readonly lastSeq: number
  readonly bytes: Buffer
}

/** One message: the envelope of the event, and its place for `after`. */
export const messageOf = ({ seq, event }: LoggedEvent): string => JSON.stringify({ seq, ...streamEnvelope(event) })
