import { sessions } from '../api.ts'
import type { PortalSession } from '../api-types.ts'
import { dateTime } from '../format.ts'
import { t, word } from '../texts/index.ts'
import { attempt, Badge, Button } from '../ui/basics.tsx'
import { Table } from '../ui/table.tsx'

/** Signed-in browsers, and a way to end each. */
export const SessionTable = ({
  rows,
  end,
}: {
  readonly rows: readonly PortalSession[]
  readonly end: (uuid: string) => Promise<unknown>
}) => {
  const own = [sessions.value?.customer?.session, sessions.value?.operator?.session]
  return (
    <Table
      caption={t('sessions')}
      rows={rows}
      keyOf={row => row.uuid}
      columns={[
        {
          head: t('browser'),
          class: 'grow',
          cell: row => (
            <span class="badges">
              {own.includes(row.uuid) && <Badge tone="live">{t('thisOne')}</Badge>}{' '}
              <span class="cut">{row.user_agent}</span>
            </span>
          ),
        },
        {
          head: t('origin'),
          cell: row => <Badge tone={row.origin === 'operator' ? 'warn' : 'calm'}>{word('origin', row.origin)}</Badge>,
        },
        { head: t('address'), cell: row => row.address },
        { head: t('lastUsed'), class: 'brief', cell: row => dateTime(row.last_used_at) },
        { head: '', cell: row => <Button onClick={() => attempt(() => end(row.uuid))}>{t('end')}</Button> },
      ]}
    />
  )
}
