import { greatestCommonDivisor, type ResampleFilter, resampleFilter } from './filter.ts'
import { weightedSum, weightedSumBetween, weightedSums } from './filter-taps.ts'

/** Input samples taken at a time; longer pieces are cut. */
const pieceLength = 1024

const sums = new Float64Array(4)

const rounded = (sum: number): number => (sum >= 32_767 ? 32_767 : sum <= -32_768 ? -32_768 : Math.round(sum))

/**
 * Turns mono samples of one rate into another, piece by piece. What comes out is in step with what went in, sample 0
 * with sample 0; the last half filter's length follows at `flushInto`. Equal rates pass through untouched.
 */
export class Resampler {
  readonly #filter: ResampleFilter
  readonly #equal: boolean
  /** Input samples a period of `#up` outputs. */
  readonly #down: number
  readonly #up: number
  /** The latest input, `2 × half` samples of past and room for a piece. */
  readonly #window: Float64Array
  #held: number
  /** Place of the next output in the window: whole samples and `#up`ths. */
  #place: number
  #fraction = 0
  #taken = 0
  #given = 0

  constructor(fromHz: number, toHz: number, filter: ResampleFilter = resampleFilter(fromHz, toHz)) {
    const common = greatestCommonDivisor(fromHz, toHz)
    this.#filter = filter
    this.#equal = fromHz === toHz
    this.#down = fromHz / common
    this.#up = toHz / common
    this.#window = new Float64Array(2 * filter.half + pieceLength)
    // Silence before the first sample.
    this.#held = filter.half - 1
    this.#place = filter.half - 1
  }

  /** The most samples that `pushInto` or `flushInto` writes for `count` input samples more. */
  roomFor(count: number): number {
    return Math.ceil(((count + 2 * this.#filter.half) * this.#up) / this.#down) + 1
  }

  /** Takes `count` samples from `pcm[from]` on; writes what is ready from `into[at]` on, and returns how many. */
  pushInto(into: Int16Array, at: number, pcm: Int16Array, from: number, count: number): number {
    this.#taken += count
    if (this.#equal) {
      for (let i = 0; i < count; i++) into[at + i] = pcm[from + i]!
      return count
    }
    let written = 0
    for (let done = 0; done < count; ) {
      const piece = Math.min(count - done, this.#window.length - this.#held)
      for (let i = 0; i < piece; i++) this.#window[this.#held + i] = pcm[from + done + i]!
      this.#held += piece
      done += piece
      written += this.#giveInto(into, at + written, Infinity)
    }
    return written
  }

  /** The end of the stream: writes what the filter still holds. The whole lasts as long as what was pushed. */
  flushInto(into: Int16Array, at: number): number {
    if (this.#equal) return 0
    const wanted = Math.ceil((this.#taken * this.#up) / this.#down)
    let written = 0
    while (this.#given < wanted) {
      this.#window.fill(0, this.#held)
      this.#held = this.#window.length
      written += this.#giveInto(into, at + written, wanted - this.#given)
    }
    return written
  }

  #giveInto(into: Int16Array, at: number, limit: number): number {
    const { half } = this.#filter
    const window = this.#window
    let written = this.#giveRounds(into, at, limit)
    while (this.#place + half < this.#held && written < limit) {
      into[at + written++] = rounded(this.#sum())
      this.#step()
    }
    this.#given += written
    // Keep what the next output needs, at the window's beginning. Its place may lie beyond what came so far.
    const spent = Math.min(this.#first, this.#held)
    if (spent > 0) {
      window.copyWithin(0, spent, this.#held)
      this.#held -= spent
      this.#place -= spent
    }
    return written
  }

  /** Four rounds of `#up` outputs at a time, as far as they go: those of a phase lie `#down` samples apart. */
  #giveRounds(into: Int16Array, at: number, limit: number): number {
    const { half, weights, isExact } = this.#filter
    const up = this.#up
    let written = 0
    if (!isExact) return written
    while (this.#place + 4 * this.#down + half <= this.#held && written + 4 * up <= limit) {
      for (let i = 0; i < up; i++) {
        weightedSums(sums, this.#window, this.#first, this.#down, weights, this.#weight, 2 * half)
        for (let round = 0; round < 4; round++) into[at + written + round * up + i] = rounded(sums[round]!)
        this.#step()
      }
      // One round lies after; so do the three beside it.
      this.#place += 3 * this.#down
      written += 4 * up
    }
    return written
  }

  /** The first input sample that the next output needs. */
  get #first(): number {
    return this.#place - (this.#filter.half - 1)
  }

  /** Where the weights of its phase begin. */
  get #weight(): number {
    return this.#fraction * 2 * this.#filter.half
  }

  /** The next output, by its phase or between two. */
  #sum(): number {
    const { half, phases, weights, isExact } = this.#filter
    const taps = 2 * half
    if (isExact) return weightedSum(this.#window, this.#first, weights, this.#weight, taps)
    const place = (this.#fraction * phases) / this.#up
    const phase = Math.floor(place)
    return weightedSumBetween(this.#window, this.#first, weights, phase * taps, taps, place - phase)
  }

  /** On to the next output. */
  #step(): void {
    this.#fraction += this.#down
    const whole = Math.floor(this.#fraction / this.#up)
    this.#place += whole
    this.#fraction -= whole * this.#up
  }
}

/** A whole recording at another rate; the same samples when the rates are equal. */
export const resample = (pcm: Int16Array, fromHz: number, toHz: number, filter?: ResampleFilter): Int16Array => {
  if (fromHz === toHz) return pcm.slice()
  const resampler = new Resampler(fromHz, toHz, filter)
  const into = new Int16Array(resampler.roomFor(pcm.length))
  let written = resampler.pushInto(into, 0, pcm, 0, pcm.length)
  written += resampler.flushInto(into, written)
  return into.slice(0, written)
}
