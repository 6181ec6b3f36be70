/** Time constant of the exponential means of offered and admitted calls. */
const meanOverMs = 500
/** Tokens that gather while there is no request: what a source may begin at once. */
const burstSeconds = 0.1
const leastBurst = 10

/** One that begins calls (a trunk, the phones, the API), and what it may begin while the switch is loaded. */
export class CallSource {
  /** Calls a second, means. */
  offeredRate = 0
  admittedRate = 0
  lastAt: number
  #offered = 0
  #admitted = 0
  #tokens = leastBurst
  #filledAt: number

  constructor(now: number) {
    this.lastAt = now
    this.#filledAt = now
  }

  offered(now: number): void {
    this.#offered++
    this.lastAt = now
  }

  admitted(): void {
    this.#admitted++
  }

  /** An interval is over. */
  settle(intervalMs: number): void {
    const weight = Math.min(1, intervalMs / meanOverMs)
    const perSecond = 1000 / intervalMs
    this.offeredRate += weight * (this.#offered * perSecond - this.offeredRate)
    this.admittedRate += weight * (this.#admitted * perSecond - this.admittedRate)
    this.#offered = 0
    this.#admitted = 0
  }

  hasToken(rate: number, now: number): boolean {
    const burst = Math.max(leastBurst, rate * burstSeconds)
    this.#tokens = Math.min(burst, this.#tokens + (rate * Math.max(0, now - this.#filledAt)) / 1000)
    this.#filledAt = now
    return this.#tokens >= 1
  }

  takeToken(): void {
    this.#tokens--
  }
}
