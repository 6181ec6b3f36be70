import { packetsToLearn } from './symmetric-rtp.ts'

/** Longer packets are not worth the room: 120 ms of G.711 and a header with an extension. */
const longest = 1080

/**
 * The packets of a candidate source: once it is learned they are played after all, so that a remote behind a NAT
 * loses nothing of its first words. Room is made at the first need, once.
 */
export class HeldPackets {
  #slots: Uint8Array[] | undefined
  readonly #lengths: number[] = []
  #count = 0

  get count(): number {
    return this.#count
  }

  /** The `nth` packet of the candidate, from 1. Packets of another candidate are forgotten. */
  hold(packet: Uint8Array, length: number, nth: number): void {
    if (nth === 1) this.#count = 0
    if (nth !== this.#count + 1 || nth > packetsToLearn || length > longest) {
      this.#count = 0
      return
    }
    this.#slots ??= Array.from({ length: packetsToLearn }, () => new Uint8Array(longest))
    const slot = this.#slots[this.#count]!
    for (let i = 0; i < length; i++) slot[i] = packet[i]!
    this.#lengths[this.#count] = length
    this.#count++
  }

  /** Copies the packet at that place into `into`; returns its length. */
  copyInto(into: Uint8Array, at: number): number {
    const slot = this.#slots?.[at]
    const length = this.#lengths[at]
    if (slot === undefined || length === undefined) return 0
    for (let i = 0; i < length; i++) into[i] = slot[i]!
    return length
  }

  clear(): void {
    this.#count = 0
  }
}
