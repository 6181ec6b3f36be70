/** Recordings that are given to the storage at the same time. */
export const handedAtOnce = 4
/** A storage that has not answered by then has failed, ms. */
export const storageTimeoutMs = 600_000
/** Interval at which the folder is searched for recordings without an event, ms. */
export const lookEveryMs = 3_600_000

const firstPauseMs = 1000
const longestPauseMs = 300_000

/** How long a recording waits after so many attempts that failed in a row, ms. */
export const pauseAfterFailures = (failures: number): number =>
  Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures - 1, 20))
