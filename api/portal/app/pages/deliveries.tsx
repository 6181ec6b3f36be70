import { useRef, useState } from 'preact/hooks'
import { api, must } from '../api.ts'
import type { Delivery } from '../api-types.ts'
import { filter, href, place } from '../router.ts'
import { t } from '../texts/index.ts'
import { attempt, Badge, Button, Copy, Data, Dialog } from '../ui/basics.tsx'
import { ProblemText } from '../ui/said.tsx'
import { Table } from '../ui/table.tsx'
import { When } from '../ui/when.tsx'
import { sendAndTell } from './delivery-end.ts'

/** What programs know the event by. */
function nameOf({ body }: Delivery): string {
  const { event } = (body ?? {}) as { readonly event?: unknown }
  return typeof event === 'string' ? event : ''
}

const open = (row: Delivery | undefined) =>
  filter({ delivery: row === undefined ? '' : String(row.seq) }, { replace: true })

/** Webhook tries with what was sent, and a way to send it again; the one that is looked at stands in the address. */
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
  const seq = Number(place.value.query.get('delivery') ?? -1)
  const kept = useRef<Delivery | undefined>(undefined)
  // New ones come meanwhile: it may not be on this page any more.
  kept.current = rows.find(row => row.seq === seq) ?? (kept.current?.seq === seq ? kept.current : undefined)
  const shown = kept.current
  const [sending, setSending] = useState<readonly string[]>([])
  const again = async ({ id }: Delivery) => {
    if (sending.includes(id)) return
    setSending(before => [...before, id])
    await sendAndTell(
      data => data.id === id,
      () => attempt(() => must(api.POST('/account/webhooks/deliveries/resend', { body: { id } }))),
    )
    setSending(before => before.filter(each => each !== id))
    done()
  }
  const againText = ({ id }: Delivery) => t(sending.includes(id) ? 'sending' : 'sendAgain')
  const wasDelivered = ({ id, seq: of }: Delivery) =>
    rows.some(row => row.id === id && row.seq > of && row.outcome === 'delivered')
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
              <span class="lines">
                <span>
                  <Badge tone={row.outcome === 'delivered' ? 'good' : 'bad'}>{row.status ?? t('noAnswer')}</Badge>
                </span>
                {row.outcome === 'failed' && wasDelivered(row) && <small class="soft">{t('deliveredLater')}</small>}
              </span>
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
                <Button class="row-way" onClick={() => open(row)}>
                  {t('details')}
                </Button>
                <Button onClick={() => again(row)}>{againText(row)}</Button>
              </span>
            ),
          },
        ]}
      />
      {shown !== undefined && (
        <Dialog title={`${shown.code} · ${t(shown.outcome)}`} close={() => open(undefined)} wide>
          <p class="soft">
            <ProblemText message={shown.detail} />
          </p>
          <p class="facts">
            <span>
              {t('tries')}: {shown.tries}
            </span>
            <When iso={shown.finished_at} />
            {shown.sid !== '' && (
              <>
                {!ofOneCall && (
                  <a href={href('calls', shown.sid)}>
                    {t('call')} {shown.sid}
                  </a>
                )}
                <a href={`${href('calls', shown.sid)}?kind=webhook`}>{t('eachTry')}</a>
              </>
            )}
          </p>
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
              {againText(shown)}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  )
}
