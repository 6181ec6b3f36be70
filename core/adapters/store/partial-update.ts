import type BetterSqlite from 'better-sqlite3'
import type { Database } from './database.ts'
import { StoreError } from './errors.ts'
import type { Tables } from './schema.ts'

type SqlValue = string | number | null

/** Where a record's field lies in its row, and how it is written. Fields that may never change have no entry. */
export type ColumnMap<Model> = {
  readonly [Field in keyof Model]?: { readonly column: string; readonly write: (value: Model[Field]) => SqlValue }
}

/** A column that holds the field as it is. */
export const plain = (column: string) => ({ column, write: (value: SqlValue) => value })

/** A column that holds the field as JSON, null as NULL. */
export const asJson = (column: string) => ({
  column,
  write: (value: object | null) => (value === null ? null : JSON.stringify(value)),
})

/** `UPDATE … SET only what changed WHERE uuid = …`; each combination of fields is compiled once. */
export class PartialUpdate<Model> {
  readonly #database: Database
  readonly #table: keyof Tables
  readonly #columns: ColumnMap<Model>
  readonly #statements = new Map<string, BetterSqlite.Statement<SqlValue[]>>()

  constructor(database: Database, table: keyof Tables, columns: ColumnMap<Model>) {
    this.#database = database
    this.#table = table
    this.#columns = columns
  }

  /** Fields without a column are left alone. Throws `store.misuse` when there is no such row. */
  run(uuid: string, set: Partial<Model>): void {
    const assignments: string[] = []
    const values: SqlValue[] = []
    for (const field in set) {
      const place = this.#columns[field]
      const value = set[field]
      if (place === undefined || value === undefined) continue
      assignments.push(`${place.column} = ?`)
      values.push(place.write(value))
    }
    if (assignments.length === 0) return
    const { changes } = this.#statement(assignments.join(', ')).run(...values, uuid)
    if (changes === 0) throw new StoreError('store.misuse', `${this.#table} has no row ${uuid}`)
  }

  #statement(assignments: string): BetterSqlite.Statement<SqlValue[]> {
    const known = this.#statements.get(assignments)
    if (known !== undefined) return known
    const statement = this.#database.prepare<SqlValue[]>(`UPDATE ${this.#table} SET ${assignments} WHERE uuid = ?`)
    this.#statements.set(assignments, statement)
    return statement
  }
}
