/** What a sender of less than a byte is accepted to mean, in −dBov. */
const usualLevel = 62

/** The level that a payload of comfort noise names, in dBov, 0 to −127 (RFC 3389 §3.1). */
export const noiseLevelOf = (payload: Uint8Array, from: number, length: number): number =>
  length === 0 ? -usualLevel : -(payload[from]! & 0x7f)

/**
 * The noise of a silent remote (RFC 3389): white, at the level that it reported. Its spectrum, where it reported one, is
 * left out, as a decoder may (§3.2).
 */
export class ComfortNoise {
  #peak = 0
  #state = 0x2545_f491

  /** `dbov`: against a full-scale square wave, as RFC 3389 §3.1 counts; 0 dBov is about 6.2 dBm0. */
  set level(dbov: number) {
    // White noise between ±peak has a mean square of a third of its peak's.
    this.#peak = Math.min(32_767, 32_767 * 10 ** (dbov / 20) * Math.sqrt(3))
  }

  /** Fills `count` samples from `pcm[at]` on. */
  fillInto(pcm: Int16Array, at: number, count: number): void {
    for (let i = 0; i < count; i++) {
      this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) | 0
      pcm[at + i] = Math.round((this.#state / 0x8000_0000) * this.#peak)
    }
  }
}
