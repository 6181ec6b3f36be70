import { sessions } from '../api.ts'
import type { PortalSession } from '../api-types.ts'
import { SessionEnd } from '../phone/session-end.tsx'
import { t, word } from '../texts/index.ts'
import { Badge } from '../ui/basics.tsx'
import { Table } from '../ui/table.tsx'
import { LastUsed } from '../ui/when.tsx'
import { browserOf } from '../user-agent.ts'

/** By its name; what it says of itself stands behind that. */
function Browser({ userAgent }: { readonly userAgent: string }) {
  const found = browserOf(userAgent)
  if (found === undefined) return <span class="cut">{userAgent}</span>
  return (
    <details class="said">
      <summary>{found.system === '' ? found.browser : t('browserOn', found)}</summary>
      <small class="soft">{userAgent}</small>
    </details>
  )
}

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
              <Browser userAgent={row.user_agent} />
              {own.includes(row.uuid) && <Badge tone="live">{t('thisOne')}</Badge>}
            </span>
          ),
        },
        {
          head: t('origin'),
          cell: row => <Badge tone={row.origin === 'operator' ? 'warn' : 'calm'}>{word('origin', row.origin)}</Badge>,
        },
        { head: t('address'), cell: row => row.address },
        { head: t('lastUsed'), class: 'brief', cell: row => <LastUsed iso={row.last_used_at} /> },
        { head: '', cell: row => <SessionEnd session={row.uuid} label={t('end')} act={() => end(row.uuid)} /> },
      ]}
    />
  )
}
