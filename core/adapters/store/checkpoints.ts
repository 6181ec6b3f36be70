import type BetterSqlite from 'better-sqlite3'

/** Pages in the log from which copying them pays its two fsyncs: 8 MB. */
const leastPages = 2000
/** So often in a row what was written meanwhile is copied too. */
const mostPasses = 6

/**
 * Copies the write-ahead log into the database file on a connection of its own. A connection that commits would do so in the
 * midst of a commit, which is answered after it: the fsync of the database file takes 3 ms, and now and then 100. Nothing
 * is blocked by it (`PASSIVE`). The log begins again from its start with the first write that finds all of it copied.
 */
export class Checkpoints {
  readonly #sqlite: BetterSqlite.Database
  #leftBefore = 0

  constructor(sqlite: BetterSqlite.Database) {
    this.#sqlite = sqlite
  }

  /** Call it several times a second. Throws what the disk refuses. */
  look(): void {
    const left = this.#left('NOOP')
    // Nothing was written since the last look: no commit runs beside it.
    const isQuiet = left > 0 && left === this.#leftBefore
    this.#leftBefore = left >= leastPages || isQuiet ? this.#copy() : left
  }

  /** Each pass leaves what was written while it ran, which is less each time. */
  #copy(): number {
    let left = this.#left('PASSIVE')
    for (let passes = 1; left > 0 && passes < mostPasses; passes++) left = this.#left('PASSIVE')
    return left
  }

  /** Pages that are in the log alone, after a checkpoint of that mode. */
  #left(mode: 'NOOP' | 'PASSIVE'): number {
    const [row] = this.#sqlite.pragma(`wal_checkpoint(${mode})`) as { log: number; checkpointed: number }[]
    return row === undefined ? 0 : row.log - row.checkpointed
  }
}
