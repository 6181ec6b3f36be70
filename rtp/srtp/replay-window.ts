/** Indexes that are remembered, RFC 3711 §3.3.2: at least 64. */
export const replayWindowSize = 128

/** Which of the latest packets have come. Asking changes nothing; `add` only what was authenticated. */
export class ReplayWindow {
  readonly #words = new Uint32Array(replayWindowSize / 32)
  #highest = -1

  /** True for a packet that came before, or that is too old to decide. */
  has(index: number): boolean {
    if (index > this.#highest) return false
    if (this.#highest - index >= replayWindowSize) return true
    const bit = index % replayWindowSize
    return (this.#words[bit >> 5]! & (1 << (bit & 31))) !== 0
  }

  add(index: number): void {
    if (index - this.#highest >= replayWindowSize) this.#words.fill(0)
    else for (let between = this.#highest + 1; between < index; between++) this.#clear(between)
    if (index > this.#highest) this.#highest = index
    const bit = index % replayWindowSize
    this.#words[bit >> 5]! |= 1 << (bit & 31)
  }

  #clear(index: number): void {
    const bit = index % replayWindowSize
    this.#words[bit >> 5]! &= ~(1 << (bit & 31))
  }
}
