import {
  highMoves,
  highValues,
  lowCodesNegative,
  lowCodesPositive,
  lowLevels,
  lowMoves,
  lowValues4,
  lowValues6,
} from './g722-tables.ts'

/** What the two bands of G.722 differ in. Values of codes are in 32,768ths of the step. */
export interface Quantiser {
  /** The step in the beginning, the most of its logarithm, and the bits by which the antilogarithm is finer than the step. */
  readonly firstStep: number
  readonly mostLog: number
  readonly logOffset: number
  /** By code: what it stands for. */
  readonly values: Int16Array
  /** By code: what both sides adapt by, and how the step's logarithm moves. */
  readonly adaptValues: Int16Array
  readonly moves: Int16Array
  /** The code of a difference. */
  codeOf(difference: number, step: number): number
}

/** Codes of 6 bits whose lower two bits a network may take for itself: both sides adapt by the upper four. */
const byUpper4 = (table: Int16Array): Int16Array => Int16Array.from({ length: 64 }, (_, code) => table[code >> 2]!)

/** A size of so many 4,096ths of a step lies in the outermost interval, as all beyond it. */
const outermost = lowLevels.at(-1)! + 1

/** The codes by size in 4,096ths of the step, first those of positive differences, then those of negative ones. */
const lowCodes = ((): Uint8Array => {
  const codes = new Uint8Array(2 * outermost)
  for (let size = 0, interval = 1; size < outermost; size++) {
    while (interval < lowLevels.length && lowLevels[interval]! <= size) interval++
    codes[size] = lowCodesPositive[interval]!
    codes[outermost + size] = lowCodesNegative[interval]!
  }
  return codes
})()

/**
 * QUANTL: the interval ends before the first level with size < level × step >> 12. That is where level × step is no less
 * than (size + 1) << 12: found by a division instead of by trying up to thirty levels.
 */
const lowCodeOf = (difference: number, step: number): number => {
  const size = difference < 0 ? ~difference : difference
  const inSteps = Math.min(outermost - 1, ((size * 4096 + 4095) / step) | 0)
  return lowCodes[difference < 0 ? outermost + inSteps : inSteps]!
}

/** QUANTH. */
const highCodeOf = (difference: number, step: number): number => {
  const size = difference < 0 ? ~difference : difference
  return (difference < 0 ? 0 : 2) + (size >= (564 * step) >> 12 ? 0 : 1)
}

export const lowQuantiser: Quantiser = {
  firstStep: 32,
  mostLog: 18_432,
  logOffset: 8,
  values: lowValues6,
  adaptValues: byUpper4(lowValues4),
  moves: byUpper4(lowMoves),
  codeOf: lowCodeOf,
}

export const highQuantiser: Quantiser = {
  firstStep: 8,
  mostLog: 22_528,
  logOffset: 10,
  values: highValues,
  adaptValues: highValues,
  moves: highMoves,
  codeOf: highCodeOf,
}
