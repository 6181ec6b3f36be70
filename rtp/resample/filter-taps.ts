/** The sum of `taps` samples from `window[first]` on, each by its weight from `weights[at]` on. */
export const weightedSum = (
  window: Float64Array,
  first: number,
  weights: Float64Array,
  at: number,
  taps: number,
): number => {
  let sum = 0
  for (let tap = 0; tap < taps; tap++) sum += window[first + tap]! * weights[at + tap]!
  return sum
}

/** The same with weights between those from `at` and those from `at + taps` on: `part` of the way. */
export const weightedSumBetween = (
  window: Float64Array,
  first: number,
  weights: Float64Array,
  at: number,
  taps: number,
  part: number,
): number => {
  const next = at + taps
  let a = 0
  let b = 0
  for (let tap = 0; tap < taps; tap++) {
    const sample = window[first + tap]!
    a += sample * weights[at + tap]!
    b += sample * weights[next + tap]!
  }
  return a + part * (b - a)
}

/**
 * The plain sum for four places, `apart` samples from one another, into `sums[0]` to `sums[3]`. Each weight is read once for
 * all of them, and no sum waits for another: four cost little more than one.
 */
export const weightedSums = (
  sums: Float64Array,
  window: Float64Array,
  first: number,
  apart: number,
  weights: Float64Array,
  at: number,
  taps: number,
): void => {
  const second = first + apart
  const third = second + apart
  const fourth = third + apart
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  for (let tap = 0; tap < taps; tap++) {
    const weight = weights[at + tap]!
    a += window[first + tap]! * weight
    b += window[second + tap]! * weight
    c += window[third + tap]! * weight
    d += window[fourth + tap]! * weight
  }
  sums[0] = a
  sums[1] = b
  sums[2] = c
  sums[3] = d
}
