/** Number of values that are kept. */
const kept = 16

/** The shortest transit times of some packets, in their order. */
export class ShortestTransits {
  readonly #transits = new Float64Array(kept)
  #count = 0

  /** Packets that were taken, of which the first sixteen in their order are known. */
  get count(): number {
    return this.#count
  }

  restart(): void {
    this.#count = 0
  }

  take(transit: number): void {
    const transits = this.#transits
    // One that comes in where all places are taken pushes the slowest out.
    let at = Math.min(this.#count++, kept - 1)
    if (this.#count > kept && transit >= transits[at]!) return
    for (; at > 0 && transit < transits[at - 1]!; at--) transits[at] = transits[at - 1]!
    transits[at] = transit
  }

  /** The transit that `place` packets were faster than; of those that are kept the slowest at most. +Infinity before the first. */
  at(place: number): number {
    return this.#count === 0 ? Number.POSITIVE_INFINITY : this.#transits[Math.min(place, this.#count - 1, kept - 1)]!
  }
}
