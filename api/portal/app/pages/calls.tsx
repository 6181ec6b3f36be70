import { useRef } from 'preact/hooks'
import { useCalls } from '../follow-calls.ts'
import { filter, place } from '../router.ts'
import { reasonCodes, t, word } from '../texts/index.ts'
import { Button, Card, Empty, Page, Select, Trouble, Waiting } from '../ui/basics.tsx'
import { offsetOf, Pager, pageSize, Table } from '../ui/table.tsx'
import { callColumns } from './call-cells.tsx'

const statuses = ['initiated', 'ringing', 'answered', 'completed', 'failed'] as const
const directions = ['inbound', 'outbound', 'internal'] as const
const typingMs = 300

/** By their words, as a person looks for them. */
const reasonChoices = (): readonly (readonly [code: string, text: string])[] =>
  reasonCodes
    .map(code => [code, `${word('end', code)} (${code})`] as const)
    .sort(([, one], [, other]) => one.localeCompare(other))

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
      reason: one(query.get('reason'), reasonCodes),
    }),
    ...(from
      ? { from_dt: new Date(`${from}T00:00:00`).toISOString(), to_dt: new Date(`${from}T23:59:59.999`).toISOString() }
      : {}),
  }
  const { list: shown, error, reload } = useCalls(asked)
  // A value that is none filters nothing.
  const isFiltered = Object.keys(asked).some(name => name !== 'limit' && name !== 'offset')
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
            value={asked.status ?? ''}
            options={[['', t('anyState')], ...statuses.map(each => [each, word('status', each)] as const)]}
            change={status => filter({ status, from: '' })}
          />
          <Select
            aria-label={t('direction')}
            value={asked.direction ?? ''}
            options={[['', t('anyDirection')], ...directions.map(each => [each, word('direction', each)] as const)]}
            change={direction => filter({ direction, from: '' })}
          />
          <Select
            aria-label={t('reason')}
            value={asked.reason ?? ''}
            options={[['', t('anyReason')], ...reasonChoices()]}
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
      <Trouble error={error} retry={reload} />
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
