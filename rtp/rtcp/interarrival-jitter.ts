/** Jumps beyond this are the remote's clock starting again, not jitter. */
const maxTransitStepMs = 10_000

/** RFC 3550 §6.4.1 and §A.8: the smoothed difference of packets' spacing at the remote and here. */
export class InterarrivalJitter {
  readonly #unitsPerMs: number
  #started = false
  #transit = 0
  #jitter = 0

  /** `clockRate`: units of the RTP timestamp a second. */
  constructor(clockRate: number) {
    this.#unitsPerMs = clockRate / 1000
  }

  /** In timestamp units, as reports carry it. */
  get units(): number {
    return Math.floor(this.#jitter)
  }
  get ms(): number {
    return this.#jitter / this.#unitsPerMs
  }

  /** Takes a packet's timestamp and arrival. Event packets, which repeat their timestamp, are not for here. */
  receive(timestamp: number, now: number): void {
    const transit = (Math.round(now * this.#unitsPerMs) - timestamp) | 0
    const step = Math.abs((transit - this.#transit) | 0)
    this.#transit = transit
    if (this.#started && step < maxTransitStepMs * this.#unitsPerMs) this.#jitter += (step - this.#jitter) / 16
    this.#started = true
  }

  /** A new source, or a silence: the next packet's spacing says nothing. The estimate stays. */
  skip(): void {
    this.#started = false
  }
}
