import type { EngineEvent } from '../contract/event.ts'
import type { MediaSession } from '../session/media-session.ts'

const mostDetail = 2000

/** Runs a session's code that may have a fault of ours: the session ends, the thread and its other sessions go on. */
export class FaultGuard {
  readonly #emit: (event: EngineEvent) => void
  readonly #end: (session: MediaSession) => void
  #faults = 0

  /** `end` closes a session, and may fail too. */
  constructor(emit: (event: EngineEvent) => void, end: (session: MediaSession) => void) {
    this.#emit = emit
    this.#end = end
  }

  /** Sessions that were ended so. */
  get faults(): number {
    return this.#faults
  }

  run(session: MediaSession, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.fail(session, error)
    }
  }

  fail(session: MediaSession, error: unknown): void {
    this.#faults++
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
    this.#emit({ type: 'failed', session: session.id, fault: 'internal', detail: detail.slice(0, mostDetail) })
    try {
      this.#end(session)
    } catch {
      // A session that could not be ended properly is forgotten all the same: it has reported `closed`.
    }
  }
}
