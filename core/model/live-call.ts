import type { CallRecord, LegRecord } from './call-record.ts'
import type { LegMediaStats } from './leg-quality.ts'
import type { CodecName } from './trunk.ts'

export interface LiveCall {
  readonly call: CallRecord
  readonly legs: readonly LiveLeg[]
}

export interface LiveLeg {
  readonly leg: LegRecord
  /** Once offer and answer are complete. */
  readonly codec: CodecName | undefined
  /** Name of the room that it is in. */
  readonly room: string | undefined
  /** Known where media reports it while the leg lives. */
  readonly media: LegMediaStats | undefined
}
