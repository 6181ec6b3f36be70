import { antilogs } from './g722-tables.ts'

export const clip16 = (value: number): number => Math.max(-32_768, Math.min(32_767, value))

/** Signals of a band have 15 bits. */
const clip15 = (value: number): number => Math.max(-16_384, Math.min(16_383, value))

const zeros = 6

/**
 * One of the two bands of G.722: an adaptive quantiser's step, and the predictor of two poles and six zeros that
 * coder and decoder move alike (clause 3.6, blocks 3 and 4). All numbers are those of the Recommendation, in fixed
 * point, so that two implementations stay in step for ever.
 */
export class G722Band {
  /** The quantiser's step. */
  step: number
  /** What is expected next. */
  expected = 0
  #log = 0
  readonly #mostLog: number
  readonly #logOffset: number
  #zeroPart = 0
  /** The last quantised differences, the newest first, and their weights. */
  readonly #differences = new Int32Array(zeros + 1)
  readonly #zeroWeights = new Int32Array(zeros + 1)
  #pole1 = 0
  #pole2 = 0
  #rebuilt1 = 0
  #rebuilt2 = 0
  #partial1 = 0
  #partial2 = 0

  /** `step`, `mostLog`, `logOffset`: 32, 18,432 and 8 for the low band; 8, 22,528 and 10 for the high one. */
  constructor(step: number, mostLog: number, logOffset: number) {
    this.step = step
    this.#mostLog = mostLog
    this.#logOffset = logOffset
  }

  /** The sample that a difference of `value` thousandths of the step makes. */
  rebuild(value: number): number {
    return clip15(this.expected + this.scaled(value))
  }
  /** A table's value in steps. */
  scaled(value: number): number {
    return (this.step * value) >> 15
  }

  /** Takes a quantised difference, and how the step's logarithm moves by its code. */
  adapt(difference: number, move: number): void {
    const log = Math.max(0, Math.min(this.#mostLog, ((this.#log * 127) >> 7) + move))
    this.#log = log
    const shift = this.#logOffset - (log >> 11)
    const antilog = antilogs[(log >> 6) & 31]!
    this.step = (shift < 0 ? antilog << -shift : antilog >> shift) << 2
    this.#predict(difference)
  }

  #predict(difference: number): void {
    const rebuilt = clip16(this.expected + difference)
    const partial = clip16(this.#zeroPart + difference)
    this.#movePoles(partial)
    this.#moveZeros(difference)
    this.#partial2 = this.#partial1
    this.#partial1 = partial
    this.#rebuilt2 = this.#rebuilt1
    this.#rebuilt1 = rebuilt
    // FILTEP, FILTEZ, PREDIC.
    const poles = clip16(
      ((this.#pole1 * clip16(2 * this.#rebuilt1)) >> 15) + ((this.#pole2 * clip16(2 * this.#rebuilt2)) >> 15),
    )
    let sum = 0
    for (let i = 1; i <= zeros; i++) sum += (this.#zeroWeights[i]! * clip16(2 * this.#differences[i]!)) >> 15
    this.#zeroPart = clip16(sum)
    this.expected = clip16(poles + this.#zeroPart)
  }

  /** UPPOL2 and UPPOL1. */
  #movePoles(partial: number): void {
    const sign = partial >> 15
    const isLikeLast = sign === this.#partial1 >> 15
    const four = clip16(this.#pole1 << 2)
    const turned = isLikeLast ? Math.min(32_767, -four) : four
    const drift = sign === this.#partial2 >> 15 ? 128 : -128
    const pole2 = Math.max(-12_288, Math.min(12_288, drift + (turned >> 7) + ((this.#pole2 * 32_512) >> 15)))
    const limit = 15_360 - pole2
    const pole1 = clip16((isLikeLast ? 192 : -192) + ((this.#pole1 * 32_640) >> 15))
    this.#pole1 = Math.max(-limit, Math.min(limit, pole1))
    this.#pole2 = pole2
  }

  /** UPZERO, and the delay line moves on. */
  #moveZeros(difference: number): void {
    const weights = this.#zeroWeights
    const differences = this.#differences
    const drift = difference === 0 ? 0 : 128
    const sign = difference >> 15
    differences[0] = difference
    for (let i = zeros; i > 0; i--) {
      const towards = differences[i]! >> 15 === sign ? drift : -drift
      weights[i] = clip16(towards + ((weights[i]! * 32_640) >> 15))
    }
    for (let i = zeros; i > 0; i--) differences[i] = differences[i - 1]!
  }
}
