import { sequenceOf, ssrcOf, timestampOf } from '../packet/header.ts'
import { sequenceDelta, timestampDelta } from '../packet/sequence.ts'

/** Longest payload that is taken, and room for what a shorter one leaves over. */
const capacity = 2048

/**
 * Packs a stream anew for a far end that asked for another ptime: bytes of consecutive packets become frames of
 * `frameBytes`. At a hole what waits goes out shortened by nothing but the hole itself: the rest of the frame is
 * dropped, and the next begins with the next packet. Late packets are lost.
 */
export class Repacker {
  readonly #bytes = new Uint8Array(capacity)
  #waiting = 0
  #started = false
  #ssrc = 0
  #sequence = 0
  #nextTime = 0

  /** Samples missing before the next frame, to be skipped on the media clock. */
  missing = 0

  reset(): void {
    this.#started = false
    this.#waiting = 0
    this.missing = 0
  }

  /** Takes `length` bytes of payload from `packet[from]` on, a byte a sample. Returns false for a late packet. */
  push(packet: Uint8Array, from: number, length: number): boolean {
    const ssrc = ssrcOf(packet)
    const sequence = sequenceOf(packet)
    const timestamp = timestampOf(packet)
    if (!this.#started || ssrc !== this.#ssrc) {
      this.#started = true
      this.#waiting = 0
      this.missing = 0
    } else {
      if (sequenceDelta(sequence, this.#sequence) <= 0) return false
      const hole = timestampDelta(timestamp, this.#nextTime)
      if (hole !== 0) {
        this.missing = this.#waiting + Math.max(0, hole)
        this.#waiting = 0
      }
    }
    this.#ssrc = ssrc
    this.#sequence = sequence
    this.#nextTime = (timestamp + length) >>> 0
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
