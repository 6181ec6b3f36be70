/** What a recording of media has: 8 kHz. */
export const signalRate = 8000

const blockMs = 5
const blockLength = (signalRate * blockMs) / 1000
/** A window of 20 ms, moved on by 5 ms. */
const blocksPerWindow = 4

/**
 * Whole periods fit into a block of 5 ms, so sums of blocks add up. None is used by DTMF, ringing tones, fax (1100 Hz) or
 * modems (2100 Hz), which networks act on.
 */
const frequencies = [800, 1200, 1800] as const
/** Order of the tones: it does not repeat itself at any delay, so only the right delay fits. */
const melody = [0, 1, 2, 1, 0, 2, 0, 2, 1] as const
const toneMs = 200
const gapMs = 80
const amplitude = 8000

/** How long the signal lasts. */
export const signalMs = melody.length * (toneMs + gapMs)
/** An echo that comes back later than this is not found. */
export const longestEchoMs = 1500

/** Share of a window's power that a tone must have: speech and music seldom reach it for long. */
const purity = 0.7
/** Mean square of a sample below which nothing is recognised: about -50 dBm0. */
const quietest = 60 ** 2
/** Share of the sent signal that must come back for it to be ours. */
const leastReturned = 0.5

const silent = -1

export interface Echo {
  readonly delayMs: number
  /** How much of the signal came back, 0 to 100. */
  readonly percent: number
}

/** What is sent: tones one after the other, mono, 16 bit. */
export function echoSignal(): Int16Array {
  const samples = new Int16Array((signalRate * signalMs) / 1000)
  const step = (signalRate * (toneMs + gapMs)) / 1000
  const length = (signalRate * toneMs) / 1000
  melody.forEach((tone, place) => {
    const turn = (2 * Math.PI * (frequencies[tone] ?? 0)) / signalRate
    for (let at = 0; at < length; at++)
      samples[place * step + at] = Math.round(amplitude * Math.sin(turn * at) * ramp(at, length))
  })
  return samples
}

/** Without clicks at both ends, which spread over all frequencies. */
const ramp = (at: number, length: number): number => Math.min(1, at / blockLength, (length - 1 - at) / blockLength)

/**
 * Looks for the signal in what was received. Both are samples of the same line of time; undefined: it did not come back.
 */
export function findEcho(received: Int16Array, sent: Int16Array): Echo | undefined {
  const heard = tonesIn(received)
  const played = tonesIn(sent)
  const total = played.reduce<number>((sum, tone) => (tone === silent ? sum : sum + 1), 0)
  if (total === 0) return undefined
  let best = 0
  let bestLag = 0
  for (let lag = 0; lag <= longestEchoMs / blockMs; lag++) {
    let same = 0
    for (let at = 0; at < played.length; at++) if (played[at] !== silent && heard[at + lag] === played[at]) same++
    if (same > best) {
      best = same
      bestLag = lag
    }
  }
  const share = best / total
  if (share < leastReturned) return undefined
  return { delayMs: bestLag * blockMs, percent: Math.round(100 * share) }
}

/** The tone that sounds in each window, or `silent`. */
function tonesIn(samples: Int16Array): Int8Array {
  const blocks = Math.floor(samples.length / blockLength)
  const power = new Float64Array(blocks)
  for (let block = 0; block < blocks; block++) {
    let sum = 0
    for (let at = block * blockLength; at < (block + 1) * blockLength; at++) sum += (samples[at] ?? 0) ** 2
    power[block] = sum
  }
  const windows = Math.max(0, blocks - blocksPerWindow + 1)
  const tones = new Int8Array(windows).fill(silent)
  frequencies.forEach((frequency, tone) => {
    const { re, im } = correlate(samples, blocks, frequency)
    for (let at = 0; at < windows; at++) {
      const all = over(power, at)
      if (all < quietest * blockLength * blocksPerWindow) continue
      const of = (over(re, at) ** 2 + over(im, at) ** 2) / ((blocksPerWindow * blockLength) / 2)
      if (of > purity * all) tones[at] = tone
    }
  })
  return tones
}

const over = (values: Float64Array, from: number): number => {
  let sum = 0
  for (let at = from; at < from + blocksPerWindow; at++) sum += values[at] ?? 0
  return sum
}

/** Each block against one frequency (a bin of its Fourier transform). */
function correlate(samples: Int16Array, blocks: number, frequency: number) {
  const turn = (2 * Math.PI * frequency) / signalRate
  const cos = Float64Array.from({ length: blockLength }, (_, at) => Math.cos(turn * at))
  const sin = Float64Array.from({ length: blockLength }, (_, at) => Math.sin(turn * at))
  const re = new Float64Array(blocks)
  const im = new Float64Array(blocks)
  for (let block = 0; block < blocks; block++) {
    let real = 0
    let imaginary = 0
    for (let at = 0; at < blockLength; at++) {
      const sample = samples[block * blockLength + at] ?? 0
      real += sample * (cos[at] ?? 0)
      imaginary += sample * (sin[at] ?? 0)
    }
    re[block] = real
    im[block] = imaginary
  }
  return { re, im }
}
