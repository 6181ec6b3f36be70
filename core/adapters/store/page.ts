import type { SelectQueryBuilder } from 'kysely'
import type { Tables } from './schema.ts'

/** Which rows of a list are wanted. */
export interface PageRange {
  readonly limit: number
  readonly offset: number
}

export interface Page<Record> {
  readonly rows: readonly Record[]
  /** Of the whole list. */
  readonly total: number
}

/** The rows of a list that lie in the range, each as its record. */
export async function pageOf<Table extends keyof Tables, Row, Record>(
  list: SelectQueryBuilder<Tables, Table, Row>,
  { limit, offset }: PageRange,
  recordOf: (row: Row) => Record,
): Promise<Page<Record>> {
  const rows = await list.limit(limit).offset(offset).execute()
  const { total } = await list
    .clearSelect()
    .clearOrderBy()
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .$castTo<{ readonly total: number }>()
    .executeTakeFirstOrThrow()
  return { rows: rows.map(row => recordOf(row as Row)), total }
}
