/**
 * Measures how far a tone is off its frequency, by how its phase moves from block to block: many times finer than the
 * length of a block allows.
 */
export class TuneMeter {
  #angle = 0
  #phase = 0
  #strayed = 0
  #blocks = 0

  /** Share of the frequency, the mean of all blocks since the tone began. */
  get offTune(): number {
    return this.#blocks === 0 ? 0 : this.#strayed / (this.#blocks * this.#angle)
  }

  /**
   * The next block of a tone, or the first one: where the tone stands at its end, and `angle`, by which it moves from one
   * block to the next when it is in tune.
   */
  analyze(phase: number, angle: number, goesOn: boolean): void {
    if (goesOn) {
      const turns = (phase - this.#phase - angle) / (2 * Math.PI)
      this.#strayed += 2 * Math.PI * (turns - Math.round(turns))
      this.#blocks++
    } else {
      this.#strayed = 0
      this.#blocks = 0
    }
    this.#angle = angle
    this.#phase = phase
  }
}
