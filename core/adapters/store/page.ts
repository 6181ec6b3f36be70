import type { SelectQueryBuilder } from 'kysely'
import type { Page, PageRange } from '../../model/list.ts'
import type { Tables } from './schema.ts'

export type { Page, PageRange }

/** The rows of a list that are in the range, each as its record. */
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
