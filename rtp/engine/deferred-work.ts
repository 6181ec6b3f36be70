import type { MediaSession } from '../session/media-session.ts'
import type { FaultGuard } from './fault-guard.ts'

/** The part of a 5 ms tick after which no more deferred work begins. */
const budgetMs = 3.5
/** However late a tick is: every session is served once in so many ticks. */
const ticksPerRound = 4

/** Runs deferred work (recordings, reports, session ends) round-robin within the tick's time budget. */
export class DeferredWork {
  readonly #guard: FaultGuard
  readonly #now: () => number
  readonly #sessionDone: (tickAt: number) => void
  /** After whose turn the last tick ended. */
  #turn = 0

  /** `went`: reported after each session's turn. */
  constructor(guard: FaultGuard, now: () => number, went: (tickAt: number) => void) {
    this.#guard = guard
    this.#now = now
    this.#sessionDone = went
  }

  run(open: readonly MediaSession[], now: number, tickAt: number): void {
    const least = Math.ceil(open.length / ticksPerRound)
    for (let done = 0, all = open.length; done < all; done++) {
      if (done >= least && this.#now() - tickAt > budgetMs) break
      // Downwards: a session that ends takes the last one's place, which has had its turn.
      this.#turn = Math.min(this.#turn <= 0 ? open.length : this.#turn, open.length) - 1
      const session = open[this.#turn]
      if (session === undefined) break
      try {
        session.tick(now)
      } catch (error) {
        this.#guard.fail(session, error)
      }
      this.#sessionDone(tickAt)
    }
  }
}
