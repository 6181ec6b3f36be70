import type BetterSqlite from 'better-sqlite3'
import { StoreError } from './errors.ts'

interface Unit {
  /** Runs inside the unit's savepoint; its return tells the waiting caller, and is only called after COMMIT. */
  readonly run: () => () => void
  readonly fail: (cause: unknown) => void
}

/**
 * Units given within one turn of the event loop share one transaction and so one fsync. Each stands in a savepoint of
 * its own: one that throws is undone alone and harms no other. Units run in the order in which they were given.
 */
export class GroupCommit {
  readonly #sqlite: BetterSqlite.Database
  readonly #begin: BetterSqlite.Statement
  readonly #commit: BetterSqlite.Statement
  readonly #rollback: BetterSqlite.Statement
  readonly #savepoint: BetterSqlite.Statement
  readonly #release: BetterSqlite.Statement
  readonly #undo: BetterSqlite.Statement
  #queue: Unit[] = []
  /** What is to be told once the unit that runs now is on the disk. */
  #told: (() => void)[] = []
  #scheduled = false
  #closed = false
  #timed: (durationMs: number) => void = () => {}
  #transactions = 0
  #units = 0

  constructor(sqlite: BetterSqlite.Database) {
    this.#sqlite = sqlite
    this.#begin = sqlite.prepare('BEGIN IMMEDIATE')
    this.#commit = sqlite.prepare('COMMIT')
    this.#rollback = sqlite.prepare('ROLLBACK')
    this.#savepoint = sqlite.prepare('SAVEPOINT unit')
    this.#release = sqlite.prepare('RELEASE unit')
    this.#undo = sqlite.prepare('ROLLBACK TO unit')
  }

  /** How many units shared how many transactions. */
  get counters(): { readonly transactions: number; readonly units: number } {
    return { transactions: this.#transactions, units: this.#units }
  }

  /** Units that wait for their commit. */
  get backlog(): number {
    return this.#queue.length
  }

  /** Hears how long each transaction took, from BEGIN until it was on the disk. */
  onCommit(timed: (durationMs: number) => void): void {
    this.#timed = timed
  }

  /**
   * Queues `work`; the promise resolves with what it returned once that is on the disk. Rejects with what `work`
   * threw (its changes are undone then) or with the fault of the database. `work` is synchronous and touches nothing
   * but the database: an effect elsewhere would survive a rollback.
   */
  write<T>(work: () => T): Promise<T> {
    if (this.#closed) return Promise.reject(new StoreError('store.closed', 'the database is closed'))
    return new Promise<T>((resolve, reject) => {
      const run = () => {
        const value = work()
        return () => resolve(value)
      }
      this.#queue.push({ run, fail: reject })
      if (this.#scheduled) return
      this.#scheduled = true
      setImmediate(() => this.flush())
    })
  }

  /** Inside a unit: `tell` is called once its changes are durable, before its promise resolves; never if undone. */
  afterCommit(tell: () => void): void {
    this.#told.push(tell)
  }

  /** Commits what is queued, now. */
  flush(): void {
    this.#scheduled = false
    const units = this.#queue
    if (units.length === 0) return
    this.#queue = []
    const settled: (() => void)[] = []
    const begun = performance.now()
    try {
      this.#begin.run()
      for (const unit of units) settled.push(this.#runOne(unit))
      this.#commit.run()
    } catch (cause) {
      if (this.#sqlite.inTransaction) this.#rollback.run()
      for (const unit of units) unit.fail(cause)
      return
    }
    this.#transactions++
    this.#units += units.length
    this.#timed(performance.now() - begun)
    for (const settle of settled) settle()
  }

  /** Flushes and takes nothing more. */
  close(): void {
    this.flush()
    this.#closed = true
  }

  #runOne(unit: Unit): () => void {
    this.#told = []
    this.#savepoint.run()
    try {
      const settle = unit.run()
      this.#release.run()
      const told = this.#told
      if (told.length === 0) return settle
      return () => {
        for (const tell of told) tell()
        settle()
      }
    } catch (cause) {
      // A full disk or an I/O fault may have rolled back everything already; then there is nothing to share.
      if (!this.#sqlite.inTransaction) throw cause
      this.#undo.run()
      this.#release.run()
      return () => unit.fail(cause)
    }
  }
}
