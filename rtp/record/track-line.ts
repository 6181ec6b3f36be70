/** How much is held until it is written; a power of two. What comes later than this is lost. */
const capacity = 1 << 15

/**
 * The time line of a recording: one or two channels of samples, at places counted from its beginning. Audio is added
 * where it belongs, in any order; audio that is old enough is taken out.
 */
export class TrackLine {
  readonly channels: 1 | 2
  readonly #ring: Int16Array
  /** The place of the first sample that was not taken out, and the one after the last that holds a sound. */
  #from = 0
  #end = 0

  constructor(channels: 1 | 2) {
    this.channels = channels
    this.#ring = new Int16Array(capacity * channels)
  }

  get from(): number {
    return this.#from
  }
  get end(): number {
    return this.#end
  }

  /** Adds `count` samples from `pcm[at]` on; on a line of one channel both sides are mixed. */
  add(side: 'left' | 'right', place: number, pcm: Int16Array, at: number, count: number): void {
    const { channels } = this
    const ring = this.#ring
    const offset = channels === 2 && side === 'right' ? 1 : 0
    const first = Math.max(0, this.#from - place)
    const last = Math.min(count, this.#from + capacity - place)
    for (let i = first; i < last; i++) {
      const slot = ((place + i) & (capacity - 1)) * channels + offset
      const sum = ring[slot]! + pcm[at + i]!
      ring[slot] = Math.max(-32_768, Math.min(32_767, sum))
    }
    if (last > first) this.#end = Math.max(this.#end, place + last)
  }

  /** Moves up to `frames`, of all channels, from the beginning of the line to `into`, and not beyond `until`. */
  takeInto(into: Int16Array, frames: number, until: number): number {
    const { channels } = this
    const ring = this.#ring
    const taken = Math.max(0, Math.min(frames, until - this.#from))
    for (let i = 0; i < taken; i++) {
      const slot = ((this.#from + i) & (capacity - 1)) * channels
      for (let channel = 0; channel < channels; channel++) {
        into[i * channels + channel] = ring[slot + channel]!
        ring[slot + channel] = 0
      }
    }
    this.#from += taken
    return taken
  }
}
