import { performance } from 'node:perf_hooks'

/** Age of a turn of the event loop up to which work goes on; then everything else has its turn. */
const turnMs = 2
/** Time in an older turn for what must go on in each: then a pause of the thread is not made longer by what came meanwhile. */
const leastMs = 0.5

/** What is known of an event loop. */
interface LoopFigures {
  /** Turns that have begun. */
  readonly turns: () => number
  /** For how long it has waited for something to happen, ms. */
  readonly waitedMs: () => number
}

/**
 * A turn of the event loop, from one wait of the loop to the next: responses, answers of the store, timers and new calls
 * share its time, since each of them waits for all that is done before it.
 */
export class Turn {
  readonly #now: () => number
  readonly #loop: LoopFigures
  #last = -1
  #began = 0
  #askedAt: number
  #waitedMs: number

  /** `now`: monotonic, ms. */
  constructor(now: () => number, loop: LoopFigures = loopOfThread) {
    this.#now = now
    this.#loop = loop
    this.#askedAt = now()
    this.#waitedMs = loop.waitedMs()
  }

  /** Since when this turn runs, ms: also before it was first asked, as while V8 collects garbage. */
  began(): number {
    const now = this.#now()
    const turns = this.#loop.turns()
    if (turns !== this.#last) {
      const waitedMs = this.#loop.waitedMs()
      this.#began = Math.min(now, this.#askedAt + waitedMs - this.#waitedMs)
      this.#last = turns
      this.#waitedMs = waitedMs
    }
    this.#askedAt = now
    return this.#began
  }

  /** Up to when something may go on that can wait for the next turn as well. */
  end(): number {
    return this.began() + turnMs
  }

  /** Up to when something may go on that begins now and must have some time in each turn, however old the turn is. */
  leastEnd(): number {
    return Math.max(this.end(), this.shortEnd())
  }

  /** Up to when something may go on while others still wait. */
  shortEnd(): number {
    return this.#now() + leastMs
  }
}

/** libuv counts a turn before it waits, so that immediates and timers belong to the wait before them. */
const loopOfThread: LoopFigures = {
  turns: () => performance.nodeTiming.uvMetricsInfo.loopCount,
  waitedMs: () => performance.nodeTiming.idleTime,
}
