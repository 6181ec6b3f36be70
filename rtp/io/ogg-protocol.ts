import type { RecordedRate } from './ogg-file.ts'

/** What the thread that encodes recordings is told. */
export type ToOgg =
  | {
      readonly type: 'open'
      readonly id: number
      readonly path: string
      readonly channels: 1 | 2
      readonly rate: RecordedRate
    }
  /** The first `count` samples of `pcm`, whose memory moves with it. */
  | { readonly type: 'samples'; readonly id: number; readonly pcm: Int16Array; readonly count: number }
  /** `closed` follows. */
  | { readonly type: 'close'; readonly id: number; readonly samples: number }

export type FromOgg =
  /** Written; `pcm` comes back. */
  | { readonly type: 'taken'; readonly id: number; readonly pcm: Int16Array }
  | { readonly type: 'failed'; readonly id: number }
  | { readonly type: 'closed'; readonly id: number; readonly sizeBytes: number; readonly hasFailed: boolean }
