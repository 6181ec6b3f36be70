import { levelOf } from '../tone/level.ts'

/** What a `SilenceDetector` takes for a voice. */
export interface SilenceDetectorConfig {
  /** Default 8000. */
  readonly sampleRate?: number
  /** How far above the noise a voice is. Default 9. */
  readonly aboveNoiseDb?: number
}

/**
 * The noise is accepted to lie between these, in dBm0. The upper keeps a steady tone, or a quiet speaker, from being
 * taken for noise; the lower keeps the remote's own comfort noise from being taken for a voice.
 */
const loudestNoiseDbm0 = -47
const quietestNoiseDbm0 = -62
/** What the noise is taken for at first. */
const firstNoiseDbm0 = -55
/** The estimate follows a louder room so fast, and a quieter one at once, half the way with each frame. */
const riseDbPerS = 3
/** Least duration of a voice; a shorter sound is a click. */
const shortestVoiceMs = 30

/**
 * Distinguishes voice from silence, frame by frame, by level above an adaptive estimate of the room's noise: for the end of a
 * recording and for its trimming. Times are ms of the audio that was analyzed, from its beginning.
 */
export class SilenceDetector {
  readonly #perMs: number
  readonly #aboveNoiseDb: number
  #noise = firstNoiseDbm0
  #analyzed = 0
  #loudSince = -1
  #firstVoice = -1
  #lastVoice = 0

  constructor(config: SilenceDetectorConfig = {}) {
    this.#perMs = (config.sampleRate ?? 8000) / 1000
    this.#aboveNoiseDb = config.aboveNoiseDb ?? 9
  }

  /** How much audio was analyzed. */
  get analyzedMs(): number {
    return this.#analyzed / this.#perMs
  }
  /** How long it has been silent; since the beginning when no voice was detected. */
  get silentMs(): number {
    return (this.#analyzed - this.#lastVoice) / this.#perMs
  }
  /** Where the first voice began; undefined = none yet. */
  get firstVoiceMs(): number | undefined {
    return this.#firstVoice < 0 ? undefined : this.#firstVoice / this.#perMs
  }
  /** Where the last voice ended, 0 when there was none. */
  get lastVoiceMs(): number {
    return this.#lastVoice / this.#perMs
  }
  /** Louder than this is a voice, dBm0. */
  get thresholdDbm0(): number {
    return this.#noise + this.#aboveNoiseDb
  }

  /** Takes a frame of `count` samples from `pcm[from]` on, 10 to 60 ms. Returns true while a voice is detected. */
  analyze(pcm: Int16Array, from: number, count: number): boolean {
    if (count <= 0) return false
    const level = levelOf(pcm, from, count)
    const loud = level > this.thresholdDbm0
    this.#follow(level, count)
    const began = this.#analyzed
    this.#analyzed += count
    if (!loud) {
      this.#loudSince = -1
      return false
    }
    if (this.#loudSince < 0) this.#loudSince = began
    if (this.#analyzed - this.#loudSince < shortestVoiceMs * this.#perMs) return false
    if (this.#firstVoice < 0) this.#firstVoice = this.#loudSince
    this.#lastVoice = this.#analyzed
    return true
  }

  #follow(level: number, count: number): void {
    const bounded = Math.max(level, quietestNoiseDbm0)
    if (bounded < this.#noise) this.#noise += (bounded - this.#noise) / 2
    else this.#noise = Math.min(bounded, this.#noise + (riseDbPerS * count) / this.#perMs / 1000, loudestNoiseDbm0)
  }
}
