import { mirrorTaps } from './g722-tables.ts'

const taps = 24
/** Pairs of samples that are filtered at once. */
export const piecePairs = 160

const [t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11] = mirrorTaps

/** Every other sample from `line[at]` on, up or down, by the taps. Written out: a loop costs as much as the taps do. */
const weighed = (line: Int32Array, at: number, step: number): number =>
  line[at]! * t0! +
  line[at + step]! * t1! +
  line[at + 2 * step]! * t2! +
  line[at + 3 * step]! * t3! +
  line[at + 4 * step]! * t4! +
  line[at + 5 * step]! * t5! +
  line[at + 6 * step]! * t6! +
  line[at + 7 * step]! * t7! +
  line[at + 8 * step]! * t8! +
  line[at + 9 * step]! * t9! +
  line[at + 10 * step]! * t10! +
  line[at + 11 * step]! * t11!

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
    for (let i = 0, at = 0; i < pairs; i++, at += 2) {
      even[i] = weighed(line, at, 2)
      // The other half of the taps is the same, from its end on.
      odd[i] = weighed(line, at + taps - 1, -2)
    }
    line.copyWithin(0, 2 * pairs, 2 * pairs + this.past)
  }
}
