import { retentionBatch, retentionPause, retentionRetryMs } from '../../events/retention.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Database } from './database.ts'

interface EventPurgeParts {
  readonly oldEvents: Pick<OldEvents, 'purge'>
  readonly clock: Clock
  readonly log: Log
  /** How long events are kept; Infinity = for ever. */
  readonly keptMs: number
}

/** Events whose callback has not ended stay until it has. */
const isFree = 'NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.event_id = events.id)'

/**
 * The beginning of the event log. Events are in the order in which they happened, so that only the beginning is looked
 * at, however long it is.
 */
export class OldEvents {
  readonly #database: Database
  readonly #oldest
  readonly #remove

  constructor(database: Database) {
    this.#database = database
    this.#oldest = database.prepare<[number], { id: number; created_unix: number }>(
      `SELECT id, created_unix FROM events WHERE ${isFree} ORDER BY id LIMIT ?`,
    )
    this.#remove = database.prepare<[number]>(`DELETE FROM events WHERE id <= ? AND ${isFree}`)
  }

  /** Removes a batch of what is older than `keptMs`, the oldest first; gives how long to wait before the next. */
  purge(keptMs: number, unixMs: number): Promise<number> {
    return this.#database.write(() => {
      const rows = this.#oldest.all(retentionBatch)
      const young = rows.findIndex(row => row.created_unix > unixMs - keptMs)
      const old = young === -1 ? rows : rows.slice(0, young)
      const last = old.at(-1)
      if (last !== undefined) this.#remove.run(last.id)
      return retentionPause(old.length === retentionBatch, rows[old.length]?.created_unix, keptMs, unixMs)
    })
  }
}

/** Removes events that are older than they are kept, a batch a transaction. */
export class EventPurge {
  readonly #parts: EventPurgeParts
  #cancel: () => void = () => {}
  #pass: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(parts: EventPurgeParts) {
    this.#parts = parts
  }

  /** The first pass begins at once. */
  start(): void {
    if (this.#parts.keptMs !== Number.POSITIVE_INFINITY) this.#pass = this.#run()
  }

  /** Resolves when the pass that runs, or ran last, has ended. */
  get pass(): Promise<void> {
    return this.#pass
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel()
    await this.#pass
  }

  async #run(): Promise<void> {
    const { oldEvents, clock, log, keptMs } = this.#parts
    let pause = retentionRetryMs
    try {
      pause = await oldEvents.purge(keptMs, clock.unixMs())
    } catch (fault) {
      log.error({ fault: String(fault) }, 'purging events failed')
    }
    if (this.#isStopped) return
    this.#cancel = clock.at(clock.now() + pause, () => {
      this.#pass = this.#run()
    })
  }
}
