import type { TransportLimits } from './limits.ts'

type Pace = Pick<TransportLimits, 'messageBurst' | 'messagesPerSecond'>

/** How many messages and keep-alives one connection may bring: some in a row, and so many a second after that. */
export class MessageAllowance {
  readonly #pace: Pace
  #used = 0
  #at: number

  constructor(pace: Pace, now: number) {
    this.#pace = pace
    this.#at = now
  }

  /** Takes one; false: it is one too many. `times`: so much more a known sender may bring. */
  take(now: number, times = 1): boolean {
    const earned = ((now - this.#at) * this.#pace.messagesPerSecond * times) / 1000
    this.#used = Math.max(0, this.#used - earned) + 1
    this.#at = now
    return this.#used <= this.#pace.messageBurst * times
  }
}
