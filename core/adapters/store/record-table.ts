import type BetterSqlite from 'better-sqlite3'
import type { Database } from './database.ts'
import { StoreError } from './errors.ts'
import type { Tables } from './schema.ts'

type SqlValue = string | number | null

/** Where a record's fields lie in its row, and how each is written. */
export type Columns<Model> = {
  readonly [Field in keyof Model]-?: { readonly column: string; readonly write: (value: Model[Field]) => SqlValue }
}

/** A column that holds the field as it is. */
export const plain = (column: string) => ({ column, write: (value: SqlValue) => value })

/** A column that holds the field as JSON, null as NULL. */
export const asJson = (column: string) => ({
  column,
  write: (value: object | null) => (value === null ? null : JSON.stringify(value)),
})

/** Writes records of one kind into their table. Synchronous: for use inside a unit of work. */
export class RecordTable<Model> {
  readonly #database: Database
  readonly #table: keyof Tables
  readonly #columns: Columns<Model>
  readonly #fixed: ReadonlySet<keyof Model>
  readonly #insert: BetterSqlite.Statement<SqlValue[]>
  readonly #updates = new Map<string, BetterSqlite.Statement<SqlValue[]>>()

  /** `fixed`: fields that an update leaves alone. */
  constructor(database: Database, table: keyof Tables, columns: Columns<Model>, fixed: readonly (keyof Model)[]) {
    this.#database = database
    this.#table = table
    this.#columns = columns
    this.#fixed = new Set(fixed)
    const names: string[] = []
    for (const field in columns) names.push(columns[field].column)
    const places = names.map(() => '?').join(', ')
    this.#insert = database.prepare<SqlValue[]>(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})`)
  }

  insert(record: Model): void {
    const values: SqlValue[] = []
    for (const field in this.#columns) values.push(this.#columns[field].write(record[field]))
    this.#insert.run(...values)
  }

  /** The record as it is after an update. */
  updated(record: Model, set: Partial<Model>): Model {
    const updated = { ...record }
    for (const field in set) {
      const value = set[field]
      if (value !== undefined && !this.#fixed.has(field)) updated[field] = value
    }
    return updated
  }

  /**
   * `UPDATE … SET only what changed WHERE uuid = …`; each combination of fields is compiled once. Throws `store.misuse`
   * when there is no such row.
   */
  update(uuid: string, set: Partial<Model>): void {
    const assignments: string[] = []
    const values: SqlValue[] = []
    for (const field in set) {
      const value = set[field]
      if (value === undefined || this.#fixed.has(field)) continue
      const { column, write } = this.#columns[field]
      assignments.push(`${column} = ?`)
      values.push(write(value))
    }
    if (assignments.length === 0) return
    const { changes } = this.#updating(assignments.join(', ')).run(...values, uuid)
    if (changes === 0) throw new StoreError('store.misuse', `${this.#table} has no row ${uuid}`)
  }

  #updating(assignments: string): BetterSqlite.Statement<SqlValue[]> {
    const known = this.#updates.get(assignments)
    if (known !== undefined) return known
    const statement = this.#database.prepare<SqlValue[]>(`UPDATE ${this.#table} SET ${assignments} WHERE uuid = ?`)
    this.#updates.set(assignments, statement)
    return statement
  }
}
