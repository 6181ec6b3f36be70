import type { RtpEndpoint } from '../peers/rtp-endpoint.ts'
import { decodePcmu, encodePcmu } from './g711.ts'
import { toneShare } from './tone.ts'
import { until } from './wait.ts'

/** What comes out of G.711 when these samples went in. */
export const through = (samples: Int16Array): Int16Array => decodePcmu(encodePcmu(samples))

/** Where `wanted` is in `samples`, bit for bit, from `from` on; −1 = nowhere. */
export function placeOf(samples: Int16Array, wanted: Int16Array, from = 0): number {
  const bytes = (of: Int16Array) => Buffer.from(of.buffer, of.byteOffset, of.byteLength)
  const needle = bytes(wanted)
  for (let at = bytes(samples).indexOf(needle, from * 2); at >= 0; at = bytes(samples).indexOf(needle, at + 1))
    if (at % 2 === 0) return at / 2
  return -1
}

/**
 * Throws unless `wanted` is in `samples` whole, bit for bit. The message says which of its pieces of 20 ms lie where, so that a
 * piece that is lost, and a rest that is moved, are told apart.
 */
export function assertWhole(samples: Int16Array, wanted: Int16Array, what: string): void {
  if (placeOf(samples, wanted) >= 0) return
  const runs: { first: number; last: number; offset: number | undefined }[] = []
  for (let piece = 0; (piece + 1) * 160 <= wanted.length; piece++) {
    const place = placeOf(samples, wanted.subarray(piece * 160, piece * 160 + 160))
    const offset = place < 0 ? undefined : place - piece * 160
    const run = runs.at(-1)
    if (run !== undefined && run.offset === offset) run.last = piece
    else runs.push({ first: piece, last: piece, offset })
  }
  const told = runs.map(
    ({ first, last, offset }) => `${first} to ${last} ${offset === undefined ? 'nowhere' : `at ${offset}`}`,
  )
  throw new Error(`${what}: of its pieces of 20 ms, in a file of ${samples.length} samples, ${told.join(', ')}`)
}

/** How often it is there, one after another. */
export function countOf(samples: Int16Array, wanted: Int16Array): number {
  let count = 0
  for (let at = placeOf(samples, wanted); at >= 0; at = placeOf(samples, wanted, at + wanted.length)) count++
  return count
}

/** Waits until the last half second that an endpoint has got is that tone, or until it is another sound. */
export const untilReceived = (rtp: RtpEndpoint, frequencyHz: number, isWanted = true): Promise<unknown> =>
  until(`${isWanted ? '' : 'not '}${frequencyHz} Hz to be received`, () => {
    const received = decodePcmu(rtp.audio().subarray(-4000))
    return received.length === 4000 && toneShare(received, frequencyHz) > 0.7 === isWanted
  })

/** Seconds of `samples` in which a tone of that frequency is nearly all of the sound, looked at every 20 ms. */
export function secondsOf(samples: Int16Array, frequencyHz: number): number {
  return placesOf(samples, frequencyHz).length * 0.02
}

/** Places of that tone: the first samples of windows of 20 ms. */
export function placesOf(samples: Int16Array, frequencyHz: number): readonly number[] {
  const places: number[] = []
  for (let at = 0; at + 160 <= samples.length; at += 160) {
    const window = samples.subarray(at, at + 160)
    if (isLoud(window) && toneShare(window, frequencyHz) > 0.8) places.push(at)
  }
  return places
}

/** The share of that tone where it is purest: of `length` samples, looked at every `step`. */
export function bestShare(samples: Int16Array, frequencyHz: number, length = 1600, step = 200): number {
  let best = 0
  for (let at = 0; at + length <= samples.length; at += step) {
    best = Math.max(best, toneShare(samples.subarray(at, at + length), frequencyHz))
  }
  return best
}

/** Seconds with any sound. */
export function loudSeconds(samples: Int16Array): number {
  let windows = 0
  for (let at = 0; at + 160 <= samples.length; at += 160) if (isLoud(samples.subarray(at, at + 160))) windows++
  return windows * 0.02
}

function isLoud(window: Int16Array): boolean {
  let power = 0
  for (const sample of window) power += sample * sample
  return Math.sqrt(power / window.length) > 100
}
