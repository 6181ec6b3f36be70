import { type ResampleFilter, sharedFilter } from '../resample/filter.ts'
import { weightedSums } from '../resample/filter-taps.ts'
import { type MixRate, samplesOfFrame } from './mix-rate.ts'

const sums = new Float64Array(4)

/**
 * Brings a sum of many, frame by frame, to another rate; it is not clipped on the way. What comes out is late by half
 * the filter's length, some 4 ms.
 */
export class SumResampler {
  readonly #filter: ResampleFilter
  readonly #frameIn: number
  readonly #frameOut: number
  /** The past that the filter needs, then the frame. */
  readonly #window: Float64Array
  readonly #past: number
  /** Frames of silence in a row: the window holds nothing else then. */
  #silentFrames = 2

  constructor(from: MixRate, to: MixRate) {
    this.#filter = sharedFilter(from, to)
    this.#frameIn = samplesOfFrame(from)
    this.#frameOut = samplesOfFrame(to)
    this.#past = 2 * this.#filter.half - 1
    this.#window = new Float64Array(this.#past + this.#frameIn)
  }

  /** Adds a frame of `sum`, at the other rate, on to `into`. Returns false when there was nothing but silence. */
  addInto(into: Int32Array, sum: Int32Array, isSilent: boolean): boolean {
    this.#silentFrames = isSilent ? this.#silentFrames + 1 : 0
    if (this.#silentFrames > 1) return false
    const { half, phases, weights } = this.#filter
    const window = this.#window
    const taps = 2 * half
    const frameIn = this.#frameIn
    window.copyWithin(0, frameIn)
    if (isSilent) window.fill(0, this.#past)
    else for (let i = 0; i < frameIn; i++) window[this.#past + i] = sum[i]!
    // Frames hold four rounds of all phases, or a multiple of that.
    const roundIn = (frameIn * phases) / this.#frameOut
    for (let phase = 0; phase < phases; phase++) {
      const place = (phase * roundIn) / phases
      const weight = ((phase * roundIn) % phases) * taps
      for (let out = phase, first = Math.floor(place); out < this.#frameOut; out += 4 * phases, first += 4 * roundIn) {
        weightedSums(sums, window, first, roundIn, weights, weight, taps)
        for (let round = 0; round < 4; round++) into[out + round * phases]! += Math.round(sums[round]!)
      }
    }
    return true
  }
}
