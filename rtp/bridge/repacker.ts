import { Succession } from './succession.ts'

/** Longest payload that is taken, and room for what a shorter one leaves over. */
const capacity = 2048
const unitsPerMs = 8

/**
 * Packs a stream anew for a far end that asked for another ptime: bytes of consecutive packets become frames of
 * `frameBytes`. At a hole what waits goes out shortened by nothing but the hole itself: the rest of the frame is
 * dropped, and the next begins with the next packet. Late packets are lost.
 */
export class Repacker {
  readonly #bytes = new Uint8Array(capacity)
  readonly #succession = new Succession()
  #waiting = 0

  /** Samples missing before the next frame, to be skipped on the media clock. */
  missing = 0

  reset(): void {
    this.#succession.reset()
    this.#waiting = 0
    this.missing = 0
  }

  /** Takes `length` bytes of payload from `packet[from]` on, a byte a sample. Returns false for a late packet. */
  push(packet: Uint8Array, from: number, length: number, now: number): boolean {
    const missing = this.#succession.follow(packet, length, unitsPerMs, now)
    if (missing < 0) return false
    if (this.#succession.isAnew) {
      this.#waiting = 0
      this.missing = 0
    } else if (missing > 0) {
      this.missing = this.#waiting + missing
      this.#waiting = 0
    }
    if (this.#waiting + length > capacity) this.#waiting = 0
    for (let i = 0; i < length; i++) this.#bytes[this.#waiting + i] = packet[from + i]!
    this.#waiting += length
    return true
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
