import type { TrackLine } from './track-line.ts'

/** Lays pieces of one source on a side of the line: those that follow each other join without a hole and without overlap. */
export class TrackWriter {
  readonly #line: TrackLine
  readonly #side: 'left' | 'right'
  /** Place after the last audible piece, and its last sample. */
  #end = Number.NEGATIVE_INFINITY
  readonly #last = new Int16Array(1)

  constructor(line: TrackLine, side: 'left' | 'right') {
    this.#line = line
    this.#side = side
  }

  /** Place after what was laid; −Infinity before the first. */
  get end(): number {
    return this.#end
  }

  /** What comes next is of another time: it does not join. */
  discontinue(): void {
    this.#end = Number.NEGATIVE_INFINITY
  }

  /** `count` samples from `pcm[0]` on, at `place`: a sample too late is filled, what is too early is left out. */
  write(place: number, pcm: Int16Array, count: number): void {
    if (count === 0) return
    const hole = place - this.#end
    if (hole === 1) this.#line.add(this.#side, this.#end, this.#last, 0, 1)
    const skipped = hole < 0 ? Math.min(count, -hole) : 0
    this.#line.add(this.#side, place + skipped, pcm, skipped, count - skipped)
    this.#last[0] = pcm[count - 1]!
    this.#end = Math.max(this.#end, place + count)
  }
}
