import { api, must } from '../api.ts'
import type { Call } from '../api-types.ts'
import type { CallsAsked } from '../call-list.ts'
import { csvOf } from '../csv.ts'
import { count } from '../format.ts'
import { save } from '../save-file.ts'
import { t } from '../texts/index.ts'
import { tell } from '../ui/basics.tsx'

const atOnce = 200
/** More than that is asked of the API, by a program. */
const mostRows = 10_000

const columns = [
  'sid',
  'direction',
  'from_number',
  'to_number',
  'status',
  'reason_code',
  'reason_label',
  'problem_code',
  'created_at',
  'answered_at',
  'ended_at',
  'duration_seconds',
  'talk_seconds',
  'cost',
] as const satisfies readonly (keyof Call)[]

/** The calls that fit the filters of the list, newest first, as a file. */
export async function exportCalls(asked: CallsAsked): Promise<void> {
  // Calls that come meanwhile would move the pages.
  const query = { to_dt: new Date().toISOString(), ...asked, limit: atOnce }
  const rows: string[][] = []
  for (let offset = 0; offset < mostRows; offset += atOnce) {
    const { calls, total } = await must(api.GET('/calls/', { params: { query: { ...query, offset } } }))
    for (const call of calls) rows.push(columns.map(name => String(call[name] ?? '')))
    if (calls.length < atOnce || rows.length >= total) break
    if (rows.length >= mostRows) tell(t('exportCut', { count: count(mostRows), total: count(total) }), true)
  }
  save('calls.csv', 'text/csv', csvOf(columns, rows))
}
