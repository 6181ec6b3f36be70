import { ShortestTransits } from './shortest-transits.ts'

const rate = 8000
/** The fastest packets of each such piece are kept. */
const windowSamples = 2 * rate
const kept = 16
/** Older ones say nothing about a clock that drifts. */
const longestKept = 40 * rate
/** Fewer do not show that a transit time has become longer. */
const trusted = 8
/** One packet in this many may come before its time: a sender with a coarse timer sends it a frame early. */
const early = 12

export interface TransitBounds {
  /** A transit time is no longer than this; +Infinity = not known. */
  readonly shorter: number
  /** A transit time is no shorter than this; −Infinity = not known. */
  readonly longer: number
  /** What it seems to be just now; −Infinity = not known. */
  readonly present: number
  /** The least that one packet in twelve had of all that is kept. */
  readonly least: number
  /** `longer` is all that can be known of it. */
  readonly isKnown: boolean
}

/**
 * How long packets of a source were on their way at least (arrival minus the source's time, samples; known up to a
 * constant), by the fastest of every two seconds. A thread or a remote that is held up, a busy network: most that can
 * happen makes packets late, and little makes one early. So a transit time that has become shorter is accepted after two windows in
 * which one packet in twelve came by it, and one that seems longer only when not one packet was as fast as before for half
 * a minute.
 */
export class MinTransit {
  /** A ring of windows: the fastest transit time, the one that one in twelve had, and where they ended. */
  readonly #fastest = new Float64Array(kept)
  readonly #common = new Float64Array(kept)
  readonly #ends = new Float64Array(kept)
  readonly #window = new ShortestTransits()
  #count = 0
  #windowEnd = 0

  /** Forgets all; the first window begins at `place`. */
  restart(place: number): void {
    this.#count = 0
    this.#window.restart()
    this.#windowEnd = place + windowSamples
  }

  /** A packet came at `place`. True when a window is over with it. */
  take(transit: number, place: number): boolean {
    const window = this.#window
    window.take(transit)
    if (place < this.#windowEnd) return false
    const slot = this.#count++ % kept
    this.#fastest[slot] = window.at(0)
    this.#common[slot] = window.at(Math.floor(window.count / early))
    this.#ends[slot] = place
    window.restart()
    this.#windowEnd = place + windowSamples
    return true
  }

  /** What the windows show, at `place`. */
  since(place: number): TransitBounds {
    if (this.#count < 2) {
      return { shorter: Infinity, longer: -Infinity, present: -Infinity, least: Infinity, isKnown: false }
    }
    const last = (this.#count - 1) % kept
    const before = (this.#count - 2) % kept
    let longer = Infinity
    let least = Infinity
    let recent = 0
    for (let slot = 0; slot < Math.min(kept, this.#count); slot++) {
      if (this.#ends[slot]! < place - longestKept) continue
      longer = Math.min(longer, this.#fastest[slot]!)
      least = Math.min(least, this.#common[slot]!)
      recent++
    }
    return {
      shorter: Math.max(this.#common[last]!, this.#common[before]!),
      longer: recent < trusted ? -Infinity : longer,
      present: Math.min(this.#fastest[last]!, this.#fastest[before]!),
      least,
      isKnown: recent === kept,
    }
  }
}
