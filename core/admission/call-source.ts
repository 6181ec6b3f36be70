import { fairShares } from './fair-shares.ts'

/** Factor by which a source may exceed its former demand; it gets that if its share allows. */
export const headroom = 1.25
/** Time after which a source is forgotten, and the most that are kept. */
const forgetAfterMs = 60_000
const mostSources = 1024

/** Time constant of the exponential means of offered and admitted calls. */
const meanOverMs = 500
/** Tokens that gather while there is no request: what a source may begin at once. */
const burstSeconds = 0.1
const leastBurst = 10

/** One that begins calls (a trunk, the phones, the API; or an account within them), and what it may begin while the switch is loaded. */
export class CallSource {
  /** Calls a second, means. */
  offeredRate = 0
  admittedRate = 0
  lastAt: number
  /** Its part of the rate; undefined: it came after the rate was divided. */
  share: number | undefined
  #parts: CallSources | undefined
  #offered = 0
  #admitted = 0
  #tokens = leastBurst
  #filledAt: number

  constructor(now: number) {
    this.lastAt = now
    this.#filledAt = now
  }

  /** Those who share what it may begin. */
  get parts(): CallSources {
    this.#parts ??= new CallSources()
    return this.#parts
  }

  offered(now: number): void {
    this.#offered++
    this.lastAt = now
  }

  admitted(isLimiting: boolean): void {
    this.#admitted++
    if (isLimiting) this.#tokens--
  }

  /** An interval is over. */
  settle(intervalMs: number, now: number): void {
    const weight = Math.min(1, intervalMs / meanOverMs)
    const perSecond = 1000 / intervalMs
    this.offeredRate += weight * (this.#offered * perSecond - this.offeredRate)
    this.admittedRate += weight * (this.#admitted * perSecond - this.admittedRate)
    this.#offered = 0
    this.#admitted = 0
    this.#parts?.settle(intervalMs, now)
  }

  divide(rate: number | undefined): void {
    this.share = rate
    this.#parts?.divide(rate)
  }

  hasToken(rate: number, now: number): boolean {
    const burst = Math.max(leastBurst, rate * burstSeconds)
    this.#tokens = Math.min(burst, this.#tokens + (rate * Math.max(0, now - this.#filledAt)) / 1000)
    this.#filledAt = now
    return this.#tokens >= 1
  }
}

/** Sources that divide a rate among them: by demand, and none takes another's place. */
export class CallSources {
  readonly #sources = new Map<string, CallSource>()

  get all(): Iterable<[string, CallSource]> {
    return this.#sources
  }

  of(name: string, now: number): CallSource {
    const known = this.#sources.get(name)
    if (known !== undefined) return known
    const source = new CallSource(now)
    if (this.#sources.size >= mostSources) this.#forgetOldest()
    this.#sources.set(name, source)
    return source
  }

  /** What it may begin a second, when all may begin `rate`. */
  shareOf(source: CallSource, rate: number): number {
    return source.share ?? rate / (this.#sources.size + 1)
  }

  /** An interval is over. */
  settle(intervalMs: number, now: number): void {
    for (const [name, source] of this.#sources) {
      source.settle(intervalMs, now)
      if (now - source.lastAt > forgetAfterMs) this.#sources.delete(name)
    }
  }

  /** Undefined: there is no limit. */
  divide(rate: number | undefined): void {
    const sources = [...this.#sources.values()]
    const shares = fairShares(
      sources.map(({ offeredRate }) => headroom * offeredRate + 1),
      rate ?? 0,
    )
    for (const [at, source] of sources.entries()) source.divide(rate === undefined ? undefined : shares[at])
  }

  sum(of: (source: CallSource) => number): number {
    let sum = 0
    for (const source of this.#sources.values()) sum += of(source)
    return sum
  }

  #forgetOldest(): void {
    let oldest: string | undefined
    let at = Number.POSITIVE_INFINITY
    for (const [name, { lastAt }] of this.#sources) {
      if (lastAt >= at) continue
      oldest = name
      at = lastAt
    }
    if (oldest !== undefined) this.#sources.delete(oldest)
  }
}
