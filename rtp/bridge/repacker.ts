import type { AudioCodecName } from '../codec/codec-name.ts'
import { silenceInto } from '../codec/silence.ts'
import { StreamOrder } from './stream-order.ts'

/** Longest payload that is taken, and room for what a shorter one leaves over. */
const capacity = 2048
const unitsPerMs = 8

/**
 * Packs a stream again for a remote that asked for another ptime: bytes of consecutive packets, a byte a unit, become
 * frames of `frameBytes`. What is missing within a frame is silent; a hole after it is left to the stream's clock. Late
 * packets are lost.
 */
export class Repacker {
  readonly #bytes = new Uint8Array(capacity)
  readonly #order = new StreamOrder()
  #waiting = 0
  /** Silence that has gone out ahead of what is missing. */
  #ahead = 0

  /** Bytes that have not gone out. */
  get waiting(): number {
    return this.#waiting
  }
  /** The packet that was followed last follows nothing: another source, or another clock. */
  get isRestart(): boolean {
    return this.#order.isRestart
  }

  reset(): void {
    this.#order.reset()
    this.#waiting = 0
    this.#ahead = 0
  }

  /** A packet of `length` bytes comes. Returns the bytes that are missing before it; −1 for one that comes too late. */
  follow(packet: Uint8Array, length: number, now: number): number {
    const missing = this.#order.follow(packet, length, unitsPerMs, now)
    if (missing < 0) return missing
    const ahead = this.#ahead
    this.#ahead = 0
    return Math.max(0, missing - ahead)
  }

  /** Silence for `missing` bytes, as far as the frame that waits has room; returns them. Nothing is begun with it. */
  fill(missing: number, frameBytes: number, codec: Exclude<AudioCodecName, 'opus'>): number {
    if (this.#waiting === 0) return 0
    const count = Math.min(missing, frameBytes - this.#waiting)
    silenceInto(this.#bytes, this.#waiting, codec, count / unitsPerMs)
    this.#waiting += count
    return count
  }

  /** Audio has been missing for so long that what waits is sent, filled up with silence. */
  complete(frameBytes: number, codec: Exclude<AudioCodecName, 'opus'>): void {
    this.#ahead += this.fill(frameBytes, frameBytes, codec)
  }

  /** The packet's bytes, from `packet[from]` on. */
  add(packet: Uint8Array, from: number, length: number): void {
    if (this.#waiting + length > capacity) this.#waiting = 0
    for (let i = 0; i < length; i++) this.#bytes[this.#waiting + i] = packet[from + i]!
    this.#waiting += length
  }

  /** Moves one frame to `into[at]`; false when less than that waits. */
  takeInto(into: Uint8Array, at: number, frameBytes: number): boolean {
    if (this.#waiting < frameBytes) return false
    for (let i = 0; i < frameBytes; i++) into[at + i] = this.#bytes[i]!
    this.#bytes.copyWithin(0, frameBytes, this.#waiting)
    this.#waiting -= frameBytes
    return true
  }
}
