/** Attenuation of images and aliases that the filter is designed for; tests hold it to 60 dB. */
const stopbandDb = 72
/** Part of the narrower band, up to its Nyquist frequency, that the filter gives up to fall from pass to stop. */
const transition = 0.15
/**
 * Weights of a filter that has each phase of its pair of rates: designed in about a millisecond, and all
 * common pairs need fewer. Rates with little in common would need a phase for each sample of a second.
 */
const mostExactWeights = 32_768
/**
 * Phases in a sample of the lower rate where there is not one for each output: between two of them weights are
 * interpolated. A line between points so near is off by −72 dB of the highest frequency, as is the filter.
 */
const sparsePhases = 64

/** A windowed sinc cut into phases: how samples at one rate are weighed for a sample of another. */
export interface ResampleFilter {
  readonly fromHz: number
  readonly toHz: number
  /** Input samples on each side of the place that is asked for. */
  readonly half: number
  readonly phases: number
  /** False where outputs lie between two phases. */
  readonly isExact: boolean
  /** `2 × half` weights a phase, one phase after the other; the last is the first of the next sample. */
  readonly weights: Float64Array
}

/** Bessel's I₀, for the Kaiser window. */
const bessel = (x: number): number => {
  let term = 1
  let sum = 1
  for (let n = 1; term > sum * 1e-12; n++) {
    term *= (x / (2 * n)) ** 2
    sum += term
  }
  return sum
}

/** Kaiser's shape for the length of the window. */
const beta = 0.1102 * (stopbandDb - 8.7)

/**
 * The window by the square of its place between middle (0) and edge (1), in even steps: a line between two of them is off
 * by less than −110 dB. Bessel's function itself would be most of the work of a design.
 */
const windowSteps = 1024
const windowShape = Float64Array.from(
  { length: windowSteps + 2 },
  (_, i) => bessel(beta * Math.sqrt(Math.max(0, 1 - i / windowSteps))) / bessel(beta),
)
const windowAt = (squared: number): number => {
  if (squared >= 1) return 0
  const place = squared * windowSteps
  const step = Math.floor(place)
  const before = windowShape[step]!
  return before + (place - step) * (windowShape[step + 1]! - before)
}

export const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b))

/** Designs the filter for a pair of rates, in whole Hz: for any pair the work of some ten thousand weights. */
export const resampleFilter = (fromHz: number, toHz: number): ResampleFilter => {
  const nyquist = Math.min(fromHz, toHz) / 2
  // Kaiser's rule for the length of the window.
  const half = Math.ceil(((stopbandDb - 8) / (2.285 * 2 * Math.PI * ((transition * nyquist) / fromHz)) + 1) / 2)
  const cutoff = (2 * nyquist * (1 - transition / 2)) / fromHz
  const taps = 2 * half
  const exactPhases = toHz / greatestCommonDivisor(fromHz, toHz)
  const isExact = exactPhases * taps <= mostExactWeights
  const phases = isExact ? exactPhases : Math.ceil((sparsePhases * Math.min(fromHz, toHz)) / fromHz)
  const weights = new Float64Array((phases + 1) * taps)
  for (let phase = 0; phase <= phases; phase++) {
    let sum = 0
    for (let tap = 0; tap < taps; tap++) {
      // Distance from the place asked for to this input sample.
      const x = tap - (half - 1) - phase / phases
      const angle = Math.PI * cutoff * x
      const weight = windowAt((x / half) ** 2) * (x === 0 ? 1 : Math.sin(angle) / angle)
      weights[phase * taps + tap] = weight
      sum += weight
    }
    // Each phase alike at 0 Hz, so that a steady level stays steady.
    for (let tap = 0; tap < taps; tap++) weights[phase * taps + tap]! /= sum
  }
  return { fromHz, toHz, half, phases, isExact, weights }
}

const shared = new Map<string, ResampleFilter>()

/** The filter of a pair of rates, designed once: for the few pairs that streams need again and again. */
export const sharedFilter = (fromHz: number, toHz: number): ResampleFilter => {
  const key = `${fromHz} ${toHz}`
  const known = shared.get(key)
  if (known !== undefined) return known
  const filter = resampleFilter(fromHz, toHz)
  shared.set(key, filter)
  return filter
}
