import type BetterSqlite from 'better-sqlite3'
import { StoreError } from './errors.ts'

/** While another process holds the write lock, it is asked for again so often. */
const retryMs = 50
/** Time that closing waits for a lock that another process holds. */
const closeWaitMs = 5000
/** Units that may wait for that lock; one more is refused with `store.busy`. */
const maxWaiting = 100_000
/** After a unit was refused in the company of others, so many transactions guard each of theirs. */
const guardedAfterRefusal = 50

interface Unit {
  /** It returns what answers the waiting caller, which is only called after COMMIT. May run twice, when the first run is undone. */
  readonly run: () => () => void
  readonly fail: (cause: unknown) => void
}

/**
 * Units given within one turn of the event loop share one transaction and so one fsync. One that throws is undone alone and
 * harms no other. Units run in the order in which they were given, but those with long rows: of these there is one in a
 * transaction, after the others, as calls wait for the disk with it.
 *
 * Hardly a unit throws, and in a savepoint SQLite keeps a copy of each page that a unit changes. So units run without one:
 * when one throws, all are undone and run again, each in a savepoint of its own.
 */
export class GroupCommit {
  readonly #sqlite: BetterSqlite.Database
  readonly #begin: BetterSqlite.Statement
  readonly #commit: BetterSqlite.Statement
  readonly #rollback: BetterSqlite.Statement
  readonly #savepoint: BetterSqlite.Statement
  readonly #release: BetterSqlite.Statement
  readonly #undo: BetterSqlite.Statement
  readonly #queue: Unit[] = []
  /** Units with long rows. */
  readonly #long: Unit[] = []
  /** What is to be reported once the unit that runs now is on the disk. */
  #afterCommit: (() => void)[] = []
  #scheduled = false
  #closed = false
  #timed: (durationMs: number, units: number) => void = () => {}
  #blocked: (isBlocked: boolean) => void = () => {}
  #isBlocked = false
  /** Transactions to come that guard each unit at once: a caller whose money is used up may be refused many times a second. */
  #guarded = 0
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
    return this.#queue.length + this.#long.length
  }

  /** Called with the duration of each transaction, from BEGIN until it was on the disk, and how many units shared it. */
  onCommit(timed: (durationMs: number, units: number) => void): void {
    this.#timed = timed
  }

  /** Called when another process holds the write lock, so that units wait, and when it has let go. */
  onBlocked(blocked: (isBlocked: boolean) => void): void {
    this.#blocked = blocked
  }

  /**
   * Queues `work`; the promise resolves with what it returned once that is on the disk. Rejects with what `work`
   * threw (its changes are undone then) or with the fault of the database. `work` is synchronous and touches nothing
   * but the database: an effect elsewhere would survive a rollback, after which it may run once more.
   */
  write<T>(work: () => T): Promise<T> {
    return this.#queued(work, this.#queue)
  }

  /** The same for a unit that writes tens of kilobytes and that no call waits for. */
  writeLong<T>(work: () => T): Promise<T> {
    return this.#queued(work, this.#long)
  }

  #queued<T>(work: () => T, queue: Unit[]): Promise<T> {
    if (this.#closed) return Promise.reject(new StoreError('store.closed', 'the database is closed'))
    if (this.backlog >= maxWaiting) {
      return Promise.reject(new StoreError('store.busy', 'another process holds the write lock of the database'))
    }
    return new Promise<T>((resolve, reject) => {
      const run = () => {
        const value = work()
        return () => resolve(value)
      }
      queue.push({ run, fail: reject })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.flush())
  }

  /** Inside a unit: `callback` is called once its changes are durable, before its promise resolves; never if undone. */
  afterCommit(callback: () => void): void {
    this.#afterCommit.push(callback)
  }

  /** Commits what is queued, now; of the units with long rows the first. */
  flush(): void {
    this.#scheduled = false
    if (this.backlog === 0) return
    const begun = performance.now()
    const isBegun = this.#tryBegin()
    if (isBegun === 'locked') {
      this.#waitForLock()
      return
    }
    const units = [...this.#queue.splice(0), ...this.#long.splice(0, 1)]
    if (this.#long.length > 0) this.#schedule()
    if (isBegun !== 'begun') {
      for (const unit of units) unit.fail(isBegun.fault)
      return
    }
    let settled: readonly (() => void)[] | undefined
    try {
      settled = this.#runAll(units)
      if (settled === undefined) {
        this.#queue.unshift(...units)
        this.#waitForLock()
        return
      }
      this.#commit.run()
    } catch (cause) {
      if (this.#sqlite.inTransaction) this.#rollback.run()
      for (const unit of units) unit.fail(cause)
      return
    }
    this.#transactions++
    this.#units += units.length
    this.#timed(performance.now() - begun, units.length)
    for (const settle of settled) settle()
  }

  #waitForLock(): void {
    this.#scheduled = true
    setTimeout(() => this.flush(), retryMs)
  }

  /** Flushes and takes nothing more. Waits a while for a lock of another process; then what waits is refused. */
  close(): void {
    const until = performance.now() + closeWaitMs
    this.flush()
    while (this.backlog > 0 && performance.now() < until) {
      if (this.#isBlocked) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs)
      this.flush()
    }
    this.#closed = true
    const cause = new StoreError('store.closed', 'the database is closed')
    for (const unit of [...this.#queue.splice(0), ...this.#long.splice(0)]) unit.fail(cause)
  }

  /** A lock of another process is no fault: nothing has been done, and the units can wait. */
  #tryBegin(): 'begun' | 'locked' | { readonly fault: unknown } {
    try {
      this.#begin.run()
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== 'SQLITE_BUSY') return { fault }
      this.#setBlocked(true)
      return 'locked'
    }
    this.#setBlocked(false)
    return 'begun'
  }

  #setBlocked(isBlocked: boolean): void {
    if (this.#isBlocked === isBlocked) return
    this.#isBlocked = isBlocked
    this.#blocked(isBlocked)
  }

  /** Undefined: all are undone, and another process has taken the write lock. */
  #runAll(units: readonly Unit[]): readonly (() => void)[] | undefined {
    const isGuarded = this.#guarded > 0 && units.length > 1
    if (this.#guarded > 0) this.#guarded--
    if (isGuarded) return units.map(unit => this.#runGuarded(unit))
    try {
      return units.map(unit => this.#run(unit))
    } catch (cause) {
      // A full disk or an I/O fault may have rolled back everything already; then there is nothing to share.
      if (units.length === 1 || !this.#sqlite.inTransaction) throw cause
      this.#guarded = guardedAfterRefusal
      this.#rollback.run()
      const isBegun = this.#tryBegin()
      if (isBegun === 'locked') return undefined
      if (isBegun !== 'begun') throw isBegun.fault
      return units.map(unit => this.#runGuarded(unit))
    }
  }

  #run(unit: Unit): () => void {
    this.#afterCommit = []
    const settle = unit.run()
    const callbacks = this.#afterCommit
    if (callbacks.length === 0) return settle
    return () => {
      for (const callback of callbacks) callback()
      settle()
    }
  }

  /** In a savepoint, so that it is undone alone when it throws. */
  #runGuarded(unit: Unit): () => void {
    this.#savepoint.run()
    try {
      const settle = this.#run(unit)
      this.#release.run()
      return settle
    } catch (cause) {
      if (!this.#sqlite.inTransaction) throw cause
      this.#undo.run()
      this.#release.run()
      return () => unit.fail(cause)
    }
  }
}
