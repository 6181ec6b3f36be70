/** A recording's file while it grows: 16 bits; of two channels the samples take turns. */
export interface RecordingSink {
  /** True once the disk has refused: nothing more will be kept. */
  readonly hasFailed: boolean
  /** Appends `count` samples from `pcm[from]` on; they are copied. Never waits. */
  write(pcm: Int16Array, from: number, count: number): void
  /** Keeps the first `samples`, and is done when they are on disk. `sizeBytes` of the file; 0 when there is none. */
  close(samples: number, done: (sizeBytes: number, hasFailed: boolean) => void): void
}

export interface RecordingStore {
  /**
   * Makes the file, or empties it: Ogg Opus where `path` ends in `.ogg`, else WAV. A file that cannot be made shows in the
   * sink. Default one channel of 8,000 Hz.
   */
  open(path: string, channels?: 1 | 2, sampleRate?: number): RecordingSink
}
