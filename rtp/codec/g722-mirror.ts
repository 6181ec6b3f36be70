import { mirrorTaps } from './g722-tables.ts'

const taps = 24
/** Pairs of samples that are filtered at once. */
export const piecePairs = 160

const [t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11] = mirrorTaps

/** The line of samples that a quadrature mirror filter slides along; the same filter parts the bands and joins them. */
export class MirrorFilter {
  /** The last of the piece before, and from `past` on room for one. */
  readonly line = new Int32Array(taps - 2 + 2 * piecePairs)
  readonly past = taps - 2
  /** The sums over even and over odd places, a pair of samples each. */
  readonly even = new Int32Array(piecePairs)
  readonly odd = new Int32Array(piecePairs)

  /** Filters the `pairs` of samples that lie in the line; it has room for others then. */
  run(pairs: number): void {
    const { line, even, odd } = this
    // Written out: in a loop over taps the loop costs as much as the taps do.
    for (let i = 0, at = 0; i < pairs; i++, at += 2) {
      even[i] =
        line[at]! * t0! +
        line[at + 2]! * t1! +
        line[at + 4]! * t2! +
        line[at + 6]! * t3! +
        line[at + 8]! * t4! +
        line[at + 10]! * t5! +
        line[at + 12]! * t6! +
        line[at + 14]! * t7! +
        line[at + 16]! * t8! +
        line[at + 18]! * t9! +
        line[at + 20]! * t10! +
        line[at + 22]! * t11!
      odd[i] =
        line[at + 1]! * t11! +
        line[at + 3]! * t10! +
        line[at + 5]! * t9! +
        line[at + 7]! * t8! +
        line[at + 9]! * t7! +
        line[at + 11]! * t6! +
        line[at + 13]! * t5! +
        line[at + 15]! * t4! +
        line[at + 17]! * t3! +
        line[at + 19]! * t2! +
        line[at + 21]! * t1! +
        line[at + 23]! * t0!
    }
    line.copyWithin(0, 2 * pairs, 2 * pairs + this.past)
  }
}
