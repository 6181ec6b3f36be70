interface RtcpScheduleConfig {
  /** The session's media, bytes a second; RTCP takes a twentieth of it. Default 8000: G.711. */
  readonly mediaBytesPerSecond?: number
  /** Least time between two reports before it is spread. Default 5000 (RFC 3550 §6.2). */
  readonly minimumMs?: number
}

// RFC 3550 §6.2, §6.3.1, §A.7
const rtcpShare = 0.05
const members = 2
const compensation = Math.E - 1.5
/** UDP and IPv4 headers count (§6.2). */
const headersLength = 28
const firstGuessLength = 100

/**
 * When to send reports in a session of two parties (RFC 3550 §6.3, §A.7): there are no others to wait for, so that neither
 * reconsideration nor time-outs of members are needed. Spread by the given randomness, in [0, 1).
 */
export class RtcpSchedule {
  readonly #bytesPerMs: number
  readonly #minimumMs: number
  readonly #random: () => number
  #averageLength = firstGuessLength + headersLength
  #deadline: number

  constructor(now: number, random: () => number, config: RtcpScheduleConfig = {}) {
    this.#bytesPerMs = ((config.mediaBytesPerSecond ?? 8000) * rtcpShare) / 1000
    this.#minimumMs = config.minimumMs ?? 5000
    this.#random = random
    // §6.2: half the minimum before the first report, so that the remote is reported soon.
    this.#deadline = now + this.#interval(this.#minimumMs / 2)
  }

  /** When the next report is due. */
  deadline(): number {
    return this.#deadline
  }

  /** A report of so many bytes went out. */
  sent(length: number, now: number): void {
    this.#weigh(length)
    this.#deadline = now + this.#interval(this.#minimumMs)
  }

  /** A report of so many bytes came in. */
  received(length: number): void {
    this.#weigh(length)
  }

  #weigh(length: number): void {
    this.#averageLength += (length + headersLength - this.#averageLength) / 16
  }

  #interval(minimumMs: number): number {
    const fairMs = (members * this.#averageLength) / this.#bytesPerMs
    return (Math.max(minimumMs, fairMs) * (this.#random() + 0.5)) / compensation
  }
}
