import type { Database } from './database.ts'
import { type Page, type PageRange, pageOf } from './page.ts'
import type { Row } from './schema.ts'

/** What an operator changed: who, what, and how it was before and after, as JSON. */
export interface OperatorChange {
  readonly id: number
  /** `key`, or the session's uuid. */
  readonly actor: string
  readonly address: string
  readonly action: string
  readonly path: string
  readonly status: number
  readonly before: string | null
  readonly after: string | null
  readonly createdUnix: number
}

/** Older ones are forgotten. */
const kept = 10_000

/** The audit log of the operator's side. */
export class OperatorChanges {
  readonly #database: Database
  readonly #forget

  constructor(database: Database) {
    this.#database = database
    this.#forget = database.prepare<[number]>('DELETE FROM operator_changes WHERE id <= ?')
  }

  note(change: Omit<OperatorChange, 'id' | 'createdUnix'>, unixMs: number): Promise<void> {
    const { actor, address, action, path, status, before, after } = change
    return this.#database.write(() => {
      const row = { actor, address, action, path, status, before, after, created_unix: unixMs }
      this.#database.run(this.#database.sql.insertInto('operator_changes').values(row))
      const last = this.#database.get(
        this.#database.sql.selectFrom('operator_changes').select(of => of.fn.max<number>('id').as('id')),
      )
      this.#forget.run((last?.id ?? 0) - kept)
    })
  }

  /** Newest first. */
  list(range: PageRange): Promise<Page<OperatorChange>> {
    const all = this.#database.sql.selectFrom('operator_changes').selectAll()
    return pageOf(all.orderBy('id', 'desc'), range, recordOf)
  }
}

const recordOf = (row: Row<'operator_changes'>): OperatorChange => {
  const { created_unix: createdUnix, ...same } = row
  return { ...same, createdUnix }
}
