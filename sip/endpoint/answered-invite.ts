import { RepeatedAnswer } from '../dialog/repeated-answer.ts'
import { Timer } from '../transaction/timer-queue.ts'
import type { ServerTransaction, TimerOwner } from '../transaction/transaction.ts'
import type { Agent } from './agent.ts'

/** Our 2xx to an INVITE, repeated until its ACK comes or nobody can expect it any more (RFC 3261 §13.3.1.4). */
export class AnsweredInvite implements TimerOwner {
  readonly #agent: Agent
  readonly #gaveUp: (now: number) => void
  readonly #timer = new Timer<TimerOwner>(this, 'repeat')
  #open:
    | { readonly transaction: ServerTransaction; readonly bytes: Uint8Array; readonly repeated: RepeatedAnswer }
    | undefined

  constructor(agent: Agent, gaveUp: (now: number) => void) {
    this.#agent = agent
    this.#gaveUp = gaveUp
  }

  /** The ACK is still to come. */
  get waits(): boolean {
    return this.#open !== undefined
  }

  begin(transaction: ServerTransaction, bytes: Uint8Array, now: number): void {
    const repeated = new RepeatedAnswer(transaction.request.cseq, this.#agent.settings.timers, now)
    this.#open = { transaction, bytes, repeated }
    this.#agent.timers.set(this.#timer, repeated.deadline)
  }

  /** False: the ACK belongs to no answer that waits for one. */
  acknowledged(cseq: number): boolean {
    if (this.#open?.repeated.cseq !== cseq) return false
    this.stop()
    return true
  }

  stop(): void {
    this.#open = undefined
    this.#agent.timers.stop(this.#timer)
  }

  expired(_name: string, now: number): void {
    if (this.#open === undefined) return
    const { transaction, bytes, repeated } = this.#open
    if (repeated.next(now) === 'give-up') {
      this.stop()
      this.#gaveUp(now)
      return
    }
    this.#agent.layer.respond(transaction, 200, bytes, now)
    this.#agent.timers.set(this.#timer, repeated.deadline)
  }
}
