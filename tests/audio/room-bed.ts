import { LibOpus } from '../../rtp/io/index.ts'
import { Room } from '../../rtp/mix/room.ts'
import type { Seat } from '../../rtp/mix/seat.ts'
import { seeded } from '../rig/probes/seeded.ts'
import type { FakeSeat } from '../rtp/bed/fake-seat.ts'

export const frame = 160
export const opus = new LibOpus()

export const roomOf = (...seats: FakeSeat[]): Room => {
  const host = {
    opus,
    failed: (_seat: Seat, error: unknown) => {
      throw error
    },
  }
  const room = new Room(host, undefined, 0)
  for (const seat of seats) room.join(seat, false)
  return room
}

export const run = (room: Room, frames: number, from = 0): void => {
  for (let n = 0; n < frames; n++) room.tick(from + 20 * n)
}

/** Loud noise: no gate takes it for silence. */
export const noise = (samples: number, seed: number, level = 12_000): Int16Array => {
  const random = seeded(seed)
  return Int16Array.from({ length: samples }, () => Math.round((random() - 0.5) * 2 * level))
}

export const clip = (value: number): number => Math.max(-32_768, Math.min(32_767, value))
