/** RFC 3550 §A.1 MAX_DROPOUT: a step forward of more than this is no loss, the stream has restarted. */
export const maxDropout = 3000
/** RFC 3550 §A.1 MAX_MISORDER: a packet so many numbers back is not late, the stream has restarted. */
export const maxMisorder = 100

/** Signed distance from `b` to `a` in 16-bit arithmetic, right across the wrap: −32768 … 32767. All comparisons of sequence numbers use it. */
export const sequenceDelta = (a: number, b: number): number => ((a - b) << 16) >> 16

/** Signed distance from `b` to `a` of two 32-bit media timestamps, right across the wrap. */
export const timestampDelta = (a: number, b: number): number => (a - b) | 0

/** The sequence number `by` places after `a`. */
export const sequenceAfter = (a: number, by: number): number => (a + by) & 0xffff

/** The media timestamp `by` clock units after `a`. */
export const timestampAfter = (a: number, by: number): number => (a + by) >>> 0

/**
 * Gives 16-bit sequence numbers their place on an endless line (RFC 3711 §3.3.1 calls it the index).
 * The first number seen is its own index; later ones take the nearest index to the highest seen so far.
 */
export class SequenceUnwrapper {
  #highest = -1

  /** The highest index so far; −1 before the first. */
  get highest(): number {
    return this.#highest
  }

  /** The index that `sequence` would have; changes nothing. Negative when it lies before the first cycle. */
  indexOf(sequence: number): number {
    return this.#highest < 0 ? sequence : this.#highest + sequenceDelta(sequence, this.#highest & 0xffff)
  }

  /** The index of `sequence`, which counts as seen from now on. */
  unwrap(sequence: number): number {
    const index = this.indexOf(sequence)
    if (index > this.#highest) this.#highest = index
    return index
  }

  reset(): void {
    this.#highest = -1
  }
}
