import type { TimerSettings } from '../transaction/timer-settings.ts'
import { giveUpAfter } from '../transaction/timer-settings.ts'

/**
 * RFC 3261 §13.3.1.4: a 2xx to INVITE is repeated by the core itself, over any transport, with an interval that
 * starts at T1 and doubles up to T2, until the ACK comes or 64 × T1 are over. The same waits serve reliable
 * provisional responses until their PRACK, without the ceiling of T2 (RFC 3262 §3).
 */
export class RepeatedAnswer {
  readonly cseq: number
  readonly #settings: TimerSettings
  readonly #giveUpAt: number
  readonly #ceiling: number
  #interval: number
  deadline: number

  constructor(cseq: number, settings: TimerSettings, now: number, ceiling: number = settings.t2) {
    this.cseq = cseq
    this.#settings = settings
    this.#ceiling = ceiling
    this.#giveUpAt = now + giveUpAfter(settings)
    this.#interval = settings.t1
    this.deadline = now + this.#interval
  }

  /** Its deadline has come: send again, or give up. */
  next(now: number): 'send' | 'give-up' {
    if (now >= this.#giveUpAt) return 'give-up'
    this.#interval = Math.min(2 * this.#interval, Math.max(this.#ceiling, this.#settings.t1))
    this.deadline = Math.min(now + this.#interval, this.#giveUpAt)
    return 'send'
  }
}
