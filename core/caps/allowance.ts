/** So many at once, and so many a second after that: a token bucket that time fills. `now` is monotonic, in ms. */
export class Allowance {
  readonly #burst: number
  readonly #perSecond: number
  #left: number
  #at = Number.NEGATIVE_INFINITY

  constructor(burst: number, perSecond: number) {
    this.#burst = burst
    this.#perSecond = perSecond
    this.#left = burst
  }

  /** Something is left now. */
  has(now: number): boolean {
    this.#left = Math.min(this.#burst, this.#left + (Math.max(0, now - this.#at) * this.#perSecond) / 1000)
    this.#at = now
    return this.#left >= 1
  }

  /** False: nothing is left now. */
  take(now: number): boolean {
    if (!this.has(now)) return false
    this.#left--
    return true
  }
}
