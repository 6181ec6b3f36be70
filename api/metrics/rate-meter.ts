/** Events a second over the last whole seconds. `now` is monotonic milliseconds. */
export class RateMeter {
  readonly #counts: Float64Array
  #second = 0

  constructor(seconds = 10) {
    // One more than is averaged: the second that runs is not whole yet.
    this.#counts = new Float64Array(seconds + 1)
  }

  count(now: number): void {
    this.#advance(now)
    this.#counts[this.#second % this.#counts.length]! += 1
  }

  perSecond(now: number): number {
    this.#advance(now)
    const running = this.#second % this.#counts.length
    let sum = 0
    for (let at = 0; at < this.#counts.length; at++) if (at !== running) sum += this.#counts[at]!
    return sum / (this.#counts.length - 1)
  }

  #advance(now: number): void {
    const second = Math.floor(now / 1000)
    const from = Math.max(this.#second + 1, second - this.#counts.length + 1)
    for (let passed = from; passed <= second; passed++) this.#counts[passed % this.#counts.length] = 0
    this.#second = Math.max(this.#second, second)
  }
}
