/**
 * How long an offer of ours waits after a 491, ms (RFC 3261 §14.1): the side that made the Call-ID 2.1 to 4 s, the other
 * 0 to 2 s, in steps of 10 ms. `fraction`: random, from 0 up to 1.
 */
export const glareWaitMs = (weCalled: boolean, fraction: number): number =>
  10 * Math.round(weCalled ? 210 + 190 * fraction : 200 * fraction)

/** The Retry-After of the 500 for an offer that may not come now: 0 to 10 s (RFC 3261 §14.2). */
export const retryAfterSeconds = (fraction: number): number => Math.floor(11 * fraction)
