/**
 * Never lets more than `limit` events through in any `windowMs`: it remembers when each of the last `limit` events was,
 * and the next may pass when the oldest of them is a window ago. The ring grows with use, up to `limit`.
 */
export class SlidingWindow {
  readonly #limit: number
  readonly #windowMs: number
  #times: Float64Array
  #oldest = 0
  #count = 0

  constructor(limit: number, windowMs: number) {
    this.#limit = limit
    this.#windowMs = windowMs
    this.#times = new Float64Array(Math.min(limit, 16))
  }

  /** 0 when the event may pass (and is counted), else how long to wait, in milliseconds. */
  take(now: number): number {
    while (this.#count > 0 && this.#timeAt(0) <= now - this.#windowMs) {
      this.#oldest = (this.#oldest + 1) % this.#times.length
      this.#count--
    }
    if (this.#count === this.#limit) return this.#timeAt(0) + this.#windowMs - now
    if (this.#count === this.#times.length) this.#grow()
    this.#times[(this.#oldest + this.#count) % this.#times.length] = now
    this.#count++
    return 0
  }

  /** No request of the last window is left: the window may be forgotten. */
  isIdle(now: number): boolean {
    return this.#count === 0 || this.#timeAt(this.#count - 1) <= now - this.#windowMs
  }

  #timeAt(position: number): number {
    return this.#times[(this.#oldest + position) % this.#times.length]!
  }

  #grow(): void {
    const bigger = new Float64Array(Math.min(this.#limit, this.#times.length * 4))
    for (let at = 0; at < this.#count; at++) bigger[at] = this.#timeAt(at)
    this.#times = bigger
    this.#oldest = 0
  }
}
