import { mostOpusFrames } from './opus-frames.ts'

/** RFC 6716 §3.4, R2. */
const longestFrame = 1275
/** A packet of several frames stays within what recordings, and networks, take. */
const mostBytes = 1200
/** RFC 6716 §3.2.5: what says that each frame gives its length. */
const hasLengths = 0x80

/** Puts frames of one kind into one packet (RFC 6716 §3.2), as they are. */
export class OpusPacker {
  readonly #bytes = new Uint8Array(longestFrame)
  readonly #lengths = new Uint16Array(mostOpusFrames)
  #count = 0
  #used = 0
  #kind = 0
  #units = 0

  get isEmpty(): boolean {
    return this.#count === 0
  }
  /** 48,000ths of a second that wait. */
  get units(): number {
    return this.#units
  }

  /** A frame of that kind and length may follow what waits, in a packet of `mostUnits`. Any may be the first. */
  fits(kind: number, length: number, units: number, mostUnits: number): boolean {
    if (this.#count === 0) return true
    // The first byte, the one after it, and two for each length.
    const bytes = this.#used + length + 2 + 2 * this.#count
    const isShort = this.#units + units <= mostUnits && this.#count < mostOpusFrames
    return kind === this.#kind && isShort && bytes <= mostBytes
  }

  /** Adds a frame that fits. */
  add(kind: number, payload: Uint8Array, from: number, length: number, units: number): void {
    this.#kind = kind
    this.#lengths[this.#count++] = length
    for (let i = 0; i < length; i++) this.#bytes[this.#used + i] = payload[from + i]!
    this.#used += length
    this.#units += units
  }

  /** Writes the packet; nothing waits any more. Returns its bytes. */
  takeInto(into: Uint8Array, at: number): number {
    let end = at
    into[end++] = this.#count === 1 ? this.#kind : this.#kind | 3
    if (this.#count > 1) {
      into[end++] = hasLengths | this.#count
      for (let i = 0; i < this.#count - 1; i++) {
        const length = this.#lengths[i]!
        const low = length < 252 ? length : 252 + (length & 3)
        into[end++] = low
        if (length >= 252) into[end++] = (length - low) >> 2
      }
    }
    for (let i = 0; i < this.#used; i++) into[end + i] = this.#bytes[i]!
    end += this.#used
    this.drop()
    return end - at
  }

  drop(): void {
    this.#count = 0
    this.#used = 0
    this.#units = 0
  }
}
