const binMs = 0.05
const bins = 20_000

/** Counts of durations in bins of 50 µs, up to a second. */
export class Histogram {
  readonly #counts = new Uint32Array(bins)
  #count = 0
  worst = 0

  add(ms: number): void {
    this.#counts[Math.min(bins - 1, Math.max(0, Math.floor(ms / binMs)))]!++
    this.#count++
    if (ms > this.worst) this.worst = ms
  }

  get count(): number {
    return this.#count
  }

  /** The duration that a share of all does not exceed. */
  percentile(share: number): number {
    let left = share * this.#count
    for (let bin = 0; bin < bins; bin++) {
      left -= this.#counts[bin]!
      if (left <= 0) return (bin + 1) * binMs
    }
    return bins * binMs
  }
}
