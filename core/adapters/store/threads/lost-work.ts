import type { Log } from '../../../ports/log.ts'
import { beginningsOf, type LostBeginnings } from '../lost-units.ts'
import type { Served } from '../served.ts'
import { unitOf } from './protocol.ts'
import type { LostCall } from './thread-link.ts'

/** Pause before it is tried again when the database fails; after each failure twice as long, up to a minute. */
const retryMs = 1000
const mostRetryMs = 60_000

interface LostWorkOptions {
  readonly end: Served['lostUnits']['end']
  /** Wall clock, Unix ms. */
  readonly unixMs: () => number
  readonly log: Log
}

/** What a writer that died may have committed, until the next writer has ended what calls know nothing of. */
export class LostWork {
  readonly #options: LostWorkOptions
  readonly #lost: LostBeginnings[] = []
  #isAsking = false
  #failures = 0
  #retry: NodeJS.Timeout | undefined

  constructor(options: LostWorkOptions) {
    this.#options = options
  }

  /** The writer has died; these have no answer. */
  add(calls: readonly LostCall[]): void {
    const units = calls.map(({ call }) => unitOf(call))
    const lost = beginningsOf(units, this.#options.unixMs())
    if (lost !== undefined) this.#lost.push(lost)
  }

  /** The next writer can write. */
  settle(): void {
    clearTimeout(this.#retry)
    if (!this.#isAsking) void this.#end()
  }

  /** What is left is ended by the next start, with all that is open then. */
  close(): void {
    clearTimeout(this.#retry)
    this.#lost.length = 0
  }

  async #end(): Promise<void> {
    const { end, log } = this.#options
    this.#isAsking = true
    try {
      for (let [lost] = this.#lost; lost !== undefined; [lost] = this.#lost) {
        const ended = await end(lost)
        this.#lost.shift()
        this.#failures = 0
        if (ended.calls + ended.holds > 0)
          log.warn({ ...ended }, 'ended what a database thread that died had committed')
      }
    } catch (fault) {
      const pauseMs = Math.min(mostRetryMs, retryMs * 2 ** this.#failures++)
      log.error({ fault: String(fault) }, 'what a database thread that died had committed could not be ended')
      if (this.#lost.length > 0) this.#retry = setTimeout(() => this.settle(), pauseMs).unref()
    } finally {
      this.#isAsking = false
    }
  }
}
