/**
 * What the last samples hold of some frequencies, in blocks that overlap: the samples come in hops, each is measured once
 * (Goertzel's recursion), and a block is the sum of its hops, each turned to where its sine stands at the block's end.
 */
export class SlidingTones {
  readonly #hop: number
  readonly #hops: number
  readonly #count: number
  /** By frequency: the angle of a sample, and of it the cosine and the sine. */
  readonly #angles: Float64Array
  readonly #cosines: Float64Array
  readonly #sines: Float64Array
  /** By detuning, age of a hop and frequency: the turn from that hop's end to the block's. */
  readonly #turnRe: Float64Array
  readonly #turnIm: Float64Array
  /**
   * By hop and frequency: what it holds, in a ring that stands twice, so that a block's hops lie in a row. And by hop, in
   * a ring, the sum of its squares.
   */
  readonly #re: Float64Array
  readonly #im: Float64Array
  readonly #squares: Float64Array
  #newest = 0
  #sumRe = 0
  #sumIm = 0

  /**
   * `hz`: a multiple of four. A block is `hops` hops of `hop` samples. `detunings`: the factors of its frequency by which
   * a tone may be asked for; so near to 1 that a hop makes no difference.
   */
  constructor(hz: readonly number[], sampleRate: number, hop: number, hops: number, detunings: readonly number[]) {
    this.#hop = hop
    this.#hops = hops
    this.#count = hz.length
    this.#angles = Float64Array.from(hz, each => (2 * Math.PI * each) / sampleRate)
    this.#cosines = this.#angles.map(Math.cos)
    this.#sines = this.#angles.map(Math.sin)
    const turns = detunings.flatMap(off =>
      Array.from({ length: hops }, (_, age) => Array.from(this.#angles, angle => angle * off * hop * age)).flat(),
    )
    this.#turnRe = Float64Array.from(turns, Math.cos)
    this.#turnIm = Float64Array.from(turns, Math.sin)
    this.#re = new Float64Array(2 * hops * hz.length)
    this.#im = new Float64Array(2 * hops * hz.length)
    this.#squares = new Float64Array(hops)
  }

  /** The angle by which a tone moves in a hop, if it is in tune. */
  angleOfHop(tone: number): number {
    return this.#angles[tone]! * this.#hop
  }

  /** Takes the next hop, all of `samples`. */
  analyze(samples: Float64Array): void {
    this.#newest = (this.#newest + 1) % this.#hops
    let squares = 0
    for (let i = 0; i < samples.length; i++) squares += samples[i]! * samples[i]!
    this.#squares[this.#newest] = squares
    for (let tone = 0; tone < this.#count; tone += 4) this.#analyzeFour(samples, tone)
  }

  /** The mean square of the block, all frequencies together. */
  get meanSquare(): number {
    let sum = 0
    for (let n = 0; n < this.#hops; n++) sum += this.#squares[n]!
    return sum / (this.#hops * this.#hop)
  }

  /** The mean square of a tone in the block. `detuning`: its place in what the constructor took. */
  powerOf(tone: number, detuning: number): number {
    this.#add(tone, detuning)
    const length = this.#hops * this.#hop
    return (2 * (this.#sumRe * this.#sumRe + this.#sumIm * this.#sumIm)) / (length * length)
  }

  /** Where a tone stands at the end of the block, as an angle. `detuning`: as there. */
  phaseOf(tone: number, detuning: number): number {
    this.#add(tone, detuning)
    return Math.atan2(this.#sumIm, this.#sumRe)
  }

  #add(tone: number, detuning: number): void {
    let sumRe = 0
    let sumIm = 0
    let turn = detuning * this.#hops * this.#count + tone
    let at = (this.#newest + this.#hops) * this.#count + tone
    for (let age = 0; age < this.#hops; age++, turn += this.#count, at -= this.#count) {
      sumRe += this.#re[at]! * this.#turnRe[turn]! - this.#im[at]! * this.#turnIm[turn]!
      sumIm += this.#re[at]! * this.#turnIm[turn]! + this.#im[at]! * this.#turnRe[turn]!
    }
    this.#sumRe = sumRe
    this.#sumIm = sumIm
  }

  /** Side by side four take little longer than one: none waits for another. */
  #analyzeFour(samples: Float64Array, tone: number): void {
    const turnA = 2 * this.#cosines[tone]!
    const turnB = 2 * this.#cosines[tone + 1]!
    const turnC = 2 * this.#cosines[tone + 2]!
    const turnD = 2 * this.#cosines[tone + 3]!
    let beforeA = 0
    let beforeB = 0
    let beforeC = 0
    let beforeD = 0
    let lastA = 0
    let lastB = 0
    let lastC = 0
    let lastD = 0
    for (let i = 0; i < samples.length; i++) {
      const sample = samples[i]!
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
    this.#keep(tone, beforeA, lastA)
    this.#keep(tone + 1, beforeB, lastB)
    this.#keep(tone + 2, beforeC, lastC)
    this.#keep(tone + 3, beforeD, lastD)
  }

  #keep(tone: number, before: number, last: number): void {
    const at = this.#newest * this.#count + tone
    const again = at + this.#hops * this.#count
    this.#re[at] = this.#re[again] = last - before * this.#cosines[tone]!
    this.#im[at] = this.#im[again] = before * this.#sines[tone]!
  }
}
