/** How a stream of packets arrived. */
export interface Arrival {
  readonly packetsReceived: number
  readonly packetsLost: number
  readonly jitterMs: number
  readonly roundTripMs: number | undefined
}

/** G.107's default rating of a line without impairments. */
const bestRating = 93.2
/** Robustness of G.711 with concealment against random loss (G.113 table I.4). */
const lossRobustness = 25.1
/** Beyond it people notice that they talk over each other (G.107, simplified). */
const noticedDelayMs = 177.3
const packetMs = 20

/**
 * Mean opinion score from 1 (unusable) to 4.4 (as G.711 can be), estimated by the simplified E-model of G.107: what
 * loss, the jitter buffer's delay and half of the round trip do to a conversation. Undefined before the first packet.
 */
export function opinionScore({ packetsReceived, packetsLost, jitterMs, roundTripMs }: Arrival): number | undefined {
  const expected = packetsReceived + Math.max(0, packetsLost)
  if (packetsReceived <= 0) return undefined
  const lossPercent = (100 * Math.max(0, packetsLost)) / expected
  const delayMs = (roundTripMs ?? 0) / 2 + 2 * jitterMs + packetMs
  const delayImpairment = 0.024 * delayMs + 0.11 * Math.max(0, delayMs - noticedDelayMs)
  const lossImpairment = (95 * lossPercent) / (lossPercent + lossRobustness)
  const rating = Math.min(100, Math.max(0, bestRating - delayImpairment - lossImpairment))
  return Math.max(1, 1 + 0.035 * rating + 7e-6 * rating * (rating - 60) * (100 - rating))
}
