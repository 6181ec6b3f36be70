import { sequenceDelta } from '../packet/sequence.ts'

/** Most rollovers of a sequence number: the index has 48 bits (RFC 3711 §3.3.1). */
const mostRollovers = 0xffff_ffff

/** How often a stream's sequence number has wrapped. Guessing changes nothing; `advance` only after authentication. */
export class Rollover {
  #count = 0
  /** Undefined before the first packet. */
  #highest: number | undefined

  /** A packet was real. */
  get hasBegun(): boolean {
    return this.#highest !== undefined
  }

  /** The rollover count that a packet with this sequence number most likely has; -1 when the index is used up. */
  guess(sequence: number): number {
    const highest = this.#highest
    if (highest === undefined) return 0
    const step = sequenceDelta(sequence, highest)
    const wrapped = step > 0 && sequence < highest ? 1 : step < 0 && sequence > highest ? -1 : 0
    const count = this.#count + wrapped
    return count > mostRollovers || count < 0 ? -1 : count
  }

  /** A packet with this sequence number was real, with that count. */
  advance(sequence: number, count: number): void {
    const isNewer =
      this.#highest === undefined ||
      count > this.#count ||
      (count === this.#count && sequenceDelta(sequence, this.#highest) > 0)
    if (!isNewer) return
    this.#highest = sequence
    this.#count = count
  }
}

/** The 48-bit index of a packet, exact as a number. */
export const indexOf = (sequence: number, rollover: number): number => rollover * 0x1_0000 + sequence
