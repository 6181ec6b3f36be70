/** Excess delay that is tolerated, and the excess beyond which all of it is dropped at once. */
const borneMs = 40
const intolerableMs = 300
const windowMs = 500

/**
 * Whether the delay has been too long all through a window; a listener that is late once, or a burst, does not count.
 */
export class ExcessDelay {
  readonly #isBorne: boolean
  #leastMs = Infinity
  #until = 0

  /** `isBorne`: an excess below the intolerable is left to the stretching. */
  constructor(isBorne: boolean) {
    this.#isBorne = isBorne
  }

  /** Takes the delay beyond the aim at one pull, for frames of `frameMs`. Returns how much audio to drop now, in ms. */
  observe(excessMs: number, frameMs: number, now: number): number {
    if (excessMs < this.#leastMs) this.#leastMs = excessMs
    if (now < this.#until) return 0
    const least = this.#leastMs
    this.#leastMs = Infinity
    this.#until = now + windowMs
    if (!Number.isFinite(least) || least <= borneMs + frameMs) return 0
    if (least > intolerableMs) return least
    return this.#isBorne ? 0 : frameMs
  }

  /** No audio was due: the window restarts. */
  restart(): void {
    this.#leastMs = Infinity
  }
}
