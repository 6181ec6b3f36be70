import { useRef, useState } from 'preact/hooks'
import { api, must } from '../api.ts'
import type { Rate } from '../api-types.ts'
import { count, money } from '../format.ts'
import { useLoad } from '../load.ts'
import { filter, place } from '../router.ts'
import { t, word } from '../texts/index.ts'
import { attempt, Badge, Button, Card, Dialog, Empty, Field, Page, Trouble, Waiting } from '../ui/basics.tsx'
import { Table } from '../ui/table.tsx'
import { diffOf, type ReadDeck, readRates } from './rate-csv.ts'

const mostRows = 300

export default function Rates() {
  const { data, error, reload } = useLoad('rates', () => must(api.GET('/operator/rates', {})))
  const search = place.value.query.get('search') ?? ''
  const [read, take] = useState<ReadDeck | undefined>(undefined)
  const picker = useRef<HTMLInputElement>(null)
  const rates = data?.rates ?? []
  const shown = rates.filter(rate => rate.prefix.includes(search)).slice(0, mostRows)
  const open = async (file: File | undefined) => {
    if (file !== undefined) take(readRates(await file.text()))
    if (picker.current) picker.current.value = ''
  }
  return (
    <Page
      title={t('rates')}
      lead={data === undefined ? undefined : t('ratesLead', { count: count(rates.length) })}
      actions={
        <>
          <input
            ref={picker}
            class="hidden"
            type="file"
            accept=".csv,text/csv"
            tabIndex={-1}
            aria-label={t('importCsv')}
            onChange={event => open(event.currentTarget.files?.[0])}
          />
          <Button kind="main" onClick={() => picker.current?.click()}>
            {t('importCsv')}
          </Button>
        </>
      }
    >
      <Trouble error={error} retry={reload} />
      <p class="soft">
        <code>prefix,direction,rate_per_minute,increment_seconds,minimum_seconds,connection_fee</code>
      </p>
      {data === undefined ? (
        error === undefined && <Waiting />
      ) : (
        <Card>
          <Field label={t('search')}>
            {field => (
              <input
                {...field}
                type="search"
                value={search}
                onInput={event => filter({ search: event.currentTarget.value.trim() }, { replace: true })}
              />
            )}
          </Field>
          {shown.length === 0 ? (
            <Empty>{t(rates.length === 0 ? 'emptyDeck' : 'noRates')}</Empty>
          ) : (
            <RateTable rows={shown} />
          )}
        </Card>
      )}
      {read !== undefined && (
        <Apply
          before={rates}
          read={read}
          close={() => {
            take(undefined)
            reload()
          }}
        />
      )}
    </Page>
  )
}

const RateTable = ({ rows }: { readonly rows: readonly Rate[] }) => (
  <Table
    caption={t('rates')}
    rows={rows}
    keyOf={rate => `${rate.direction} ${rate.prefix}`}
    columns={[
      { head: t('prefix'), class: 'grow', cell: rate => <code>{rate.prefix}</code> },
      { head: t('direction'), cell: rate => word('direction', rate.direction) },
      { head: t('perMinute'), class: 'figure', cell: rate => money(rate.rate_per_minute) },
      { head: t('increment'), class: 'figure', cell: rate => `${rate.increment_seconds} s` },
      { head: t('minimum'), class: 'figure', cell: rate => `${rate.minimum_seconds} s` },
      { head: t('connectionFee'), class: 'figure', cell: rate => money(rate.connection_fee) },
    ]}
  />
)

/** What would change, before it does. */
function Apply({
  before,
  read,
  close,
}: {
  readonly before: readonly Rate[]
  readonly read: ReadDeck
  readonly close: () => void
}) {
  const diff = diffOf(before, read.rates)
  const apply = async () => {
    if (await attempt(() => must(api.PUT('/operator/rates', { body: { rates: [...read.rates] } })), t('saved'))) close()
  }
  return (
    <Dialog title={t('importCsv')} close={close} wide>
      {read.problems.length > 0 && <Trouble error={`${t('linesWrong')}: ${read.problems.slice(0, 10).join('; ')}`} />}
      <p>
        <Badge tone="good">{t('nAdded', { count: count(diff.added.length) })}</Badge>{' '}
        <Badge tone="warn">{t('nChanged', { count: count(diff.changed.length) })}</Badge>{' '}
        <Badge tone="bad">{t('nRemoved', { count: count(diff.removed.length) })}</Badge>{' '}
        <Badge tone="calm">{t('nSame', { count: count(diff.same) })}</Badge>
      </p>
      <ul class="diff-list">
        {diff.changed.slice(0, 100).map(({ before: was, after }) => (
          <li key={`${was.direction} ${was.prefix}`}>
            <code>{was.prefix}</code> {word('direction', was.direction)}: <del>{money(was.rate_per_minute)}</del> →{' '}
            <ins>{money(after.rate_per_minute)}</ins>
          </li>
        ))}
        {diff.added.slice(0, 100).map(rate => (
          <li key={`+${rate.direction} ${rate.prefix}`}>
            <ins>
              <code>{rate.prefix}</code> {word('direction', rate.direction)}: {money(rate.rate_per_minute)}
            </ins>
          </li>
        ))}
        {diff.removed.slice(0, 100).map(rate => (
          <li key={`-${rate.direction} ${rate.prefix}`}>
            <del>
              <code>{rate.prefix}</code> {word('direction', rate.direction)}: {money(rate.rate_per_minute)}
            </del>
          </li>
        ))}
      </ul>
      <div class="actions end">
        <Button onClick={close}>{t('cancel')}</Button>
        <Button kind="main" disabled={read.problems.length > 0 || read.rates.length === 0} onClick={apply}>
          {t('apply')}
        </Button>
      </div>
    </Dialog>
  )
}
