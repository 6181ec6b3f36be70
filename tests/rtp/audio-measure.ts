import { seeded } from './seeded.ts'

/** A sine; `level` is its peak. */
export const sine = (hz: number, count: number, rate: number, level = 10_000): Int16Array =>
  Int16Array.from({ length: count }, (_, i) => Math.round(level * Math.sin((2 * Math.PI * hz * i) / rate)))

/** Like speech: syllables of a gliding voice with formants, hisses between them, pauses. Seeded. */
export const speechLike = (count: number, rate: number, seed = 1, level = 5000): Int16Array => {
  const random = seeded(seed)
  const pcm = new Int16Array(count)
  let phase = 0
  for (let at = 0; at < count; ) {
    const length = Math.round((0.08 + 0.2 * random()) * rate)
    const kind = random()
    const pitch = 100 + 120 * random()
    const glide = 0.8 + 0.4 * random()
    const formants = [300 + 500 * random(), 900 + 1300 * random(), 2300 + 700 * random()]
    let smooth = 0
    for (let i = 0; i < length && at < count; i++, at++) {
      const part = i / length
      const swell = Math.sin(Math.PI * part)
      if (kind < 0.15) continue
      if (kind < 0.3) {
        const hiss = random() - 0.5
        pcm[at] = Math.round(level * 0.5 * swell * (hiss - smooth))
        smooth = hiss
        continue
      }
      const hz = pitch * (1 + (glide - 1) * part)
      phase += (2 * Math.PI * hz) / rate
      let sum = 0
      for (let n = 1; n * hz < Math.min(3600, rate / 2); n++) {
        let gain = 0.02
        for (const formant of formants) gain += Math.exp(-(((n * hz - formant) / 150) ** 2)) / (1 + formant / 1000)
        sum += gain * Math.sin(n * phase + n * n)
      }
      pcm[at] = Math.round(level * swell * sum)
    }
  }
  return pcm
}

/** The shift of `heard` behind `wanted`, in samples, at which they are most alike, and how alike (1 = the same). */
export const delayOf = (
  wanted: Int16Array,
  heard: Int16Array,
  most: number,
  from = 0,
  count = Math.min(wanted.length, heard.length - most) - from,
): { readonly delay: number; readonly likeness: number } => {
  let best = { delay: 0, likeness: -1 }
  for (let delay = 0; delay <= most; delay++) {
    let product = 0
    let one = 1
    let two = 1
    for (let i = from; i < from + count; i++) {
      const a = wanted[i] ?? 0
      const b = heard[i + delay] ?? 0
      product += a * b
      one += a * a
      two += b * b
    }
    const likeness = product / Math.sqrt(one * two)
    if (likeness > best.likeness) best = { delay, likeness }
  }
  return best
}

/** Signal to difference in dB, `heard` lying `delay` samples behind. */
export const snrDb = (
  wanted: Int16Array,
  heard: Int16Array,
  delay: number,
  from = 0,
  to = Math.min(wanted.length, heard.length - delay),
): number => {
  let signal = 1
  let difference = 1
  for (let i = from; i < to; i++) {
    signal += wanted[i]! ** 2
    difference += (wanted[i]! - heard[i + delay]!) ** 2
  }
  return 10 * Math.log10(signal / difference)
}

/** The mean of the SNR of pieces of 20 ms that are not silent, each within −10 and 35 dB. */
export const segmentalSnrDb = (wanted: Int16Array, heard: Int16Array, delay: number, rate: number): number => {
  const piece = rate / 50
  let sum = 0
  let pieces = 0
  for (let at = 0; at + piece + delay <= Math.min(wanted.length, heard.length - delay); at += piece) {
    let power = 0
    for (let i = at; i < at + piece; i++) power += wanted[i]! ** 2
    if (power / piece < 100 ** 2) continue
    sum += Math.max(-10, Math.min(35, snrDb(wanted, heard, delay, at, at + piece)))
    pieces++
  }
  return sum / pieces
}
