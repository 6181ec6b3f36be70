/** What a coder may make of a frame, from plenty of time to none to spare; `busyFrom`: shares of the thread's time. */
const steps = [
  { complexity: 5, busyFrom: 0 },
  { complexity: 3, busyFrom: 0.35 },
  { complexity: 1, busyFrom: 0.55 },
] as const
/** A lower complexity is less busy by itself: only this far under a threshold there is time for the step before. */
const ease = 0.6
/** Weights of a tick in the mean: a busy thread shows in 0.1 s, one that has rested in 2 s. */
const rise = 1 / 20
const fall = 1 / 400

/**
 * Complexity of the Opus encoders, by the load of their thread: a slightly worse frame is played, a late one is not.
 * Complexity 5 is half the work of 10, and 1 half the work of 5.
 */
export class Effort {
  #busy = 0
  #step = 0

  get complexity(): number {
    return steps[this.#step]!.complexity
  }

  /** After each tick: how long its work took, and how long there was for it. */
  observe(workMs: number, tickMs: number): void {
    const share = Math.min(1, workMs / tickMs)
    this.#busy += (share - this.#busy) * (share > this.#busy ? rise : fall)
    const next = steps[this.#step + 1]
    if (next !== undefined && this.#busy >= next.busyFrom) this.#step++
    else if (this.#busy < ease * steps[this.#step]!.busyFrom) this.#step--
  }
}
