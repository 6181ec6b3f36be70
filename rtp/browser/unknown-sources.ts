const windowMs = 1000
/** Handshakes of unknown sources in this second or the last from which some may have a forged address. */
const manyHandshakes = 20

/** How many handshakes come from addresses without a completed ICE check. */
export class UnknownSources {
  #count = 0
  #before = 0
  #until = 0

  note(): void {
    this.#count++
  }

  get areMany(): boolean {
    return Math.max(this.#count, this.#before) >= manyHandshakes
  }

  tick(now: number): void {
    if (now < this.#until) return
    this.#until = now + windowMs
    this.#before = this.#count
    this.#count = 0
  }
}
