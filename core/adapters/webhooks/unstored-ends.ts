import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { CallbackEnd } from '../store/callback-ends.ts'
import type { PendingCallback } from '../store/outbox.ts'
import type { Served } from '../store/served.ts'

/** Pause before the ends are stored again when the database fails; after each failure twice as long, up to a minute. */
const retryMs = 1000
const mostRetryMs = 60_000
/** Ends that wait for it; the callback of an older one stays in the outbox, and is sent again after the next start. */
const mostKept = 10_000

interface UnstoredEndsParts {
  readonly callbackEnds: Pick<Served['callbackEnds'], 'store'>
  readonly clock: Clock
  readonly log: Log
}

interface UnstoredEnd {
  readonly callback: PendingCallback
  readonly end: CallbackEnd
  readonly unixMs: number
}

/** Ends of callbacks that the database has not taken. They are stored again, so that no callback is sent twice. */
export class UnstoredEnds {
  readonly #parts: UnstoredEndsParts
  readonly #ends = new Set<UnstoredEnd>()
  #failures = 0
  #isStopped = false
  #cancel: (() => void) | undefined

  constructor(parts: UnstoredEndsParts) {
    this.#parts = parts
  }

  add(end: UnstoredEnd): void {
    for (const oldest of this.#ends) {
      if (this.#ends.size < mostKept) break
      this.#ends.delete(oldest)
    }
    this.#ends.add(end)
    if (this.#cancel === undefined) this.#wait()
  }

  /** What is left is sent again after the next start. */
  stop(): void {
    this.#isStopped = true
    this.#cancel?.()
    this.#ends.clear()
  }

  #wait(): void {
    const { clock } = this.#parts
    const pauseMs = Math.min(mostRetryMs, retryMs * 2 ** this.#failures)
    this.#cancel = clock.at(clock.now() + pauseMs, () => void this.#storeAll())
  }

  async #storeAll(): Promise<void> {
    const { callbackEnds, log } = this.#parts
    let fault: unknown
    for (const unstored of this.#ends) {
      this.#ends.delete(unstored)
      try {
        await callbackEnds.store(unstored.callback, unstored.end, unstored.unixMs)
      } catch (cause) {
        fault = cause
        // Behind the others, as it may be the only one that cannot be stored.
        if (!this.#isStopped) this.#ends.add(unstored)
        break
      }
    }
    this.#cancel = undefined
    if (fault === undefined) this.#failures = 0
    else log.error({ ends: this.#ends.size, fault: String(fault) }, 'ends of callbacks could not be stored again')
    if (this.#ends.size === 0) return
    this.#failures++
    this.#wait()
  }
}
