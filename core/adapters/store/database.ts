import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { type Compilable, Kysely } from 'kysely'
import { makeFolder } from '../system/make-folder.ts'
import { sharedConnectionDialect } from './dialect.ts'
import { StoreError, unusableStore } from './errors.ts'
import { GroupCommit } from './group-commit.ts'
import { migrate, schemaVersion, versionOf } from './migrations.ts'
import type { Tables } from './schema.ts'

export interface DatabaseOptions {
  /** Path of better-sqlite3's addon, where it is not beside the package (the single binary). */
  readonly nativeBinding?: string
  /** Look only: nothing is made, migrated or locked; a running switch is not disturbed. Default false. */
  readonly readOnly?: boolean
}

export const databaseFile = 'sauti.db'
const lockFile = 'sauti.lock'
/** The files that only SQLite copies rightly, and the lock. */
export const isDatabaseFile = (name: string): boolean => name.startsWith(databaseFile) || name.startsWith(lockFile)
/**
 * Pages of the write-ahead log from which a commit copies them into the database itself: 32 MB. Normally `Checkpoints` does,
 * on another thread; SQLite's own 1000 would be reached first.
 */
const longestLog = 8000
/** Time that opening waits for another process. */
const busyTimeoutMs = 5000
/** Time that a transaction waits inside SQLite before its units wait in their queue. */
const lockWaitMs = 20

/**
 * The database of a data folder, one connection. Reads: `sql` (kysely) or a prepared statement for what runs on
 * every call. Writes that belong together: `write`.
 */
export class Database {
  readonly sql: Kysely<Tables>
  readonly folder: string
  readonly #sqlite: BetterSqlite.Database
  readonly #group: GroupCommit
  readonly #lock: BetterSqlite.Database | undefined

  constructor(folder: string, sqlite: BetterSqlite.Database, lock: BetterSqlite.Database | undefined) {
    this.folder = folder
    this.#sqlite = sqlite
    this.#lock = lock
    this.#group = new GroupCommit(sqlite)
    this.sql = new Kysely<Tables>({ dialect: sharedConnectionDialect(sqlite) })
  }

  /** Compiled once by its owner, at start. Synchronous; outside of `write` it is a transaction of its own. */
  prepare<Parameters extends unknown[], Result = unknown>(text: string): BetterSqlite.Statement<Parameters, Result> {
    return this.#sqlite.prepare<Parameters, Result>(text)
  }

  /**
   * `work` runs soon, synchronously, in a transaction that it shares with other units (group commit); resolves with its
   * value when that is durable. When it throws, its changes are undone and the promise rejects. Inside: prepared statements,
   * `all`, `get`, `run`. It must not await, nor change anything but the database: when another unit throws it runs once more.
   */
  write<T>(work: () => T): Promise<T> {
    return this.#group.write(work)
  }

  /** The same for work that writes tens of kilobytes and that no call waits for: one of them in a transaction. */
  writeLong<T>(work: () => T): Promise<T> {
    return this.#group.writeLong(work)
  }

  /** Inside `write`: `tell` is called once the unit is durable, before its promise resolves. It must not throw. */
  afterCommit(callback: () => void): void {
    this.#group.afterCommit(callback)
  }

  /** Called after each transaction of `write`, with how long it took and how many units shared it. It must not throw. */
  onCommit(timed: (durationMs: number, units: number) => void): void {
    this.#group.onCommit(timed)
  }

  /** Called when another process holds the write lock, so that units wait, and when it has let go. */
  onBlocked(blocked: (isBlocked: boolean) => void): void {
    this.#group.onBlocked(blocked)
  }

  /** Rows of a kysely query, synchronously: for use inside `write`. */
  all<Result>(query: Compilable<Result>): Result[] {
    const { sql, parameters } = query.compile()
    return this.#sqlite.prepare<unknown[], Result>(sql).all(...parameters)
  }

  /** The first row of a kysely query, synchronously. */
  get<Result>(query: Compilable<Result>): Result | undefined {
    const { sql, parameters } = query.compile()
    return this.#sqlite.prepare<unknown[], Result>(sql).get(...parameters)
  }

  /** Runs a kysely statement that returns no rows, synchronously; gives the number of rows changed. */
  run(query: Compilable<unknown>): number {
    const { sql, parameters } = query.compile()
    return this.#sqlite.prepare(sql).run(...parameters).changes
  }

  /** One look at one moment: no commit comes between its reads. Synchronous. */
  snapshot<T>(look: () => T): T {
    return this.#sqlite.transaction(look)()
  }

  /** Runs `work` at once, in a transaction of its own: for temporary tables, which no unit of work and no other process waits for. */
  aside(work: () => void): void {
    this.#sqlite.transaction(work)()
  }

  get counters(): { readonly transactions: number; readonly units: number } {
    return this.#group.counters
  }

  /** Units of work that wait for their commit. */
  get backlog(): number {
    return this.#group.backlog
  }

  /** Commits what is queued, then closes; everything later rejects with `store.closed`. */
  close(): void {
    if (!this.#sqlite.open) return
    if (!this.#sqlite.readonly) this.#group.close()
    this.#sqlite.close()
    this.#lock?.close()
  }
}

/**
 * Opens, and makes or migrates, the database of the data folder. Throws `store.locked` when another process has it
 * open, `store.too-new` when a newer program wrote it, `store.unusable` when the disk or the files refuse, and with
 * `readOnly` `store.not-ready` when there is none yet.
 */
export function openDatabase(folder: string, options: DatabaseOptions = {}): Database {
  try {
    return open(folder, options)
  } catch (cause) {
    throw unusableStore(folder, cause)
  }
}

function open(folder: string, options: DatabaseOptions): Database {
  const native = options.nativeBinding === undefined ? {} : { nativeBinding: options.nativeBinding }
  const file = join(folder, databaseFile)
  if (options.readOnly === true) return openReadOnly(folder, file, native)

  makeFolder(folder)
  const lock = takeLock(join(folder, lockFile), native)
  const sqlite = new BetterSqlite(file, { ...native, timeout: busyTimeoutMs })
  try {
    sqlite.pragma('journal_mode = WAL')
    // FULL: a COMMIT that returned survives a power cut, not only a crash of ours.
    sqlite.pragma('synchronous = FULL')
    sqlite.pragma('foreign_keys = ON')
    // Without it INSERT OR REPLACE would slip past the triggers that keep the ledger.
    sqlite.pragma('recursive_triggers = ON')
    sqlite.pragma('temp_store = MEMORY')
    sqlite.pragma('cache_size = -32000')
    sqlite.pragma(`wal_autocheckpoint = ${longestLog}`)
    migrate(sqlite)
    // From now on a unit waits in its queue for another process, and this thread does not.
    sqlite.pragma(`busy_timeout = ${lockWaitMs}`)
    return new Database(folder, sqlite, lock)
  } catch (cause) {
    sqlite.close()
    lock.close()
    throw cause
  }
}

function openReadOnly(folder: string, file: string, native: { nativeBinding?: string }): Database {
  let sqlite: BetterSqlite.Database
  try {
    sqlite = new BetterSqlite(file, { ...native, readonly: true, fileMustExist: true, timeout: busyTimeoutMs })
  } catch (cause) {
    throw new StoreError('store.not-ready', `no database in ${folder}`, { cause })
  }
  let version: number
  try {
    version = versionOf(sqlite)
  } catch (cause) {
    sqlite.close()
    throw cause
  }
  if (version !== schemaVersion) {
    sqlite.close()
    throw new StoreError(
      'store.not-ready',
      `${file} has schema ${version}, this program reads ${schemaVersion}: ${version > schemaVersion ? 'use the newer program that wrote it' : 'start this program on it once, which brings it up to date'}`,
    )
  }
  return new Database(folder, sqlite, undefined)
}

/**
 * Two switches on one folder would each close the other's live calls as that a crash left open. The lock is an open
 * transaction on a file of its own: the system drops it with the process, however that ends.
 */
function takeLock(file: string, native: { nativeBinding?: string }): BetterSqlite.Database {
  const lock = new BetterSqlite(file, { ...native, timeout: 0 })
  try {
    lock.pragma('journal_mode = MEMORY')
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (cause) {
    lock.close()
    if ((cause as NodeJS.ErrnoException).code !== 'SQLITE_BUSY') throw cause
    throw new StoreError(
      'store.locked',
      `the data folder ${dirname(file)} is in use by another process, which holds ${file}: close that one, or name another folder`,
      { cause },
    )
  }
}

/** A switch, or another program, holds the data folder. */
export function isFolderInUse(folder: string): boolean {
  const file = join(folder, lockFile)
  if (!existsSync(file)) return false
  try {
    takeLock(file, {}).close()
    return false
  } catch (cause) {
    if (cause instanceof StoreError && cause.code === 'store.locked') return true
    throw cause
  }
}

/** Schema of the database in a folder, looked at without changing it; undefined when there is none. */
export function storedSchema(folder: string): number | undefined {
  const file = join(folder, databaseFile)
  if (!existsSync(file)) return undefined
  try {
    const sqlite = new BetterSqlite(file, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs })
    try {
      return versionOf(sqlite)
    } finally {
      sqlite.close()
    }
  } catch (cause) {
    throw unusableStore(folder, cause)
  }
}
