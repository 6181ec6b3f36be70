/** Silence after which a leap to another source or place is accepted at once. */
const silentMs = 100

/** `first`: nothing came before. `restart`: another source, or the same at another place. `doubtful`: perhaps that. */
type SourceVerdict = 'same' | 'first' | 'restart' | 'doubtful'

/**
 * Decides which source is played. One odd packet does not make another source: it is accepted when a second one
 * follows, or when the one before has fallen silent (as RFC 3550 §A.1 does for leaps of the sequence number).
 */
export class SourceWatch {
  #ssrc = -1
  /** The source of the last doubtful packet, and the number that would follow the last doubtful leap. */
  #candidate = -1
  #awaited = -1
  #receivedAt = 0

  /** Judges a packet; `isFar`: its number is far from what this source was to send. */
  judge(ssrc: number, sequence: number, isFar: boolean, now: number): SourceVerdict {
    const isFirst = this.#ssrc < 0
    const isOther = ssrc !== this.#ssrc
    const isSilent = isFirst || now - this.#receivedAt > silentMs
    if (isOther && !isSilent && ssrc !== this.#candidate) {
      this.#candidate = ssrc
      return 'doubtful'
    }
    this.#candidate = -1
    if (!isOther && isFar && !isSilent && sequence !== this.#awaited) {
      this.#awaited = (sequence + 1) & 0xffff
      return 'doubtful'
    }
    this.#receivedAt = now
    if (!isOther && !isFar) return 'same'
    this.#ssrc = ssrc
    this.#awaited = -1
    return isFirst ? 'first' : 'restart'
  }
}
