/** A stream may rest for so long before its rest counts as silence: packets on their way. */
export const restMs = 200

/**
 * How long nothing came, by when packets came: they are taken from a buffer later, and the first one behind a rest waits
 * there for longer than the one before it.
 */
export class Rest {
  #cameAt = 0
  /** The last one that was not short, until something is written behind it. */
  #lastedMs = 0
  #frameMs = 0

  came(now: number): void {
    if (now - this.#cameAt > restMs) this.#lastedMs = now - this.#cameAt
    this.#cameAt = now
  }

  /** A frame of that length is written. */
  wrote(frameMs: number): void {
    this.#lastedMs = 0
    this.#frameMs = frameMs
  }

  /** What is left to be written of the rest that has just ended, in ms; `writtenMs`: what was while it lasted. */
  leftMs(writtenMs: number): number {
    return Math.max(0, this.#lastedMs - this.#frameMs - writtenMs)
  }
}
