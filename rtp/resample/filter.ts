/** Attenuation of images and aliases that the filter is designed for; tests hold it to 60 dB. */
const stopbandDb = 72
/** Part of the narrower band, up to its Nyquist frequency, that the filter gives up to fall from pass to stop. */
const transition = 0.15
/** Rates with no common part would need a phase per sample of a second; the nearest of so many is near enough. */
const maxPhases = 4096

/** A windowed sinc cut into phases: how samples at one rate are weighed for a sample of another. */
export interface ResampleFilter {
  readonly fromHz: number
  readonly toHz: number
  /** Input samples on each side of the place that is asked for. */
  readonly half: number
  readonly phases: number
  /** `2 × half` weights a phase, one phase after the other. */
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

export const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b))

/** Designs the filter for a pair of rates, in whole Hz. Some ms of work: keep it when many streams share the pair. */
export const resampleFilter = (fromHz: number, toHz: number): ResampleFilter => {
  const nyquist = Math.min(fromHz, toHz) / 2
  // Kaiser's rule for the length and shape of the window.
  const half = Math.ceil(((stopbandDb - 8) / (2.285 * 2 * Math.PI * ((transition * nyquist) / fromHz)) + 1) / 2)
  const beta = 0.1102 * (stopbandDb - 8.7)
  const cutoff = (2 * nyquist * (1 - transition / 2)) / fromHz
  const phases = Math.min(toHz / greatestCommonDivisor(fromHz, toHz), maxPhases)
  const taps = 2 * half
  const weights = new Float64Array(phases * taps)
  const top = bessel(beta)
  for (let phase = 0; phase < phases; phase++) {
    let sum = 0
    for (let tap = 0; tap < taps; tap++) {
      // Distance from the place asked for to this input sample.
      const x = tap - (half - 1) - phase / phases
      const edge = x / half
      const window = Math.abs(edge) < 1 ? bessel(beta * Math.sqrt(1 - edge * edge)) / top : 0
      const angle = Math.PI * cutoff * x
      const weight = window * (x === 0 ? 1 : Math.sin(angle) / angle)
      weights[phase * taps + tap] = weight
      sum += weight
    }
    // Each phase alike at 0 Hz, so that a steady level stays steady.
    for (let tap = 0; tap < taps; tap++) weights[phase * taps + tap]! /= sum
  }
  return { fromHz, toHz, half, phases, weights }
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
