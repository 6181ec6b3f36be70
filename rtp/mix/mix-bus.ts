import { addSumInto, sumInto } from './mix.ts'
import { type MixRate, mixRates, samplesOfFrame } from './mix-rate.ts'
import { SumResampler } from './sum-resampler.ts'

/** What members send at one rate, and what they are to receive at it. */
class Line {
  readonly rate: MixRate
  /** Sum of all speakers at this rate, exact. */
  readonly sum: Int32Array
  /** With all who speak at others. */
  readonly total: Int32Array
  readonly from = new Map<MixRate, SumResampler>()
  isSilent = true
  isTotalSilent = true
  /** Some member receives at this rate. */
  isWanted = false

  constructor(rate: MixRate) {
    this.rate = rate
    this.sum = new Int32Array(samplesOfFrame(rate))
    this.total = new Int32Array(samplesOfFrame(rate))
  }
}

/**
 * The sums of a frame. Those of one rate are added sample by sample, so that one's own can be taken out without a
 * trace; only the sum of another rate is resampled, once for all, however many speak or listen.
 */
export class MixBus {
  readonly #lines: readonly Line[] = mixRates.map(rate => new Line(rate))

  begin(): void {
    for (const line of this.#lines) {
      if (!line.isSilent) line.sum.fill(0)
      line.isSilent = true
      line.isWanted = false
    }
  }

  /** A frame of one speaker. */
  add(rate: MixRate, pcm: Int16Array): void {
    const line = this.#line(rate)
    sumInto(line.sum, pcm, 0, line.sum.length)
    line.isSilent = false
  }

  /** A frame of a sum of others. */
  addSum(rate: MixRate, sum: Int32Array, from: number): void {
    const line = this.#line(rate)
    addSumInto(line.sum, sum, from, line.sum.length)
    line.isSilent = false
  }

  /** A member will ask for the total at this rate. */
  want(rate: MixRate): void {
    this.#line(rate).isWanted = true
  }

  /** All is in: makes the totals that are wanted. */
  finish(): void {
    for (const line of this.#lines) if (line.isWanted) this.#finish(line)
  }

  /** The sum at this rate, before `finish` or after. */
  sumOf(rate: MixRate): Int32Array {
    return this.#line(rate).sum
  }
  isSilentAt(rate: MixRate): boolean {
    return this.#line(rate).isSilent
  }

  /** Sum of all members, at this rate. */
  totalOf(rate: MixRate): Int32Array {
    return this.#line(rate).total
  }
  isTotalSilentAt(rate: MixRate): boolean {
    return this.#line(rate).isTotalSilent
  }

  #finish(line: Line): void {
    line.total.set(line.sum)
    line.isTotalSilent = line.isSilent
    for (const other of this.#lines) {
      if (other === line) continue
      let resampler = line.from.get(other.rate)
      if (resampler === undefined) {
        if (other.isSilent) continue
        resampler = new SumResampler(other.rate, line.rate)
        line.from.set(other.rate, resampler)
      }
      if (resampler.addInto(line.total, other.sum, other.isSilent)) line.isTotalSilent = false
    }
  }

  #line(rate: MixRate): Line {
    return this.#lines[rate === 8000 ? 0 : rate === 16_000 ? 1 : 2]!
  }
}
