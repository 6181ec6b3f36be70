import { api, must } from '../api.ts'
import { useLoad } from '../load.ts'
import { SessionTable } from '../pages/session-table.tsx'
import { t } from '../texts/index.ts'
import { Card, Page, Trouble, Waiting } from '../ui/basics.tsx'

export default function ConsoleSessions() {
  const { data, error, reload } = useLoad('console sessions', () => must(api.GET('/operator/sessions', {})))
  return (
    <Page title={t('sessions')}>
      <Trouble error={error} retry={reload} />
      {data === undefined ? (
        error === undefined && <Waiting />
      ) : (
        <Card>
          <SessionTable
            rows={data}
            end={async uuid => {
              await must(api.DELETE('/operator/sessions/{uuid}', { params: { path: { uuid } } }))
              reload()
            }}
          />
        </Card>
      )}
    </Page>
  )
}
