/** Time that a failed lane is not used; doubled with each further failure. */
const firstRestMs = 1000
const longestRestMs = 60_000

/**
 * Whether a lane is worth asking. One that failed rests; then a single job tries it, while the others still go elsewhere:
 * a server that hangs costs one caller's patience a minute, not everybody's. Times are monotonic milliseconds.
 */
export class LaneHealth {
  #failures = 0
  #restsUntil = Number.NEGATIVE_INFINITY

  get isWell(): boolean {
    return this.#failures === 0
  }

  /** May this job try? After failures one job is let in and tries it for the others, for at most `patienceMs`. */
  admits(now: number, patienceMs: number): boolean {
    if (this.#failures === 0) return true
    if (now < this.#restsUntil) return false
    this.#restsUntil = now + patienceMs
    return true
  }

  /** Returns how long the lane is not used. */
  failed(now: number): number {
    const restMs = Math.min(longestRestMs, firstRestMs * 2 ** Math.min(this.#failures, 10))
    this.#failures++
    this.#restsUntil = now + restMs
    return restMs
  }

  /** Returns whether it had been sick. */
  spoke(): boolean {
    const wasSick = this.#failures > 0
    this.#failures = 0
    this.#restsUntil = Number.NEGATIVE_INFINITY
    return wasSick
  }
}
