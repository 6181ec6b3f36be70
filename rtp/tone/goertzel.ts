import { levelOfPower } from './level.ts'

/** What a block of samples holds of one frequency, by Goertzel's recursion. One serves for many blocks. */
export class Goertzel {
  #turn = 0
  #count = 1
  #before = 0
  #last = 0

  /** `turn`: of the frequency, as `turnOf` has it. */
  hear(block: Float64Array, turn: number): void {
    let before = 0
    let last = 0
    for (let i = 0; i < block.length; i++) {
      const next = block[i]! + turn * last - before
      before = last
      last = next
    }
    this.#turn = turn
    this.#count = block.length
    this.#before = before
    this.#last = last
  }

  /** The mean square of the sine. */
  get power(): number {
    const before = this.#before
    const last = this.#last
    return (2 * (last * last + before * before - this.#turn * last * before)) / (this.#count * this.#count)
  }

  /** Where the sine stands at the end of the block. `angle`: by which it goes on in a sample. */
  phaseOf(angle: number): number {
    return Math.atan2(this.#before * Math.sin(angle), this.#last - (this.#before * this.#turn) / 2)
  }
}

/** The factor of a frequency: twice the cosine of the angle by which it goes on in a sample. */
export const turnOf = (hz: number, sampleRate: number): number => 2 * Math.cos((2 * Math.PI * hz) / sampleRate)

/**
 * The level in dBm0 of one frequency in `count` samples from `pcm[from]` on: as narrow as `sampleRate / count` Hz. A sine
 * of that frequency shows its own level.
 */
export const levelAt = (pcm: Int16Array, from: number, count: number, hz: number, sampleRate: number): number => {
  const block = new Float64Array(count)
  for (let i = 0; i < count; i++) block[i] = pcm[from + i]!
  const goertzel = new Goertzel()
  goertzel.hear(block, turnOf(hz, sampleRate))
  return levelOfPower(goertzel.power)
}
