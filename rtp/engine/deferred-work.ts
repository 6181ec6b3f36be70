import type { Session } from '../session/media-session.ts'
import type { FaultGuard } from './fault-guard.ts'

/** Of a tick of 5 ms: what is done later than this would be done in the next one's time. */
const behindMs = 3.5
/** However late it is: each session has its turn in so many ticks. */
const ticksPerRound = 4

/** What can wait, session by session, as far as a tick's time goes: what the next one has to do would be late by it. */
export class RestTurns {
  readonly #guard: FaultGuard
  readonly #now: () => number
  readonly #went: (beatAt: number) => void
  /** Behind whose turn the last tick ended. */
  #turn = 0

  /** `went`: told after each session's turn. */
  constructor(guard: FaultGuard, now: () => number, went: (beatAt: number) => void) {
    this.#guard = guard
    this.#now = now
    this.#went = went
  }

  take(open: readonly Session[], now: number, beatAt: number): void {
    const least = Math.ceil(open.length / ticksPerRound)
    for (let done = 0, all = open.length; done < all; done++) {
      if (done >= least && this.#now() - beatAt > behindMs) break
      // Downwards: a session that ends takes the last one's place, which has had its turn.
      this.#turn = Math.min(this.#turn <= 0 ? open.length : this.#turn, open.length) - 1
      const session = open[this.#turn]
      if (session === undefined) break
      try {
        session.tick(now)
      } catch (error) {
        this.#guard.fail(session, error)
      }
      this.#went(beatAt)
    }
  }
}
