/** A part of a tone: what sounds, and for how long. */
export interface ToneStep {
  /** The sines that sound together; none = silence. */
  readonly sines: readonly { readonly hz: number; readonly dbm0: number }[]
  readonly durationMs: number
}

/** Steps one after the other, once or over and over. */
export interface Tone {
  readonly steps: readonly ToneStep[]
  readonly repeats: boolean
}
