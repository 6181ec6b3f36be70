import { useState } from 'preact/hooks'
import { api, must } from '../api.ts'
import type { Delivery } from '../api-types.ts'
import { href } from '../router.ts'
import { t } from '../texts/index.ts'
import { attempt, Badge, Button, Copy, Data, Dialog } from '../ui/basics.tsx'
import { ProblemText } from '../ui/said.tsx'
import { Table } from '../ui/table.tsx'
import { When } from '../ui/when.tsx'

/** What programs know the event by. */
function nameOf({ body }: Delivery): string {
  const { event } = (body ?? {}) as { readonly event?: unknown }
  return typeof event === 'string' ? event : ''
}

/** Webhook tries with what was sent, and a way to send it again. */
export function DeliveryTable({
  rows,
  done = () => {},
  ofOneCall = false,
}: {
  readonly rows: readonly Delivery[]
  readonly done?: () => void
  /** On the page of that call. */
  readonly ofOneCall?: boolean
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
          {
            head: t('event'),
            class: 'brief',
            cell: row => (
              <span class="lines">
                <code>{row.code}</code>
                {nameOf(row) !== '' && <small class="soft">{nameOf(row)}</small>}
              </span>
            ),
          },
          {
            head: t('outcome'),
            cell: row => (
              <Badge tone={row.outcome === 'delivered' ? 'good' : 'bad'}>{row.status ?? t('noAnswer')}</Badge>
            ),
          },
          { head: t('tries'), class: 'figure', cell: row => row.tries },
          {
            head: t('url'),
            class: 'grow',
            cell: row => (
              <span class="lines">
                <span class="cut">{row.url}</span>
                {row.sid !== '' && !ofOneCall && (
                  <small>
                    <a href={href('calls', row.sid)}>
                      {t('call')} {row.sid}
                    </a>
                  </small>
                )}
              </span>
            ),
          },
          { head: t('when'), class: 'brief', cell: row => <When iso={row.finished_at} /> },
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
              <a href={href('calls', shown.sid)}>
                {t('call')} {shown.sid}
              </a>
            </p>
          )}
          <h3>{t('request')}</h3>
          <p class="with-copy">
            <code>POST {shown.url}</code>
            <Copy text={shown.url} label={t('url')} />
          </p>
          <Data value={shown.body ?? t('notKept')} label={t('request')} />
          <h3>{`${t('response')}${shown.status === null ? '' : ` ${shown.status}`}`}</h3>
          {shown.answer === '' ? (
            <p class="soft">{t('noBody')}</p>
          ) : (
            <Data value={shown.answer} label={t('response')} />
          )}
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
