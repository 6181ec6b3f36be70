/** The silence before the first sound of a recording that is trimmed: only its end is kept. */
export class LeadingSilence {
  readonly kept: Int16Array
  #length = 0
  #passed = 0

  /** Keeps up to `most` samples. */
  constructor(most: number) {
    this.kept = new Int16Array(most)
  }

  /** Samples at the beginning of `kept`. */
  get length(): number {
    return this.#length
  }

  /** Samples that went by: those that are kept, and those that are not. */
  get passed(): number {
    return this.#passed
  }

  /** The first `count` samples of `pcm` are silence, too. */
  add(pcm: Int16Array, count: number): void {
    const { kept } = this
    const added = Math.min(count, kept.length)
    const before = Math.min(this.#length, kept.length - added)
    kept.copyWithin(0, this.#length - before, this.#length)
    for (let i = 0; i < added; i++) kept[before + i] = pcm[count - added + i]!
    this.#length = before + added
    this.#passed += count
  }
}
