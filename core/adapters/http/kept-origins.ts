/** A server that closes its connection after an answer, and did not say so, has been seen to by then. */
const closingMs = 10
/** More are forgotten, and met as if for the first time. */
const mostOrigins = 1000

/** One server of an owner. */
export interface Origin {
  /** Connections that were opened to it. */
  connects: number
  /** When the last answer had come; −Infinity: none has. */
  answeredAt: number
  /** A connection that had served before has served again. */
  isKept: boolean
}

/**
 * Which servers keep their connections. Some close after each answer without a word (RFC 9112 §9.6 asks for `close`), and a
 * request that comes at once meets the closing connection: it is lost where it must not go twice.
 */
export class KeptOrigins {
  readonly #origins = new Map<string, Origin>()

  of(origin: string): Origin {
    const known = this.#origins.get(origin)
    if (known !== undefined) return known
    if (this.#origins.size >= mostOrigins) this.#origins.clear()
    const made = { connects: 0, answeredAt: Number.NEGATIVE_INFINITY, isKept: false }
    this.#origins.set(origin, made)
    return made
  }
}

/** How long the next request waits for it to close, ms. */
export const closesWithinMs = ({ answeredAt, isKept }: Origin, now: number): number =>
  isKept ? 0 : Math.max(0, answeredAt + closingMs - now)
