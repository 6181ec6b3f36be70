const none = new Uint8Array()
const leastCapacity = 4096

/** Bytes that came and were not yet used. Appending costs a constant per byte, however small the pieces. */
export class ReceiveBuffer {
  #bytes: Uint8Array = none
  #start = 0
  #end = 0

  get length(): number {
    return this.#end - this.#start
  }

  append(chunk: Uint8Array): void {
    const live = this.length
    const needed = live + chunk.length
    if (this.#end + chunk.length > this.#bytes.length) {
      // At least half stays free after a move, so that moves are rare against the bytes appended.
      if (needed * 2 > this.#bytes.length) {
        const grown = new Uint8Array(Math.max(needed * 2, leastCapacity))
        grown.set(this.#bytes.subarray(this.#start, this.#end))
        this.#bytes = grown
      } else this.#bytes.copyWithin(0, this.#start, this.#end)
      this.#start = 0
      this.#end = live
    }
    this.#bytes.set(chunk, this.#end)
    this.#end += chunk.length
  }

  /** The byte at `at` from the first unused one; undefined beyond the last. */
  at(at: number): number | undefined {
    return at < this.length ? this.#bytes[this.#start + at] : undefined
  }

  /** Where the next such byte is at or after `from`; -1 = nowhere. */
  indexOf(byte: number, from: number): number {
    // A view, so that the search stops where the bytes do and not where the memory does.
    const found = this.#bytes.subarray(this.#start + from, this.#end).indexOf(byte)
    return found === -1 ? -1 : found + from
  }

  /** A view of the first bytes: valid until the next `append`. */
  view(length: number): Uint8Array {
    return this.#bytes.subarray(this.#start, this.#start + length)
  }

  /** Uses up the first bytes. An empty buffer holds no memory. */
  discard(length: number): void {
    this.#start += length
    if (this.#start < this.#end) return
    this.#bytes = none
    this.#start = 0
    this.#end = 0
  }
}
