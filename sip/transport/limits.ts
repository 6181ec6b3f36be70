/** How much the network may hold of us. */
export interface TransportLimits {
  /** Stream connections at once, both directions. Default 2,000. */
  readonly connections: number
  /** From one address. Default 200. */
  readonly connectionsPerAddress: number
  /** A connection without a whole message or a ping for so long is closed. Default 15 minutes. */
  readonly idleMs: number
  /** So long a message that has begun may take to arrive. Default 20 s. */
  readonly partialMs: number
  readonly connectMs: number
  /** Bytes that a peer does not take before its connection is closed. Default 1 MB. */
  readonly unsentBytes: number
}

export const defaultTransportLimits: TransportLimits = Object.freeze({
  connections: 2_000,
  connectionsPerAddress: 200,
  idleMs: 900_000,
  partialMs: 20_000,
  connectMs: 8_000,
  unsentBytes: 1024 * 1024,
})
