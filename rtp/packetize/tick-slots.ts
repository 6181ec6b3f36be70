/** Beats of a frame of 20 ms, and how long each is: a tick of the media clock. */
const beatsPerFrame = 4
const beatMs = 5
/** More work than in the beat with the least is borne by so much, rather than that a leg waits for its first frame. */
const bearable = 8

/**
 * Spreads what a thread has to send over its ticks: legs that begin at the same moment would all be due in the same
 * tick for ever, and the last of them late by the work of all others.
 */
export class Beats {
  readonly #loads = new Float64Array(beatsPerFrame)

  /**
   * Takes the next beat that has not much more to do than others, for frames that cost `cost` each. Returns its number,
   * to be left at the end.
   */
  join(cost: number, now: number): number {
    const present = Math.round(now / beatMs) % beatsPerFrame
    const least = Math.min(...this.#loads)
    for (let ahead = 0; ahead < beatsPerFrame; ahead++) {
      const beat = (present + ahead) % beatsPerFrame
      if (this.#loads[beat]! > least + bearable) continue
      this.#loads[beat]! += cost
      return beat
    }
    return present
  }

  leave(beat: number, cost: number): void {
    this.#loads[beat]! -= cost
  }

  /** How long it is until that beat comes, 0 to 15 ms. */
  delayMsOf(beat: number, now: number): number {
    const present = Math.round(now / beatMs) % beatsPerFrame
    return ((beat - present + beatsPerFrame) % beatsPerFrame) * beatMs
  }
}
