/** One packet in so many may come sooner than its way allows: a sender whose timer is coarse sends it a frame early. */
const early = 12
/** The first packets that tell a place are ten: one of them may. */
const leastPackets = 10
/** The fastest that are kept. */
const kept = 16

/** How long packets are on their way when nothing holds them up: no more of them than one in twelve are faster. */
export class FastWay {
  /** The fastest ways, in their order. */
  readonly #fastest = new Float64Array(kept)
  #count = 0

  restart(): void {
    this.#count = 0
  }

  take(way: number): void {
    const fastest = this.#fastest
    // One that comes in where all places are taken pushes the slowest out.
    let at = Math.min(this.#count++, kept - 1)
    if (this.#count > kept && way >= fastest[at]!) return
    for (; at > 0 && way < fastest[at - 1]!; at--) fastest[at] = fastest[at - 1]!
    fastest[at] = way
  }

  /** +Infinity before the first packet. */
  get way(): number {
    const at = Math.min(Math.floor((this.#count + early - leastPackets) / early), kept - 1)
    return this.#count === 0 ? Number.POSITIVE_INFINITY : this.#fastest[at]!
  }
}
