import type { Quantiser } from './g722-quantiser.ts'
import { antilogs } from './g722-tables.ts'

export const clip16 = (value: number): number => Math.max(-32_768, Math.min(32_767, value))

/** Signals of a band have 15 bits. */
const clip15 = (value: number): number => Math.max(-16_384, Math.min(16_383, value))

/** UPZERO: a zero leaks away, and moves by whether the difference that it weighs had the sign of the present one. */
const movedZero = (zero: number, before: number, now: number, drift: number): number =>
  clip16(((before ^ now) < 0 ? 0 - drift : drift) + ((zero * 255) >> 8))

/** Where a band's numbers are kept between pieces. */
const kept = 21

/**
 * One of the two bands of G.722: an adaptive quantiser's step, and the predictor of two poles and six zeros that
 * coder and decoder move alike (clause 3.6, blocks 3 and 4). All numbers are those of the Recommendation, in fixed
 * point, so that two implementations never diverge. Factors that are used twice as large are kept doubled.
 */
export class G722Band {
  readonly #quantiser: Quantiser
  readonly #state = new Int32Array(kept)

  constructor(quantiser: Quantiser) {
    this.#quantiser = quantiser
    this.#state[0] = quantiser.firstStep
  }

  /** The codes of `count` samples. */
  encode(codes: Uint8Array, samples: Int32Array, count: number): void {
    this.#run(codes, samples, count, true)
  }

  /** The samples of `count` codes. */
  decode(samples: Int32Array, codes: Uint8Array, count: number): void {
    this.#run(codes, samples, count, false)
  }

  /** A piece at a time: its numbers stay out of memory meanwhile, which is half of the work. */
  #run(codes: Uint8Array, samples: Int32Array, count: number, encodes: boolean): void {
    const quantiser = this.#quantiser
    const { mostLog, logOffset, values, adaptValues, moves } = quantiser
    const state = this.#state
    let step = state[0]!
    let log = state[1]!
    let expected = state[2]!
    let zeroPart = state[3]!
    let pole1 = state[4]!
    let pole2 = state[5]!
    let rebuilt1 = state[6]!
    let partial1 = state[7]!
    let partial2 = state[8]!
    // The last quantised differences, the newest first, and their weights.
    let difference1 = state[9]!
    let difference2 = state[10]!
    let difference3 = state[11]!
    let difference4 = state[12]!
    let difference5 = state[13]!
    let difference6 = state[14]!
    let zero1 = state[15]!
    let zero2 = state[16]!
    let zero3 = state[17]!
    let zero4 = state[18]!
    let zero5 = state[19]!
    let zero6 = state[20]!
    for (let i = 0; i < count; i++) {
      if (encodes) codes[i] = quantiser.codeOf(clip16(samples[i]! - expected), step)
      else samples[i] = clip15(expected + ((step * values[codes[i]!]!) >> 15))
      const code = codes[i]!
      const difference = (step * adaptValues[code]!) >> 15

      // LOGSCL, SCALEL: the step.
      log = Math.max(0, Math.min(mostLog, ((log * 127) >> 7) + moves[code]!))
      const shift = logOffset - (log >> 11)
      const antilog = antilogs[(log >> 6) & 31]!
      step = (shift < 0 ? antilog << (0 - shift) : antilog >> shift) << 2

      // UPPOL2 and UPPOL1.
      const partial = clip16(zeroPart + difference)
      const sign = partial >> 15
      const isLikeLast = sign === partial1 >> 15
      const four = clip16(pole1 << 2)
      const turned = isLikeLast ? Math.min(32_767, 0 - four) : four
      const drift2 = sign === partial2 >> 15 ? 128 : -128
      pole2 = Math.max(-12_288, Math.min(12_288, drift2 + (turned >> 7) + ((pole2 * 32_512) >> 15)))
      const limit = 15_360 - pole2
      const moved1 = clip16((isLikeLast ? 192 : -192) + ((pole1 * 32_640) >> 15))
      pole1 = Math.max(0 - limit, Math.min(limit, moved1))
      partial2 = partial1
      partial1 = partial

      // UPZERO, and the delay line moves on.
      const drift = difference === 0 ? 0 : 128
      zero1 = movedZero(zero1, difference1, difference, drift)
      zero2 = movedZero(zero2, difference2, difference, drift)
      zero3 = movedZero(zero3, difference3, difference, drift)
      zero4 = movedZero(zero4, difference4, difference, drift)
      zero5 = movedZero(zero5, difference5, difference, drift)
      zero6 = movedZero(zero6, difference6, difference, drift)
      difference6 = difference5
      difference5 = difference4
      difference4 = difference3
      difference3 = difference2
      difference2 = difference1
      difference1 = clip16(2 * difference)

      // FILTEP, FILTEZ, PREDIC.
      const rebuilt = clip16(2 * clip16(expected + difference))
      const polePart = clip16(((pole1 * rebuilt) >> 15) + ((pole2 * rebuilt1) >> 15))
      rebuilt1 = rebuilt
      zeroPart = clip16(
        ((zero1 * difference1) >> 15) +
          ((zero2 * difference2) >> 15) +
          ((zero3 * difference3) >> 15) +
          ((zero4 * difference4) >> 15) +
          ((zero5 * difference5) >> 15) +
          ((zero6 * difference6) >> 15),
      )
      expected = clip16(polePart + zeroPart)
    }
    state[0] = step
    state[1] = log
    state[2] = expected
    state[3] = zeroPart
    state[4] = pole1
    state[5] = pole2
    state[6] = rebuilt1
    state[7] = partial1
    state[8] = partial2
    state[9] = difference1
    state[10] = difference2
    state[11] = difference3
    state[12] = difference4
    state[13] = difference5
    state[14] = difference6
    state[15] = zero1
    state[16] = zero2
    state[17] = zero3
    state[18] = zero4
    state[19] = zero5
    state[20] = zero6
  }
}
