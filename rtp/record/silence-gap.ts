/** A pause of the stream shorter than this does not count as silence: its packets may be on their way. */
export const shortestGapMs = 200

/**
 * Measures pauses of a stream by the arrival of its packets, not by when they leave the jitter buffer: the first packet
 * after a pause waits in the buffer for longer than the one before it.
 */
export class SilenceGap {
  #cameAt = 0
  /** The last one that was not short, until something is written after it. */
  #lastedMs = 0
  #frameMs = 0

  packetArrived(now: number): void {
    if (now - this.#cameAt > shortestGapMs) this.#lastedMs = now - this.#cameAt
    this.#cameAt = now
  }

  /** A frame of that length is written. */
  frameWritten(frameMs: number): void {
    this.#lastedMs = 0
    this.#frameMs = frameMs
  }

  /** What is left to be written of the gap that has just ended, in ms; `writtenMs`: what was while it lasted. */
  leftMs(writtenMs: number): number {
    return Math.max(0, this.#lastedMs - this.#frameMs - writtenMs)
  }
}
