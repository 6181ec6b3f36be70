import { type BookProblem, checkBooks } from './check.ts'
import type { Database } from './database.ts'

/** The books of a running switch. */
export class Books {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** What `sauti check` finds, of one moment; empty = all is well. */
  async problems(): Promise<readonly BookProblem[]> {
    return checkBooks(this.#database)
  }
}
