import { setImmediate as turn } from 'node:timers/promises'
import type { AudioCodecName } from '../rtp/codec/codec-name.ts'
import { StreamEncoder } from '../rtp/codec/stream-encoder.ts'
import { LibOpus } from '../rtp/io/index.ts'
import { mixRateOf, samplesOfFrame } from '../rtp/mix/mix-rate.ts'
import { Room } from '../rtp/mix/room.ts'
import type { Seat, SeatFormat } from '../rtp/mix/seat.ts'
import { type Figure, ratioOf } from './report.ts'

// Question: what does a frame of 20 ms of a room cost, mixed and encoded for all, against a mix made again for each
// member? Three speak, one of them over another; the rest is quiet, as in a meeting. Packets in and out are not in it.

const sizes = [3, 10, 50] as const
const codecs: readonly AudioCodecName[] = ['PCMU', 'opus']
const speakers = 3
const longestPayload = 1276

/** A member that sends noise, loud or quiet, and counts what it receives. */
class BenchSeat implements Seat {
  readonly format: SeatFormat
  readonly receivesMix = true
  readonly lossPercent = 0
  bytes = 0
  readonly #voice: Int16Array
  #at: number

  constructor(codec: AudioCodecName, n: number) {
    this.format = { codec, frameMs: 20 }
    const level = n < speakers ? 6000 : 20
    this.#voice = Int16Array.from({ length: 16_000 }, (_, i) => Math.round(level * Math.sin(i * (0.05 + n / 300))))
    this.#at = n * 31
  }

  readInto(pcm: Int16Array, count: number): void {
    for (let i = 0; i < count; i++) pcm[i] = this.#voice[(this.#at + i) % this.#voice.length]!
    this.#at += count
  }

  sendMix(_payload: Uint8Array, length: number): void {
    this.bytes += length
  }

  release(): void {}
}

/** For each member the sum of all others, and a coder of its own. */
function naive(seats: readonly BenchSeat[], codec: AudioCodecName, opus: LibOpus) {
  const rate = mixRateOf(codec)
  const count = samplesOfFrame(rate)
  const pcms = seats.map(() => new Int16Array(count))
  const encoders = seats.map(() => new StreamEncoder(codec, rate, opus, undefined))
  const mix = new Int16Array(count)
  const payload = new Uint8Array(longestPayload)
  return {
    frame: () => {
      for (const [n, seat] of seats.entries()) seat.readInto(pcms[n]!, count)
      for (const [n, seat] of seats.entries()) {
        for (let i = 0; i < count; i++) {
          let sum = 0
          for (let m = 0; m < pcms.length; m++) if (m !== n) sum += pcms[m]![i]!
          mix[i] = Math.max(-32_768, Math.min(32_767, sum))
        }
        seat.sendMix(payload, encoders[n]!.encodeInto(payload, 0, mix, 0, count))
      }
    },
    free: () => {
      for (const encoder of encoders) encoder.free()
    },
  }
}

function roomOf(seats: readonly BenchSeat[], opus: LibOpus) {
  const host = {
    opus,
    failed: (_seat: Seat, error: unknown) => {
      throw error
    },
  }
  const room = new Room(host, undefined, 0)
  for (const seat of seats) room.join(seat, false)
  let now = 0
  return {
    frame: () => {
      room.tick(now)
      now += 20
    },
    free: () => room.close(),
  }
}

export async function run(short: boolean): Promise<Figure[]> {
  const opus = new LibOpus()
  await opus.warm()
  const figures: Omit<Figure, 'ratio'>[] = []
  for (const codec of codecs) {
    for (const size of sizes) {
      const frames = Math.ceil((short ? 4 : 40) * (codec === 'opus' ? 1 : 10))
      const rounds = 10
      const members = () => Array.from({ length: size }, (_, n) => new BenchSeat(codec, n))
      const subjects = [roomOf(members(), opus), naive(members(), codec, opus)]
      // The first frames ask for coders, which are made between turns.
      for (const { frame } of subjects) frame()
      await turn()
      await turn()
      for (const { frame } of subjects) for (let n = 0; n < frames; n++) frame()
      const costs = subjects.map((): number[] => [])
      for (let round = 0; round < rounds; round++) {
        // Round by round in turn, so that the machine's moods meet both.
        for (const [at, { frame }] of subjects.entries()) {
          const began = process.cpuUsage()
          for (let n = 0; n < frames; n++) frame()
          const { user, system } = process.cpuUsage(began)
          costs[at]!.push((user + system) / frames)
        }
      }
      for (const subject of subjects) subject.free()
      const [ours, theirs] = costs.map(median)
      figures.push({
        what: `frame of a room of ${size}, ${codec}`,
        value: ours ?? 0,
        unit: 'µs',
        baseline: theirs ?? 0,
        of: 'a sum and an encoder for each member',
      })
    }
  }
  return figures.map(figure => ({ ...figure, ratio: ratioOf(figure) }))
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0
