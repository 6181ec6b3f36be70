/** Input samples on each side of a place, and places between two of them. */
const half = 16
const phases = 512

/** Windowed sincs (Hann), `2 × half` weights a phase: what is asked for lies between samples, at no other rate. */
const weights = ((): Float64Array => {
  const table = new Float64Array(phases * 2 * half)
  for (let phase = 0; phase < phases; phase++) {
    let sum = 0
    for (let tap = 0; tap < 2 * half; tap++) {
      const x = tap - (half - 1) - phase / phases
      const weight =
        (0.5 + 0.5 * Math.cos((Math.PI * x) / half)) * (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))
      table[phase * 2 * half + tap] = weight
      sum += weight
    }
    for (let tap = 0; tap < 2 * half; tap++) table[phase * 2 * half + tap]! /= sum
  }
  return table
})()

/**
 * Repeated sounds, a little faster or slower (a thousandth is inaudible): samples `from` … of a round of `length`, of
 * which `rounds` in a row become `wanted` samples. Writes `count` of them at `into[0]`.
 */
export const stretchRoundInto = (
  into: Int16Array,
  count: number,
  pcm: Int16Array,
  length: number,
  rounds: number,
  wanted: number,
  from: number,
): void => {
  const step = (rounds * length) / wanted
  for (let i = 0; i < count; i++) {
    const place = (from + i) * step
    const whole = Math.floor(place)
    const phase = Math.floor((place - whole) * phases)
    const weight = phase * 2 * half
    let at = (whole - (half - 1)) % length
    if (at < 0) at += length
    let sum = 0
    for (let tap = 0; tap < 2 * half; tap++) {
      sum += pcm[at]! * weights[weight + tap]!
      at = at + 1 === length ? 0 : at + 1
    }
    into[i] = Math.max(-32_768, Math.min(32_767, Math.round(sum)))
  }
}
