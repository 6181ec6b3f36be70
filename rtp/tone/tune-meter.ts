/**
 * How far a tone is off its frequency, by how its phase moves from block to block: many times finer than what a block's
 * length can tell.
 */
export class TuneMeter {
  readonly #hop: number
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
    let before = 0
    let last = 0
    for (let i = 0; i < block.length; i++) {
      const next = block[i]! + turn * last - before
      before = last
      last = next
    }
    const phase = Math.atan2(before * Math.sin(angle), last - (before * turn) / 2)
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
