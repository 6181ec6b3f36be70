import { codecFacts } from '../codec/codec-name.ts'
import type { PayloadKind } from './payload-types.ts'

/** What was left out since a remote sent more than any talker does, of all sessions of a thread. */
export interface ArrivalDrops {
  excess: number
}

/** A second and a half of audio each second: no clock is that wrong. */
const mediaMsPerMs = 1.5
/** What a network may give all at once after it has stalled; later it would be of no use to anyone. */
const mostMediaMs = 10_000
/** Packets of 2.5 ms, and a few of digits. */
const packetsPerMs = 0.5
/** Those 10 s in packets of 10 ms. */
const mostPackets = 1000
/** Reports come every few seconds, those with feedback (RFC 4585) some times a second. */
const reportsPerMs = 0.02
const mostReports = 40

/** So much in a ms, and so much at once after a pause. */
class Bucket {
  readonly #perMs: number
  readonly #most: number
  #left: number
  #at = 0

  constructor(perMs: number, most: number) {
    this.#perMs = perMs
    this.#most = most
    this.#left = most
  }

  take(amount: number, now: number): boolean {
    this.#left = Math.min(this.#most, this.#left + (now - this.#at) * this.#perMs)
    this.#at = now
    if (amount > this.#left) return false
    this.#left -= amount
    return true
  }
}

/**
 * How much of one remote is listened to: packets, the audio in them, and reports. What it sends is decoded, recorded and
 * mixed by its own timestamps: without a bound one remote could occupy its thread, and fill an hour of a recording in a
 * minute.
 */
export class ArrivalAllowance {
  readonly #drops: ArrivalDrops
  readonly #media = new Bucket(mediaMsPerMs, mostMediaMs)
  readonly #packets = new Bucket(packetsPerMs, mostPackets)
  readonly #reports = new Bucket(reportsPerMs, mostReports)

  constructor(drops: ArrivalDrops) {
    this.#drops = drops
  }

  admitsPacket(payload: Uint8Array, from: number, length: number, kind: PayloadKind, now: number): boolean {
    const mediaMs = kind === 'events' || kind === 'noise' ? 0 : mediaMsIn(payload, from, length, kind)
    if (this.#packets.take(1, now) && this.#media.take(mediaMs, now)) return true
    this.#drops.excess++
    return false
  }

  admitsReport(now: number): boolean {
    if (this.#reports.take(1, now)) return true
    this.#drops.excess++
    return false
  }
}

const mediaMsIn = (
  payload: Uint8Array,
  from: number,
  length: number,
  codec: Exclude<PayloadKind, 'events' | 'noise'>,
): number => {
  const { unitsIn, clockRate } = codecFacts[codec]
  return (unitsIn(payload, from, length) * 1000) / clockRate
}
