import { likenessOf, pitchOf } from './pitch.ts'

/** A period of the voice, or some: from 66 to 200 Hz; a higher voice is matched by several of its periods. */
const shortestMs = 5
const longestMs = 15
/** What is compared, and blended. */
const overlapMs = 10
/** Two places that fit, and that will do when time presses: normalised correlation. */
const fits = 0.85
const willDo = 0.5
/** Below −46 dBov a cut is inaudible. */
const quiet = 164

/** Samples that must be unheard for a cut to be possible at all, and the most that a cut, or a repeat, needs. */
export const leastCutMs = shortestMs + overlapMs
export const mostCutMs = longestMs + overlapMs
/** Unplayed samples that a repeat needs; it looks back at `mostCutMs`, played or not. */
export const repeatMs = overlapMs

/**
 * Drops or repeats a pitch period at the end of decoded audio (synchronous overlap-add): shape and pitch stay, the
 * tempo changes. Audio before and after joins without a step: the ends are blended.
 */
export class Stretch {
  readonly #perMs: number
  readonly #shortest: number
  readonly #longest: number
  readonly #overlap: number

  constructor(sampleRate: number) {
    this.#perMs = sampleRate / 1000
    this.#shortest = shortestMs * this.#perMs
    this.#longest = longestMs * this.#perMs
    this.#overlap = overlapMs * this.#perMs
  }

  /** Leaves out a period of `pcm[from]` to `pcm[end]`, `leastCutMs` at least. Returns the samples left out, 0 = it fits nowhere. */
  cut(pcm: Int16Array, from: number, end: number, isUrgent: boolean): number {
    const overlap = this.#overlap
    const lag = this.#lag(pcm, end, Math.min(this.#longest, end - from - overlap), isUrgent)
    if (lag === 0) return 0
    const to = end - lag - overlap
    for (let i = 0; i < overlap; i++) {
      const share = (i + 1) / (overlap + 1)
      const before = pcm[to + i]!
      pcm[to + i] = Math.round(before + (pcm[end - overlap + i]! - before) * share)
    }
    return lag
  }

  /**
   * Repeats a period at the end of `pcm`, whose last `repeatMs` before `end` are unheard and which holds `mostCutMs`
   * there and room for `longestMs` after it. Returns the samples added, 0 = it fits nowhere.
   */
  repeat(pcm: Int16Array, end: number, isUrgent: boolean): number {
    const overlap = this.#overlap
    const lag = this.#lag(pcm, end, this.#longest, isUrgent)
    if (lag === 0) return 0
    pcm.copyWithin(end, end - lag, end)
    // Backwards: what is blended in lies before, and may itself be blended.
    for (let i = overlap - 1; i >= 0; i--) {
      const share = (i + 1) / (overlap + 1)
      const before = pcm[end - overlap + i]!
      pcm[end - overlap + i] = Math.round(before + (pcm[end - overlap - lag + i]! - before) * share)
    }
    return lag
  }

  #lag(pcm: Int16Array, end: number, longest: number, isUrgent: boolean): number {
    if (longest < this.#shortest) return 0
    if (this.#isQuiet(pcm, end)) return longest
    const lag = pitchOf(pcm, end, this.#overlap, this.#shortest, longest)
    return likenessOf(pcm, end, this.#overlap, lag) >= (isUrgent ? willDo : fits) ? lag : 0
  }

  #isQuiet(pcm: Int16Array, end: number): boolean {
    let power = 0
    for (let i = end - this.#overlap - this.#shortest; i < end; i++) power += pcm[i]! ** 2
    return power < quiet ** 2 * (this.#overlap + this.#shortest)
  }
}
