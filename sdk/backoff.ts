const firstMs = 500
const longestMs = 20_000

/** Wait before the next attempt, in ms: doubles, and is spread, so that a restarted switch does not meet all phones at once. */
export const backoffMs = (attempt: number, fraction: number): number =>
  Math.round(Math.min(longestMs, firstMs * 2 ** Math.min(attempt, 10)) * (0.5 + fraction / 2))
