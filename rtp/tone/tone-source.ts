import { amplitudeOf } from './level.ts'
import type { Tone } from './tone.ts'

/** How long a step swells and fades, so that nothing clicks. */
export const fadeMs = 4

/** Makes a tone's samples, piece by piece; the pieces' lengths do not show in them. */
export class ToneSource {
  readonly #tone: Tone
  readonly #sampleRate: number
  readonly #fadeSamples: number
  #step = 0
  /** Samples of this step that were made. */
  #made = 0

  constructor(tone: Tone, sampleRate: number) {
    this.#tone = tone
    this.#sampleRate = sampleRate
    this.#fadeSamples = Math.round((fadeMs * sampleRate) / 1000)
  }

  /** Fills `count` samples from `pcm[at]` on. Returns how many; fewer than asked when the tone is over. */
  fillInto(pcm: Int16Array, at: number, count: number): number {
    let filled = 0
    while (filled < count) {
      const step = this.#tone.steps[this.#step]
      if (step === undefined) break
      const length = Math.round((step.durationMs * this.#sampleRate) / 1000)
      const pieces = Math.min(count - filled, length - this.#made)
      pcm.fill(0, at + filled, at + filled + pieces)
      for (const sine of step.sines) this.#add(pcm, at + filled, pieces, length, sine.hz, amplitudeOf(sine.dbm0))
      filled += pieces
      this.#made += pieces
      if (this.#made >= length) this.#advance()
    }
    return filled
  }

  #add(pcm: Int16Array, at: number, count: number, length: number, hz: number, amplitude: number): void {
    const radians = (2 * Math.PI * hz) / this.#sampleRate
    for (let i = 0; i < count; i++) {
      const sample = this.#made + i
      const edge = Math.min(sample, length - 1 - sample) / this.#fadeSamples
      const swell = edge >= 1 ? 1 : 0.5 - 0.5 * Math.cos(Math.PI * edge)
      pcm[at + i]! += Math.round(amplitude * swell * Math.sin(radians * sample))
    }
  }

  #advance(): void {
    this.#made = 0
    this.#step++
    const total = this.#tone.steps.length
    if (this.#step === total && this.#tone.repeats && this.#tone.steps.some(step => step.durationMs >= 1))
      this.#step = 0
  }
}

/** One round of a tone as samples, to be kept and, if it `repeats`, played over and over. */
export const renderTone = (tone: Tone, sampleRate: number): Int16Array => {
  const samples = tone.steps.reduce((sum, step) => sum + Math.round((step.durationMs * sampleRate) / 1000), 0)
  const pcm = new Int16Array(samples)
  new ToneSource({ ...tone, repeats: false }, sampleRate).fillInto(pcm, 0, samples)
  return pcm
}
