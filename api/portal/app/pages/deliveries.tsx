import { useState } from 'preact/hooks'
import { api, must } from '../api.ts'
import type { Delivery } from '../api-types.ts'
import { dateTime } from '../format.ts'
import { href } from '../router.ts'
import { t } from '../texts/index.ts'
import { attempt, Badge, Button, Data, Dialog } from '../ui/basics.tsx'
import { ProblemText } from '../ui/said.tsx'
import { Table } from '../ui/table.tsx'

/** Webhook tries with what was sent, and a way to send it again. */
export function DeliveryTable({
  rows,
  done = () => {},
}: {
  readonly rows: readonly Delivery[]
  readonly done?: () => void
}) {
  const [shown, show] = useState<Delivery | undefined>(undefined)
  const again = (row: Delivery) =>
    attempt(async () => {
      await must(api.POST('/account/webhooks/deliveries/resend', { body: { id: row.id } }))
      setTimeout(done, 1000)
    }, t('sentAgain'))
  return (
    <>
      <Table
        caption={t('deliveries')}
        rows={rows}
        keyOf={row => row.seq}
        columns={[
          { head: t('event'), class: 'brief', cell: row => <code>{row.code}</code> },
          {
            head: t('outcome'),
            cell: row => (
              <Badge tone={row.outcome === 'delivered' ? 'good' : 'bad'}>{row.status ?? t('noAnswer')}</Badge>
            ),
          },
          { head: t('tries'), class: 'figure', cell: row => row.tries },
          { head: t('url'), class: 'grow', cell: row => <span class="cut">{row.url}</span> },
          { head: t('when'), class: 'brief', cell: row => dateTime(row.finished_at) },
          {
            head: '',
            cell: row => (
              <span class="actions">
                <Button onClick={() => show(row)}>{t('details')}</Button>
                <Button onClick={() => again(row)}>{t('sendAgain')}</Button>
              </span>
            ),
          },
        ]}
      />
      {shown !== undefined && (
        <Dialog title={`${shown.code} · ${t(shown.outcome)}`} close={() => show(undefined)} wide>
          <p class="soft">
            <ProblemText message={shown.detail} />
          </p>
          {shown.sid !== '' && (
            <p>
              <a href={`${href('calls')}?search=${shown.sid}`}>{shown.sid}</a>
            </p>
          )}
          <h3>{t('request')}</h3>
          <Data value={shown.body ?? t('notKept')} />
          <h3>{`${t('response')}${shown.status === null ? '' : ` ${shown.status}`}`}</h3>
          {shown.answer === '' ? <p class="soft">{t('noBody')}</p> : <Data value={shown.answer} />}
          <div class="actions end">
            <Button kind="main" onClick={() => again(shown)}>
              {t('sendAgain')}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  )
}
