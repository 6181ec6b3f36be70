import { api, must } from '../api.ts'
import { dateTime } from '../format.ts'
import { useLoad } from '../load.ts'
import { t } from '../texts/index.ts'
import { Badge, Card, Data, Empty, Page, Trouble, Waiting } from '../ui/basics.tsx'
import { offsetOf, Pager, pageSize } from '../ui/table.tsx'

export default function Changes() {
  const { data, error } = useLoad(`changes ${offsetOf()}`, () =>
    must(api.GET('/operator/changes', { params: { query: { limit: pageSize, offset: offsetOf() } } })),
  )
  return (
    <Page title={t('changes')} lead={t('changesLead')}>
      <Trouble error={error} />
      {data === undefined ? (
        error === undefined && <Waiting />
      ) : (
        <Card>
          {data.changes.length === 0 ? (
            <Empty>{t('noChanges')}</Empty>
          ) : (
            <ol class="timeline">
              {data.changes.map(change => (
                <li key={change.id}>
                  <details>
                    <summary>
                      <span class="at wide">{dateTime(change.created_at)}</span>
                      <Badge tone={change.action === 'DELETE' ? 'bad' : 'calm'}>{change.action}</Badge>
                      <span class="text">
                        {change.path}{' '}
                        <span class="soft">
                          {change.actor} · {change.address}
                        </span>
                      </span>
                    </summary>
                    <div class="columns two even">
                      <div>
                        <h2>{t('before')}</h2>
                        <Data value={change.before} />
                      </div>
                      <div>
                        <h2>{t('after')}</h2>
                        <Data value={change.after} />
                      </div>
                    </div>
                  </details>
                </li>
              ))}
            </ol>
          )}
          <Pager total={data.total} />
        </Card>
      )}
    </Page>
  )
}
