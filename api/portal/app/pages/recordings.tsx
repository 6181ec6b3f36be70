import { api, must } from '../api.ts'
import { bytes, dayText } from '../format.ts'
import { useLoad } from '../load.ts'
import { href } from '../router.ts'
import { t } from '../texts/index.ts'
import { Card, Empty, Page, Sure, Trouble, Waiting } from '../ui/basics.tsx'
import { offsetOf, Pager, pageSize, Table } from '../ui/table.tsx'
import { When } from '../ui/when.tsx'
import { Parties } from './call-cells.tsx'
import { RecordingPlayer } from './recording-player.tsx'

export default function Recordings() {
  const { data, error, reload } = useLoad(`recordings ${offsetOf()}`, () =>
    must(api.GET('/recordings/', { params: { query: { numbers: 'true', limit: pageSize, offset: offsetOf() } } })),
  )
  return (
    <Page title={t('recordings')} lead={t('recordingsLead')}>
      <Trouble error={error} retry={reload} />
      {data === undefined ? (
        error === undefined && <Waiting />
      ) : (
        <Card>
          {data.length === 0 ? (
            <Empty action={<a href={href('documents')}>{t('documents')}</a>}>{t('noRecordings')}</Empty>
          ) : (
            <Table
              caption={t('recordings')}
              rows={data}
              keyOf={recording => recording.uuid}
              columns={[
                {
                  head: t('call'),
                  class: 'grow',
                  cell: recording => (
                    <a class="call-link row-way" href={href('calls', recording.call_uuid)}>
                      <span class="lines">
                        {recording.from_number !== undefined && recording.to_number !== undefined && (
                          <span>
                            <Parties call={{ from_number: recording.from_number, to_number: recording.to_number }} />
                          </span>
                        )}
                        <small class="soft">
                          {recording.call_sid}
                          {recording.size_bytes !== null && ` · ${bytes(recording.size_bytes)}`}
                        </small>
                      </span>
                    </a>
                  ),
                },
                { head: t('sound'), cell: recording => <RecordingPlayer recording={recording} /> },
                {
                  head: t('when'),
                  class: 'brief',
                  cell: recording => (
                    <span class="lines">
                      <When iso={recording.created_at} />
                      {recording.expires_at !== null && (
                        <small class="soft">
                          {t('expires')}: {dayText(recording.expires_at)}
                        </small>
                      )}
                    </span>
                  ),
                },
                {
                  head: '',
                  cell: recording => (
                    <Sure
                      label={t('delete')}
                      question={t('deleteSure', { name: recording.call_sid })}
                      act={async () => {
                        await must(api.POST('/recordings/delete', { body: { uuid: recording.uuid } }))
                        reload()
                      }}
                    />
                  ),
                },
              ]}
            />
          )}
          <Pager rows={data.length} />
        </Card>
      )}
    </Page>
  )
}
