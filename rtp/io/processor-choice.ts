const leastWaitMs = 20
const mostWaitMs = 1000
/** A thread that missed no tick for this long was on a good processor. */
const wellMs = 50
/** Before it stands aside again. The system moves the other thread, too, and neither is to run after the other. */
const asideWaitMs = 20
/** What is late is lost: a processor that was slow is left to the other thread for this long. */
const slowMs = 1000

/**
 * When a media thread leaves the processor that it runs on. The system does not move it: a thread that never sleeps, or goes
 * before others, stays where it is.
 *
 * - It is late. A host that has other guests may give a virtual machine less of one processor than of the next, for tenths of
 *   a second. Where the next is no better it is not the processor, and the next try waits longer.
 * - The thread that commands it, and signals, runs there, too. Each tick would interrupt a message that is being answered,
 *   for as long as the tick takes.
 */
export class ProcessorChoice {
  readonly #leave: () => boolean
  #behindAt = Number.NEGATIVE_INFINITY
  #leftAt = Number.NEGATIVE_INFINITY
  #asideAt = Number.NEGATIVE_INFINITY
  #waitMs = leastWaitMs
  /** How often it was left because the thread was late. */
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

  /** The thread that commands this one ran last on the same processor. */
  standAside(now: number): void {
    if (now - this.#asideAt < asideWaitMs || now - this.#leftAt < slowMs) return
    this.#asideAt = now
    this.#leave()
  }
}
