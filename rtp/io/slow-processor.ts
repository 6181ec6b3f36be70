const leastWaitMs = 20
const mostWaitMs = 1000
/** A thread that missed no tick for this long was on a good processor. */
const wellMs = 50

/**
 * A host that has other guests may give a virtual machine less of one processor than of the next, for tenths of a second,
 * and a thread that never sleeps stays where it is: one that falls after its ticks tries another. Where that is no
 * better it is not the processor, and the next try waits longer.
 */
export class SlowProcessor {
  readonly #leave: () => boolean
  #behindAt = Number.NEGATIVE_INFINITY
  #leftAt = Number.NEGATIVE_INFINITY
  #waitMs = leastWaitMs
  /** How often it was left. */
  left = 0

  /** `leave` returns false where there is no other processor. */
  constructor(leave: () => boolean) {
    this.#leave = leave
  }

  /** The thread is after a whole tick. */
  fellBehind(now: number): void {
    if (now - this.#behindAt > wellMs) this.#waitMs = leastWaitMs
    this.#behindAt = now
    if (now - this.#leftAt < this.#waitMs) return
    this.#waitMs = Math.min(mostWaitMs, 2 * this.#waitMs)
    this.#leftAt = now
    if (this.#leave()) this.left++
  }
}
