import type { AudioCodecName } from '../codec/codec-name.ts'
import type { OpusCoders } from '../codec/opus.ts'

/** What is written, and from what. */
export interface RecordingFormat {
  /** Samples a second of the file. */
  readonly rate: 8000 | 16_000
  /** By payload type, as agreed on now; undefined = not audio. */
  readonly codecs: readonly (AudioCodecName | undefined)[]
  readonly opus: OpusCoders
}
