interface Use {
  highest: number
  /** Bit n: `highest - n` was seen. */
  seen: number
}

const width = 32

/**
 * Nonce counts that were used (RFC 7616 §3.4.5), so that credentials seen on the wire cannot be sent again. Counts may
 * come a little out of order, as UDP brings them. Only ask with credentials that have proved right.
 */
export class NonceCounts {
  readonly #uses = new Map<string, Use>()
  readonly #capacity: number

  /** Remembers this many nonces, the latest used. Default 4096. */
  constructor(capacity = 4096) {
    this.#capacity = capacity
  }

  /** Whether this count of this nonce comes for the first time; it is then used up. */
  accept(nonce: string, nc: number): boolean {
    const use = this.#uses.get(nonce)
    if (use === undefined) {
      if (this.#uses.size >= this.#capacity) {
        for (const oldest of this.#uses.keys()) {
          this.#uses.delete(oldest)
          break
        }
      }
      this.#uses.set(nonce, { highest: nc, seen: 1 })
      return true
    }
    this.#uses.delete(nonce)
    this.#uses.set(nonce, use)
    return advance(use, nc)
  }
}

function advance(use: Use, nc: number): boolean {
  if (nc > use.highest) {
    const ahead = nc - use.highest
    use.seen = ahead >= width ? 1 : ((use.seen << ahead) | 1) >>> 0
    use.highest = nc
    return true
  }
  const age = use.highest - nc
  if (age >= width || ((use.seen >>> age) & 1) === 1) return false
  use.seen = (use.seen | (1 << age)) >>> 0
  return true
}
