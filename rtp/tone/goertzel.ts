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
    return powerOf(this.#before, this.#last, this.#turn, this.#count)
  }

  /** Where the sine stands at the end of the block. `angle`: by which it goes on in a sample. */
  phaseOf(angle: number): number {
    return Math.atan2(this.#before * Math.sin(angle), this.#last - (this.#before * this.#turn) / 2)
  }
}

const powerOf = (before: number, last: number, turn: number, count: number): number =>
  (2 * (last * last + before * before - turn * last * before)) / (count * count)

/**
 * The mean squares of four frequencies in a block, into `powers[at]` on; their factors: every `apart`th from `turns[first]`
 * on. Side by side they take little longer than one: none waits for another.
 */
export const powersOfFour = (
  powers: Float64Array,
  at: number,
  block: Float64Array,
  turns: Float64Array,
  first: number,
  apart: number,
): void => {
  const turnA = turns[first]!
  const turnB = turns[first + apart]!
  const turnC = turns[first + 2 * apart]!
  const turnD = turns[first + 3 * apart]!
  let beforeA = 0
  let beforeB = 0
  let beforeC = 0
  let beforeD = 0
  let lastA = 0
  let lastB = 0
  let lastC = 0
  let lastD = 0
  for (let i = 0; i < block.length; i++) {
    const sample = block[i]!
    const nextA = sample + turnA * lastA - beforeA
    const nextB = sample + turnB * lastB - beforeB
    const nextC = sample + turnC * lastC - beforeC
    const nextD = sample + turnD * lastD - beforeD
    beforeA = lastA
    beforeB = lastB
    beforeC = lastC
    beforeD = lastD
    lastA = nextA
    lastB = nextB
    lastC = nextC
    lastD = nextD
  }
  powers[at] = powerOf(beforeA, lastA, turnA, block.length)
  powers[at + 1] = powerOf(beforeB, lastB, turnB, block.length)
  powers[at + 2] = powerOf(beforeC, lastC, turnC, block.length)
  powers[at + 3] = powerOf(beforeD, lastD, turnD, block.length)
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
