/** What a session has counted. */
export interface SessionStats {
  /** The codec that was last sent; undefined = never agreed on one. */
  readonly codec: string | undefined
  readonly packetsReceived: number
  readonly packetsSent: number
  readonly packetsLost: number
  /** Came after their place was given up. */
  readonly packetsLate: number
  /** Refused: malformed, of an unknown payload type, from a source that is not believed. */
  readonly packetsDropped: number
  readonly jitterMs: number
  readonly roundTripMs: number | undefined
}

export const noStats: SessionStats = {
  codec: undefined,
  packetsReceived: 0,
  packetsSent: 0,
  packetsLost: 0,
  packetsLate: 0,
  packetsDropped: 0,
  jitterMs: 0,
  roundTripMs: undefined,
}
