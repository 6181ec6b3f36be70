/** Rows of a pass: small, so that it never holds the database for long. */
export const retentionBatch = 500

const betweenBatchesMs = 250
const retryMs = 600_000
/** The longest wait, because the wall clock may step. */
const longestPauseMs = 3_600_000
const shortestPauseMs = 1000

/**
 * How long to wait after a pass. `isFull`: there may be more that is too old. `oldestUnix`: of the oldest event that is
 * left; undefined = there is none, or it cannot go yet.
 */
export function retentionPause(
  isFull: boolean,
  oldestUnix: number | undefined,
  keptMs: number,
  unixMs: number,
): number {
  if (isFull) return betweenBatchesMs
  const untilNext = oldestUnix === undefined ? longestPauseMs : oldestUnix + keptMs - unixMs
  return Math.min(longestPauseMs, Math.max(shortestPauseMs, untilNext))
}

/** The same after a pass that failed. */
export const retentionRetryMs = retryMs
