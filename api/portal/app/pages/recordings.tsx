import { api, must } from '../api.ts'
import { bytes, dayText } from '../format.ts'
import { useLoad } from '../load.ts'
import { href } from '../router.ts'
import { t } from '../texts/index.ts'
import { Card, Empty, Page, Sure, Trouble, Waiting } from '../ui/basics.tsx'
import { offsetOf, Pager, pageSize, Table } from '../ui/table.tsx'
import { When } from '../ui/when.tsx'
import { RecordingPlayer } from './recording-player.tsx'

export default function Recordings() {
  const { data, error, reload } = useLoad(`recordings ${offsetOf()}`, () =>
    must(api.GET('/recordings/', { params: { query: { limit: pageSize, offset: offsetOf() } } })),
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
                  class: 'brief',
                  cell: recording => <a href={href('calls', recording.call_uuid)}>{recording.call_sid}</a>,
                },
                { head: t('sound'), class: 'grow', cell: recording => <RecordingPlayer recording={recording} /> },
                { head: t('size'), class: 'figure', cell: recording => bytes(recording.size_bytes ?? 0) },
                { head: t('when'), class: 'brief', cell: recording => <When iso={recording.created_at} /> },
                { head: t('expires'), class: 'brief', cell: recording => dayText(recording.expires_at) },
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
