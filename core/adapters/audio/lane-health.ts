/** Time that a failed lane is not used; doubled with each further failure. */
const firstPauseMs = 1000
const longestPauseMs = 60_000

/**
 * Whether a lane may be used. A failed one is paused; then a single job tries it, while the others still go
 * elsewhere: a server that hangs delays one caller a minute, not all. Times are monotonic milliseconds.
 */
export class LaneHealth {
  #failures = 0
  #pausedUntil = Number.NEGATIVE_INFINITY

  get isWell(): boolean {
    return this.#failures === 0
  }

  /** May this job try? After failures one job is let in and tries it for the others, for at most `patienceMs`. */
  admits(now: number, patienceMs: number): boolean {
    if (this.#failures === 0) return true
    if (now < this.#pausedUntil) return false
    this.#pausedUntil = now + patienceMs
    return true
  }

  /** Returns how long the lane is not used. */
  failed(now: number): number {
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(this.#failures, 10))
    this.#failures++
    this.#pausedUntil = now + pauseMs
    return pauseMs
  }

  /** Returns whether it had been sick. */
  spoke(): boolean {
    const wasSick = this.#failures > 0
    this.#failures = 0
    this.#pausedUntil = Number.NEGATIVE_INFINITY
    return wasSick
  }
}
