/**
 * Keeps a session from being turned on a third party: SDP may name any address, so what is sent to one that never
 * answered with RTP or RTCP ends after the time that a far end may be silent. Until then a listener hears its prompts.
 */
export class Recipient {
  #address = 0
  #port = 0
  #answered = false
  #since = -1
  readonly #unansweredMs: number

  /** `unansweredMs`: how long we send to an address from which nothing ever came. */
  constructor(unansweredMs: number) {
    this.#unansweredMs = unansweredMs
  }

  /** True when one more packet may go to `address`:`port`. */
  maySend(address: number, port: number, now: number): boolean {
    if (address !== this.#address || port !== this.#port) {
      this.#address = address
      this.#port = port
      this.#answered = false
      this.#since = -1
    }
    if (this.#answered) return true
    if (this.#since < 0) this.#since = now
    return now - this.#since < this.#unansweredMs
  }

  /** Something valid came from the far end. */
  heard(address: number, port: number): void {
    this.#address = address
    this.#port = port
    this.#answered = true
  }
}
