import { sequenceOf, ssrcOf, timestampOf } from '../packet/header.ts'
import { sequenceDelta, timestampDelta } from '../packet/sequence.ts'

/** A timestamp may run ahead of the clock by this, when what was held up comes at once; beyond, it is a new beginning. */
export const maxLeadMs = 600

/** Packets of a stream that is repacked, in their order, and the holes between them. */
export class StreamOrder {
  /** The packet that came last follows nothing: another source, or another clock. */
  isRestart = true
  #hasBegun = false
  #ssrc = 0
  #sequence = 0
  #nextTime = 0
  #receivedAt = 0

  reset(): void {
    this.#hasBegun = false
  }

  /** The next packet, of `units`. Returns the units that are missing before it; −1 for one that comes too late. */
  follow(packet: Uint8Array, units: number, unitsPerMs: number, now: number): number {
    const ssrc = ssrcOf(packet)
    const sequence = sequenceOf(packet)
    const timestamp = timestampOf(packet)
    const isSame = this.#hasBegun && ssrc === this.#ssrc
    if (isSame && sequenceDelta(sequence, this.#sequence) <= 0) return -1
    const hole = timestampDelta(timestamp, this.#nextTime)
    this.isRestart = !isSame || hole < 0 || hole > (now - this.#receivedAt + maxLeadMs) * unitsPerMs
    this.#hasBegun = true
    this.#ssrc = ssrc
    this.#sequence = sequence
    this.#nextTime = (timestamp + units) >>> 0
    this.#receivedAt = now
    return this.isRestart ? 0 : hole
  }
}
