const pieceLength = 65_536
/** What is longer has memory of its own: else little of it would fit, and the rest of a piece would be lost. */
const mostOctets = 4096

/**
 * Memory for messages: a hundred of them share a piece. V8 keeps an account of each piece, and goes through all of them
 * in a collection of garbage, for which calls wait. A piece is freed with the last of its messages: one pool is for messages that
 * are let go after about the same time, and a call that lives on keeps none of them.
 */
export class OctetPool {
  #piece = new Uint8Array(0)
  #at = 0

  /** A copy, in memory of its own when it is long. */
  copy(octets: Uint8Array): Uint8Array {
    const { length } = octets
    if (length > mostOctets) return octets.slice()
    if (this.#at + length > this.#piece.length) {
      this.#piece = new Uint8Array(pieceLength)
      this.#at = 0
    }
    const copy = this.#piece.subarray(this.#at, this.#at + length)
    copy.set(octets)
    this.#at += length
    return copy
  }
}
