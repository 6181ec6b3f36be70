const leastWaitMs = 20
const mostWaitMs = 1000

/**
 * A host that has other guests may give a virtual machine less of one processor than of the next, for tenths of a second,
 * and a thread that never sleeps stays where it is: one that falls behind its ticks tries another. Where that is no
 * better it is not the processor, and the next try waits longer.
 */
export class SlowProcessor {
  readonly #leave: () => boolean
  #leftAt = Number.NEGATIVE_INFINITY
  #waitMs = leastWaitMs
  /** How often it was left. */
  left = 0

  constructor(leave: () => boolean) {
    this.#leave = leave
  }

  /** The thread is behind a whole tick. */
  fellBehind(now: number): void {
    const sinceMs = now - this.#leftAt
    if (sinceMs < this.#waitMs) return
    this.#waitMs = sinceMs > mostWaitMs ? leastWaitMs : Math.min(mostWaitMs, 2 * this.#waitMs)
    this.#leftAt = now
    if (this.#leave()) this.left++
  }
}
