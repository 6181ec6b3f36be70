import { Timer, type TimerQueue } from '../transaction/timer-queue.ts'
import type { TimerOwner } from '../transaction/transaction.ts'

/** A connection that has closed, until its peer can no longer be expected back. */
export class FlowLoss implements TimerOwner {
  readonly #lost: (now: number) => void

  constructor(timers: TimerQueue<TimerOwner>, deadline: number, lost: (now: number) => void) {
    this.#lost = lost
    timers.set(new Timer<TimerOwner>(this, 'flow-loss'), deadline)
  }

  expired(_name: string, now: number): void {
    this.#lost(now)
  }
}
