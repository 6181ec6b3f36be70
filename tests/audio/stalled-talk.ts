import { linearOfMuLaw } from '../../rtp/codec/g711-tables.ts'
import { writeHeader } from '../../rtp/index.ts'
import { LibOpus } from '../../rtp/io/index.ts'
import { SessionRecorder } from '../../rtp/record/session-recorder.ts'
import { streamTracks } from '../../rtp/record/stream-tracks.ts'
import { seeded } from '../rig/probes/seeded.ts'

const codecs = streamTracks(type => (type === 0 ? 'PCMU' : undefined), new LibOpus())
const perMs = 8
const frameMs = 20
const frame = frameMs * perMs
const tickMs = 5
/** From here on is recorded. */
const recordsFromMs = 1000

/** What stands still: our media thread, the remotes, or the machine with all of them. */
export type Still = 'thread' | 'remotes' | 'machine'

export interface Weather {
  readonly seed: number
  readonly minutes: number
  /** Stalls of 5 to 300 ms, some of them several in a row. */
  readonly stallsPerMinute?: number
  readonly who?: readonly Still[]
  /** The recording begins while something stands still. */
  readonly beginsStill?: boolean
  /** Such a share of the time remotes send late, by up to 15 ms for seconds. */
  readonly lateShare?: number
  /** How fast the remotes' clocks run against ours. */
  readonly ppm?: readonly [left: number, right: number]
}

interface Stall {
  readonly from: number
  readonly until: number
  readonly who: Still
}

const stallsOf = (weather: Weather, random: () => number): Stall[] => {
  const { stallsPerMinute = 0, who = ['thread', 'remotes', 'machine'], beginsStill = false } = weather
  const stalls: Stall[] = []
  const add = (from: number): number => {
    const until = from + 5 + 295 * random() * (random() < 0.5 ? 0.2 : 1)
    stalls.push({ from, until, who: who[Math.floor(random() * who.length)] ?? 'machine' })
    return until
  }
  let at = beginsStill ? add(recordsFromMs - 300 * random()) : 0
  while (stallsPerMinute > 0 && at < weather.minutes * 60_000) {
    at += (-Math.log(1 - random()) * 60_000) / stallsPerMinute
    for (let left = random() < 0.3 ? 2 + Math.floor(4 * random()) : 1; left > 0; left--) at = add(at) + 30 * random()
  }
  return stalls
}

/** When a remote sends each frame. */
const sendsOf = (weather: Weather, ppm: number, stalls: readonly Stall[], phase: number, random: () => number) => {
  const { lateShare = 0, minutes } = weather
  const sends: number[] = []
  let stall = 0
  let lateUntil = 0
  let lateMs = 0
  for (let n = 0; ; n++) {
    const due = phase + (frameMs * n) / (1 + ppm / 1e6)
    if (due > minutes * 60_000) return sends
    if (due > lateUntil) {
      // The first seconds are on time.
      lateMs = n > 0 && random() < lateShare ? 15 * random() : 0
      lateUntil = due + 2000 + 6000 * random()
    }
    let at = due + lateMs + random()
    while (stall < stalls.length && stalls[stall]!.until <= at) stall++
    const present = stalls[stall]
    if (present !== undefined && present.from <= at) at = present.until + 0.05
    sends.push(Math.max(at, sends.at(-1) ?? 0))
  }
}

/** No two places of what is said are alike, nor is it ever quiet. */
const codeAt = (at: number): number => {
  let x = Math.imul(at + 1, 0x9e37_79b1)
  x = Math.imul(x ^ (x >>> 15), 0x85eb_ca6b)
  x ^= x >>> 13
  return (x & 0x80) | ((x >>> 8) % 0x60)
}
const saidAt = (at: number): number => linearOfMuLaw[codeAt(at)]!

export interface RecordedSide {
  /** Samples that were not said. */
  readonly wrong: number
  /** Places at which samples are missing or there twice. */
  readonly slips: number
  /** Every second: by how much what lies there was said earlier, ms. */
  readonly lateMs: readonly number[]
}

const print = 40

/** Compares a side with what was sent; `saidAtMs`: when the sample with this index was sent. */
const compared = (heard: Int16Array, begunAt: number, saidAtMs: (at: number) => number): RecordedSide => {
  const stands = (from: number, ahead: number): boolean => {
    for (let i = 0; i < print; i++) if (heard[from + i] !== saidAt(from + i + ahead)) return false
    return true
  }
  const find = (from: number, around: number, reach: number): number | undefined => {
    for (let by = 0; by <= reach; by++) {
      if (stands(from, around + by)) return around + by
      if (stands(from, around - by)) return around - by
    }
    return undefined
  }
  let begin = 0
  while (begin < heard.length && heard[begin] === 0) begin++
  let end = heard.length
  while (end > begin && heard[end - 1] === 0) end--
  let wrong = 0
  let slips = 0
  const lateMs: number[] = []
  let ahead = find(begin, begunAt * perMs - begin, 8000)
  for (let i = begin; i < end; i++) {
    if (ahead !== undefined && i % 8000 === 0) lateMs.push(begunAt + i / perMs - saidAtMs(i + ahead))
    if (ahead !== undefined && heard[i] === saidAt(i + ahead)) continue
    const place = find(i, ahead ?? begunAt * perMs, ahead === undefined ? 8000 : 200)
    if (place === undefined) wrong++
    else {
      slips++
      ahead = place
    }
  }
  return { wrong, slips, lateMs }
}

/** Two remotes who never pause, on record through stalls of all kinds; on the left one, on the right the other. */
export function recordedThrough(weather: Weather): readonly [RecordedSide, RecordedSide] {
  const random = seeded(weather.seed)
  const stalls = stallsOf(weather, random)
  const ofThread = stalls.filter(({ who }) => who !== 'remotes')
  const ofFarEnds = stalls.filter(({ who }) => who !== 'thread')
  const far = (weather.ppm ?? [0, 0]).map((ppm, side) => {
    const phase = frameMs * random()
    const saidAtMs = (at: number) => phase + at / perMs / (1 + ppm / 1e6)
    return { ssrc: 7 + side, sends: sendsOf(weather, ppm, ofFarEnds, phase, random), sent: 0, saidAtMs }
  })
  const room = Math.ceil(weather.minutes * 60 * 8000) + 8000
  const heard = [new Int16Array(room), new Int16Array(room)] as const
  let frames = 0
  const sink = {
    hasFailed: false,
    write: (pcm: Int16Array, from: number, count: number) => {
      for (let i = from; i < from + count; i += 2, frames++) {
        heard[0][frames] = pcm[i]!
        heard[1][frames] = pcm[i + 1]!
      }
    },
    close: (_samples: number, done: (sizeBytes: number, hasFailed: boolean) => void) => done(0, false),
  }
  const rules = { channels: 'dual', track: 'both', maxLengthMs: 3_600_000 } as const
  let recorder: SessionRecorder | undefined
  let begunAt = 0
  const packet = new Uint8Array(12 + frame)
  const receive = (now: number): void => {
    for (const [side, end] of far.entries()) {
      for (; (end.sends[end.sent] ?? Infinity) <= now; end.sent++) {
        const timestamp = (end.sent * frame + 4_294_000_000) >>> 0
        writeHeader(packet, { payloadType: 0, marker: false, sequence: end.sent & 0xffff, timestamp, ssrc: end.ssrc })
        for (let i = 0; i < frame; i++) packet[12 + i] = codeAt(end.sent * frame + i)
        if (side === 0) recorder?.received(packet, packet.length, now)
        else recorder?.receivedByPeer('other', codecs, packet, packet.length, now)
      }
    }
  }
  let stall = 0
  let now = 0
  for (let due = tickMs; due < weather.minutes * 60_000; due = tickMs * Math.floor(now / tickMs) + tickMs) {
    while (stall < ofThread.length && ofThread[stall]!.until <= due) stall++
    const present = ofThread[stall]
    now = present !== undefined && present.from <= due ? present.until + 0.05 : due + 0.1 * random()
    if (recorder === undefined && now >= recordsFromMs) {
      begunAt = now
      recorder = new SessionRecorder('r', sink, rules, codecs, codecs, now)
    }
    receive(now)
    recorder?.tick(now)
  }
  recorder?.finish(now, () => {})
  const [left, right] = far
  if (left === undefined || right === undefined) throw new Error('two remotes')
  return [
    compared(heard[0].subarray(0, frames), begunAt, left.saidAtMs),
    compared(heard[1].subarray(0, frames), begunAt, right.saidAtMs),
  ]
}
