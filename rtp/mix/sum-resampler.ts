import { type ResampleFilter, sharedFilter } from '../resample/filter.ts'
import { type MixRate, samplesOfFrame } from './mix-rate.ts'

/**
 * Brings a sum of many, frame by frame, to another rate; it is not clipped on the way. What comes out is late by half
 * the filter's length, some 4 ms.
 */
export class SumResampler {
  readonly #filter: ResampleFilter
  readonly #frameIn: number
  readonly #frameOut: number
  /** The past that the filter needs, then the frame. */
  readonly #window: Int32Array
  readonly #past: number
  /** Frames of silence in a row: the window holds nothing else then. */
  #silentFrames = 2

  constructor(from: MixRate, to: MixRate) {
    this.#filter = sharedFilter(from, to)
    this.#frameIn = samplesOfFrame(from)
    this.#frameOut = samplesOfFrame(to)
    this.#past = 2 * this.#filter.half - 1
    this.#window = new Int32Array(this.#past + this.#frameIn)
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
    const step = (frameIn * phases) / this.#frameOut
    for (let out = 0, place = 0; out < this.#frameOut; out++, place += step) {
      const first = Math.floor(place / phases)
      const weight = (place - first * phases) * taps
      let value = 0
      for (let tap = 0; tap < taps; tap++) value += window[first + tap]! * weights[weight + tap]!
      into[out]! += Math.round(value)
    }
    return true
  }
}
