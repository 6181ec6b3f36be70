/** More pieces than this, of fewer octets than that on average, are too many. */
const mostSmallPieces = 1024
const leastAverageBytes = 16

/** Pieces of a body: chunks (RFC 9112 §7.1) or reads of a socket. Each costs a Buffer and some calls, however short it is. */
export class PieceCount {
  #pieces = 0
  #length = 0

  /** Counts a piece of so many octets; false: the body comes in too many small pieces. */
  add(bytes: number): boolean {
    this.#length += bytes
    return ++this.#pieces <= mostSmallPieces || this.#length >= leastAverageBytes * this.#pieces
  }
}
