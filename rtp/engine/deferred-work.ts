import type { MediaSession } from '../session/media-session.ts'
import type { FaultGuard } from './fault-guard.ts'

/** Ticks in which every session is served once, a frame's time: no deferred work is needed earlier. */
const ticksPerRound = 4

interface Sessions {
  readonly open: readonly MediaSession[]
  /** For each session: until when it has no deferred work. */
  readonly quietUntil: Float64Array
}

/** Runs deferred work (recordings, reports, session ends) of a part of the sessions each tick, in turns. */
export class DeferredWork {
  readonly #guard: FaultGuard
  readonly #sessionDone: (tickAt: number) => void
  /** After whose turn the last tick ended. */
  #turn = 0

  /** `went`: reported after each session's turn. */
  constructor(guard: FaultGuard, went: (tickAt: number) => void) {
    this.#guard = guard
    this.#sessionDone = went
  }

  /** Skips sessions that are quiet until later. */
  run({ open, quietUntil }: Sessions, now: number, tickAt: number): void {
    for (let left = Math.ceil(open.length / ticksPerRound); left > 0; left--) {
      // Downwards: a session that ends takes the last one's place, which has had its turn.
      this.#turn = Math.min(this.#turn <= 0 ? open.length : this.#turn, open.length) - 1
      const session = open[this.#turn]
      if (session === undefined) break
      const place = this.#turn
      if (now < quietUntil[place]!) continue
      try {
        session.tick(now)
        quietUntil[place] = session.quietUntil
      } catch (error) {
        this.#guard.fail(session, error)
      }
      this.#sessionDone(tickAt)
    }
  }
}
