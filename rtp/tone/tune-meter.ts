import { Goertzel } from './goertzel.ts'

/**
 * How far a tone is off its frequency, by how its phase moves from block to block: many times finer than what a block's
 * length can tell.
 */
export class TuneMeter {
  readonly #hop: number
  readonly #goertzel = new Goertzel()
  #angle = 0
  #phase = 0
  #sum = 0
  #blocks = 0

  constructor(hop: number) {
    this.#hop = hop
  }

  /** Share of the frequency, the mean of all blocks since the tone began. */
  get offTune(): number {
    return this.#blocks === 0 ? 0 : this.#sum / (this.#blocks * this.#angle * this.#hop)
  }

  /** The next block of a tone whose Goertzel factor is `turn`, or the first one. */
  hear(block: Float64Array, turn: number, goesOn: boolean): void {
    const angle = Math.acos(turn / 2)
    this.#goertzel.hear(block, turn)
    const phase = this.#goertzel.phaseOf(angle)
    if (goesOn) {
      const strayed = (phase - this.#phase - angle * this.#hop) / (2 * Math.PI)
      this.#sum += 2 * Math.PI * (strayed - Math.round(strayed))
      this.#blocks++
    } else {
      this.#sum = 0
      this.#blocks = 0
    }
    this.#angle = angle
    this.#phase = phase
  }
}
