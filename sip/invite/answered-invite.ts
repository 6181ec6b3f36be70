import { RepeatedAnswer } from '../dialog/repeated-answer.ts'
import { Timer, type TimerQueue } from '../transaction/timer-queue.ts'
import type { TimerSettings } from '../transaction/timer-settings.ts'
import type { ServerTransaction, TimerOwner } from '../transaction/transaction.ts'

export interface AnsweredInviteOwner {
  /** Once more. */
  repeat(transaction: ServerTransaction, bytes: Uint8Array, now: number): void
  gaveUp(now: number): void
}

/** Our 2xx to an INVITE, repeated until its ACK comes or 64*T1 are over (RFC 3261 §13.3.1.4). */
export class AnsweredInvite implements TimerOwner {
  readonly #queue: TimerQueue<TimerOwner>
  readonly #settings: TimerSettings
  readonly #owner: AnsweredInviteOwner
  readonly #timer = new Timer<TimerOwner>(this, 'repeat')
  #open:
    | { readonly transaction: ServerTransaction; readonly bytes: Uint8Array; readonly repeated: RepeatedAnswer }
    | undefined

  constructor(queue: TimerQueue<TimerOwner>, settings: TimerSettings, owner: AnsweredInviteOwner) {
    this.#queue = queue
    this.#settings = settings
    this.#owner = owner
  }

  /** The ACK is still to come. */
  get waits(): boolean {
    return this.#open !== undefined
  }

  begin(transaction: ServerTransaction, bytes: Uint8Array, now: number): void {
    const repeated = new RepeatedAnswer(transaction.request.cseq, this.#settings, now)
    this.#open = { transaction, bytes, repeated }
    this.#queue.set(this.#timer, repeated.deadline)
  }

  /** False: the ACK belongs to no answer that waits for one. */
  acknowledged(cseq: number): boolean {
    if (this.#open?.repeated.cseq !== cseq) return false
    this.stop()
    return true
  }

  stop(): void {
    this.#open = undefined
    this.#queue.stop(this.#timer)
  }

  expired(_name: string, now: number): void {
    if (this.#open === undefined) return
    const { transaction, bytes, repeated } = this.#open
    if (repeated.next(now) === 'give-up') {
      this.stop()
      this.#owner.gaveUp(now)
      return
    }
    this.#owner.repeat(transaction, bytes, now)
    this.#queue.set(this.#timer, repeated.deadline)
  }
}
