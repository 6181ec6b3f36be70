/** Where it is reported what is in the thread's hands, for both sides; and how hard it may work. */
export interface RecordingThreadConfig {
  readonly mailbox: SharedArrayBuffer
  /** Niceness of its thread, −20 to 19 (nice(2)). */
  readonly niceness: number
}

/** Rare messages to the thread that writes recordings; samples go by its mailbox. */
export type ToRecording =
  | {
      readonly type: 'open'
      readonly id: number
      readonly path: string
      readonly channels: 1 | 2
      readonly sampleRate: number
    }
  /** The next chunk of a recording, counted from 0. */
  | { readonly type: 'chunk'; readonly id: number; readonly memory: SharedArrayBuffer }
  /** What is in the mailbox comes first, then the first `count` samples of `chunk`. `closed` follows. */
  | {
      readonly type: 'close'
      readonly id: number
      readonly chunk: number
      readonly count: number
      readonly samples: number
    }

export type FromRecording =
  | { readonly type: 'failed'; readonly id: number }
  | { readonly type: 'closed'; readonly id: number; readonly sizeBytes: number; readonly hasFailed: boolean }
