/** A recording's file, on the thread that writes it. */
export interface RecordedFile {
  /** True once the disk has refused: nothing more will be kept. */
  readonly hasFailed: boolean
  /** Appends the first `count` samples of `pcm`, which is the file's until `done`; of two channels they take turns. */
  write(pcm: Int16Array, count: number, done: () => void): void
  /** As `RecordingSink.close`. */
  close(samples: number, done: (sizeBytes: number, hasFailed: boolean) => void): void
}
