/** Counts values by steps of one width; what is beyond the last one is counted there. */
export class Histogram {
  count = 0
  max = 0
  readonly #step: number
  readonly #counts: Uint32Array

  constructor(step: number, steps: number) {
    this.#step = step
    this.#counts = new Uint32Array(steps)
  }

  add(value: number): void {
    const at = Math.min(this.#counts.length - 1, Math.max(0, Math.floor(value / this.#step)))
    this.#counts[at]!++
    this.count++
    if (value > this.max) this.max = value
  }

  /** The end of the step that holds this share of all values. */
  percentile(share: number): number {
    let left = share * this.count
    for (let at = 0; at < this.#counts.length; at++) {
      left -= this.#counts[at]!
      if (left <= 0 && this.count > 0) return (at + 1) * this.#step
    }
    return 0
  }

  above(value: number): number {
    let sum = 0
    for (let at = Math.ceil(value / this.#step); at < this.#counts.length; at++) sum += this.#counts[at]!
    return sum
  }

  clear(): void {
    this.#counts.fill(0)
    this.count = 0
    this.max = 0
  }
}
