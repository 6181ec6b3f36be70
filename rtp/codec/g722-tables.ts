/** The tables of ITU-T G.722, by the names of the Recommendation's blocks where it has some. */

/** Half of the 24 taps of the quadrature mirror filters (table 11), as 12-bit fractions. */
export const mirrorTaps = Int16Array.of(3, -11, 12, 32, -210, 951, 3876, -805, 362, -156, 53, -11)

/** QUANTL's decision levels Q6. */
export const lowLevels = Int16Array.of(
  ...[0, 35, 72, 110, 150, 190, 233, 276, 323, 370, 422, 473, 530, 587, 650, 714, 786, 858, 940, 1023, 1121, 1219],
  ...[1339, 1458, 1612, 1765, 1980, 2195, 2557, 2919],
)
/** QUANTL's codes of a negative and of a positive difference, by interval. */
export const lowCodesNegative = Uint8Array.of(
  ...[0, 63, 62, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7],
  ...[6, 5, 4],
)
export const lowCodesPositive = Uint8Array.of(
  ...[0, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35],
  ...[34, 33, 32],
)

/** INVQBL: what a code of 6 bits stands for, in units of the step. */
export const lowValues6 = Int16Array.of(
  ...[-136, -136, -136, -136, -24808, -21904, -19008, -16704, -14984, -13512, -12280, -11192, -10232, -9360, -8576],
  ...[-7856, -7192, -6576, -6000, -5456, -4944, -4464, -4008, -3576, -3168, -2776, -2400, -2032, -1688, -1360, -1040],
  ...[-728, 24808, 21904, 19008, 16704, 14984, 13512, 12280, 11192, 10232, 9360, 8576, 7856, 7192, 6576, 6000, 5456],
  ...[4944, 4464, 4008, 3576, 3168, 2776, 2400, 2032, 1688, 1360, 1040, 728, 432, 136, -432, -136],
)
/** INVQAL: the same of its upper 4 bits, by which both sides adapt. */
export const lowValues4 = Int16Array.of(
  ...[0, -20456, -12896, -8968, -6288, -4240, -2584, -1200, 20456, 12896, 8968, 6288, 4240, 2584, 1200, 0],
)
/** INVQAH. */
export const highValues = Int16Array.of(-7408, -1616, 7408, 1616)

/** LOGSCL: how the logarithm of the step moves, by the upper 4 bits of a low code (RL42 and WL in one). */
export const lowMoves = Int16Array.of(
  ...[-60, 3042, 1198, 538, 334, 172, 58, -30, 3042, 1198, 538, 334, 172, 58, -30, -60],
)
/** LOGSCH (RH2 and WH in one). */
export const highMoves = Int16Array.of(798, -214, 798, -214)

/** SCALEL, SCALEH: the antilogarithm. */
export const antilogs = Int16Array.of(
  ...[2048, 2093, 2139, 2186, 2233, 2282, 2332, 2383, 2435, 2489, 2543, 2599, 2656, 2714, 2774, 2834, 2896, 2960],
  ...[3025, 3091, 3158, 3228, 3298, 3371, 3444, 3520, 3597, 3676, 3756, 3838, 3922, 4008],
)
