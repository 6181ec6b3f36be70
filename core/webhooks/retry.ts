/** Pauses before the retries of a status callback; each counts from the end of the try before it. */
export const retryDelaysMs: readonly number[] = [30_000, 60_000, 120_000, 240_000, 480_000]

/** One try, and a retry after each pause. */
export const maxTries = 1 + retryDelaysMs.length

/** The pause after `tries` failed tries; undefined = the callback is given up. */
export const retryDelayMs = (tries: number): number | undefined => retryDelaysMs[tries - 1]
