import { useRef } from 'preact/hooks'
import { api, must } from '../api.ts'
import { callsChanged } from '../live.ts'
import { useLoad } from '../load.ts'
import { filter, place } from '../router.ts'
import { t, word } from '../texts/index.ts'
import { Button, Card, Empty, Page, Select, Trouble, Waiting } from '../ui/basics.tsx'
import { offsetOf, Pager, pageSize, Table } from '../ui/table.tsx'
import { callColumns } from './call-cells.tsx'

const statuses = ['initiated', 'ringing', 'answered', 'completed', 'failed'] as const
const directions = ['inbound', 'outbound', 'internal'] as const
const reasons = [
  'END.0486',
  'END.0408',
  'END.0404',
  'END.0402',
  'END.0480',
  'END.0603',
  'END.3502',
  'END.3408',
  'END.3422',
  'END.2410',
  'END.0488',
  'END.0503',
] as const
const typingMs = 300

/** What the address says, if it is a day. */
const dayOf = (text: string | null): string | undefined =>
  text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined

const one = <T extends string>(value: string | null, of: readonly T[]): T | undefined => of.find(each => each === value)

export function Calls() {
  const { query } = place.value
  const wait = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const from = dayOf(query.get('day'))
  const asked = {
    limit: pageSize,
    offset: offsetOf(),
    ...(query.get('search') ? { search: query.get('search') ?? '' } : {}),
    ...defined({
      status: one(query.get('status'), statuses),
      direction: one(query.get('direction'), directions),
      reason: one(query.get('reason'), reasons),
    }),
    ...(from
      ? { from_dt: new Date(`${from}T00:00:00`).toISOString(), to_dt: new Date(`${from}T23:59:59.999`).toISOString() }
      : {}),
  }
  const key = JSON.stringify(asked)
  const { data, error } = useLoad(`${key} ${callsChanged.value}`, () =>
    must(api.GET('/calls/', { params: { query: asked } })),
  )
  const kept = useRef<{ key: string; data: typeof data }>({ key, data })
  if (data !== undefined || kept.current.key !== key) kept.current = { key, data }
  const shown = kept.current.data
  const isFiltered = ['search', 'status', 'direction', 'reason', 'day'].some(name => query.has(name))
  return (
    <Page title={t('calls')} lead={t('callsLead')}>
      <search>
        <form class="filters" onSubmit={event => event.preventDefault()}>
          <label class="search">
            <span class="hidden">{t('searchCalls')}</span>
            <input
              type="search"
              placeholder={t('searchCalls')}
              value={query.get('search') ?? ''}
              onInput={event => {
                const { value } = event.currentTarget
                clearTimeout(wait.current)
                wait.current = setTimeout(() => filter({ search: value, from: '' }, { replace: true }), typingMs)
              }}
            />
          </label>
          <Select
            aria-label={t('state')}
            value={query.get('status') ?? ''}
            options={[['', t('anyState')], ...statuses.map(each => [each, word('status', each)] as const)]}
            change={status => filter({ status, from: '' })}
          />
          <Select
            aria-label={t('direction')}
            value={query.get('direction') ?? ''}
            options={[['', t('anyDirection')], ...directions.map(each => [each, word('direction', each)] as const)]}
            change={direction => filter({ direction, from: '' })}
          />
          <Select
            aria-label={t('reason')}
            value={query.get('reason') ?? ''}
            options={[['', t('anyReason')], ...reasons.map(each => [each, word('end', each)] as const)]}
            change={reason => filter({ reason, from: '' })}
          />
          <input
            aria-label={t('day')}
            type="date"
            value={from ?? ''}
            onChange={event => filter({ day: event.currentTarget.value, from: '' })}
          />
          {isFiltered && (
            <Button onClick={() => filter({ search: '', status: '', direction: '', reason: '', day: '', from: '' })}>
              {t('clear')}
            </Button>
          )}
        </form>
      </search>
      <Trouble error={error} />
      {shown === undefined ? (
        error === undefined && <Waiting />
      ) : (
        <Card>
          {shown.calls.length === 0 ? (
            <Empty>{t(isFiltered ? 'noCallsFit' : 'noCalls')}</Empty>
          ) : (
            <Table caption={t('calls')} rows={shown.calls} columns={callColumns()} keyOf={call => call.uuid} />
          )}
          <Pager total={shown.total} />
        </Card>
      )}
    </Page>
  )
}

const defined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
