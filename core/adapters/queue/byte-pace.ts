/** Idle owners are forgotten when there are more than this. */
const keptOwners = 1000

interface BytePaceLimits {
  /** What an owner moves at most, on average. */
  readonly bytesPerSecond: number
  /** What an idle owner moves at once. */
  readonly burstBytes: number
}

/**
 * How long an owner must wait after it has moved bytes, so that its average stays within the limit: a leaky bucket
 * (as GCRA, ITU-T I.371) that keeps one time for each owner. No clock of its own.
 */
export class BytePace {
  readonly #msPerByte: number
  readonly #burstMs: number
  /** When what each owner has moved so far would have been moved at the limit's rate, ms. */
  readonly #movedByMs = new Map<string, number>()

  constructor({ bytesPerSecond, burstBytes }: BytePaceLimits) {
    this.#msPerByte = 1000 / bytesPerSecond
    this.#burstMs = burstBytes * this.#msPerByte
  }

  /** Counts the bytes; in ms, 0 when the owner may go on at once. */
  waitMs(owner: string, bytes: number, nowMs: number): number {
    const movedBy = Math.max(this.#movedByMs.get(owner) ?? nowMs, nowMs) + bytes * this.#msPerByte
    if (!this.#movedByMs.has(owner) && this.#movedByMs.size >= keptOwners) this.#forgetIdle(nowMs)
    this.#movedByMs.set(owner, movedBy)
    return Math.max(0, movedBy - nowMs - this.#burstMs)
  }

  #forgetIdle(nowMs: number): void {
    for (const [owner, movedBy] of this.#movedByMs) if (movedBy <= nowMs) this.#movedByMs.delete(owner)
  }
}
