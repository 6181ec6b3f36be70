/** Rows of a pass: small, so that a night of many expiries never holds the database or the disk for long. */
export const purgeBatch = 50

const betweenBatchesMs = 250
const retryMs = 600_000
/** The wall clock may step, and a recording may be made with an earlier expiry than all others: look anyway. */
const longestPauseMs = 3_600_000
const shortestPauseMs = 1000

export interface PurgePass {
  /** The batch was full: there may be more that is due. */
  readonly isFull: boolean
  /** Files that could not be removed. */
  readonly failed: number
}

/** How long to wait after a pass. `nextExpiryUnix`: of what is still to be purged; undefined = nothing is. */
export function pauseAfter(pass: PurgePass, nextExpiryUnix: number | undefined, unixMs: number): number {
  if (pass.isFull) return betweenBatchesMs
  // What failed is due already, so its expiry says nothing about when to come back.
  if (pass.failed > 0) return retryMs
  const untilNext = nextExpiryUnix === undefined ? longestPauseMs : nextExpiryUnix - unixMs
  return Math.min(longestPauseMs, Math.max(shortestPauseMs, untilNext))
}
