import { seeded } from '../../rig/probes/seeded.ts'

/** A sine; `level` is its peak. */
export const sine = (hz: number, count: number, rate: number, level = 10_000): Int16Array =>
  Int16Array.from({ length: count }, (_, i) => Math.round(level * Math.sin((2 * Math.PI * hz * i) / rate)))

const formantGain = (hz: number, formant: number): number =>
  Math.exp(-(((hz - formant) / 150) ** 2)) / (1 + formant / 1000)

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
    const gains: number[] = []
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
        // The voice glides slowly: so its formants need not be known again for every sample.
        if (i % 16 === 0) gains[n] = formants.reduce((gain, formant) => gain + formantGain(n * hz, formant), 0.02)
        sum += (gains[n] ?? 0) * Math.sin(n * phase + n * n)
      }
      pcm[at] = Math.round(level * swell * sum)
    }
  }
  return pcm
}

/** How alike `wanted` from `from` on is to `received`, `delay` samples later: 1 = the same. Every `step`th sample counts, about. */
const likenessAt = (
  wanted: Int16Array,
  received: Int16Array,
  delay: number,
  from: number,
  count: number,
  step: number,
): number => {
  let product = 0
  let one = 1
  let two = 1
  // Uneven steps: even ones would take a tone for another.
  for (let i = from, n = 0; i < from + count; i += step === 1 ? 1 : step - 2 + ((n++ * 7) % 5)) {
    const a = wanted[i] ?? 0
    const b = received[i + delay] ?? 0
    product += a * b
    one += a * a
    two += b * b
  }
  return product / Math.sqrt(one * two)
}

/** The shift of `received` after `wanted`, in samples, at which they are most alike, and how alike (1 = the same). */
export const delayOf = (
  wanted: Int16Array,
  received: Int16Array,
  most: number,
  from = 0,
  count = Math.min(wanted.length, received.length - most) - from,
): { readonly delay: number; readonly likeness: number } => {
  const step = count > 10_000 ? 8 : 1
  const rough: { delay: number; likeness: number }[] = []
  for (let delay = 0; delay <= most; delay++) {
    rough.push({ delay, likeness: likenessAt(wanted, received, delay, from, count, step) })
  }
  const best = rough.sort((one, two) => two.likeness - one.likeness).slice(0, step === 1 ? 1 : 20)
  return best
    .map(({ delay }) => ({ delay, likeness: likenessAt(wanted, received, delay, from, count, 1) }))
    .reduce((one, two) => (two.likeness > one.likeness ? two : one))
}

/** Signal to difference in dB, `received` delayed by `delay` samples. */
export const snrDb = (
  wanted: Int16Array,
  received: Int16Array,
  delay: number,
  from = 0,
  to = Math.min(wanted.length, received.length - delay),
): number => {
  let signal = 1
  let difference = 1
  for (let i = from; i < to; i++) {
    signal += wanted[i]! ** 2
    difference += (wanted[i]! - received[i + delay]!) ** 2
  }
  return 10 * Math.log10(signal / difference)
}

/** The mean of the SNR of pieces of 20 ms that are not silent, each within −10 and 35 dB. */
export const segmentalSnrDb = (wanted: Int16Array, received: Int16Array, delay: number, rate: number): number => {
  const piece = rate / 50
  let sum = 0
  let pieces = 0
  for (let at = 0; at + piece + delay <= Math.min(wanted.length, received.length - delay); at += piece) {
    let power = 0
    for (let i = at; i < at + piece; i++) power += wanted[i]! ** 2
    if (power / piece < 100 ** 2) continue
    sum += Math.max(-10, Math.min(35, snrDb(wanted, received, delay, at, at + piece)))
    pieces++
  }
  return sum / pieces
}
