import { timestampDelta } from '../packet/sequence.ts'

/**
 * Puts a stream's 32-bit timestamps on one endless line in ms. The remote's clock may restart without telling;
 * what then comes is laid after what was there.
 */
export class MediaLine {
  readonly #unitsPerMs: number
  #started = false
  #timestamp = 0
  #atMs = 0
  #endMs = 0

  /** `clockRate`: units of the RTP timestamp a second. */
  constructor(clockRate: number) {
    this.#unitsPerMs = clockRate / 1000
  }

  /** Where the last of what was placed ends. */
  get endMs(): number {
    return this.#endMs
  }
  msOf(units: number): number {
    return units / this.#unitsPerMs
  }
  unitsOf(ms: number): number {
    return Math.round(ms * this.#unitsPerMs)
  }

  /** Where a timestamp lies; changes nothing. */
  placeOf(timestamp: number): number {
    return this.#started ? this.#atMs + timestampDelta(timestamp, this.#timestamp) / this.#unitsPerMs : 0
  }

  /** A packet of `lengthMs` lies at `placeMs`, the place of its timestamp, or where the caller wants that from now on. */
  put(timestamp: number, placeMs: number, lengthMs: number): void {
    this.#started = true
    this.#timestamp = timestamp
    this.#atMs = placeMs
    if (placeMs + lengthMs > this.#endMs) this.#endMs = placeMs + lengthMs
  }
}
