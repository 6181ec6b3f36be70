import { useState } from 'preact/hooks'
import type { CallsAsked } from '../call-list.ts'
import { useCalls } from '../follow-calls.ts'
import { filter, place } from '../router.ts'
import { searchShortcut, withKeys } from '../shortcuts.ts'
import { reasonCodes, t, word } from '../texts/index.ts'
import { attempt, Button, Card, Empty, Page, Select, Trouble, Waiting } from '../ui/basics.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { offsetOf, Pager, pageSize, Table } from '../ui/table.tsx'
import { callColumns, NoCalls } from './call-cells.tsx'
import { periodOf, periods } from './call-period.ts'

const statuses = ['live', 'initiated', 'ringing', 'answered', 'completed', 'failed'] as const
const directions = ['inbound', 'outbound', 'internal'] as const
const typingMs = 300

/** By their words, as a person looks for them. */
const reasonChoices = (): readonly (readonly [code: string, text: string])[] =>
  reasonCodes
    .map(code => [code, `${word('end', code)} (${code})`] as const)
    .sort(([, one], [, other]) => one.localeCompare(other))

const one = <T extends string>(value: string | null, of: readonly T[]): T | undefined => of.find(each => each === value)

export function Calls() {
  const { query } = place.value
  const { period, since, until, range } = periodOf(query, new Date())
  const [isChoosingDays, chooseDays] = useState(false)
  const hasDays = period === 'days' || isChoosingDays
  const asked = {
    limit: pageSize,
    offset: offsetOf(),
    ...(query.get('search') ? { search: query.get('search') ?? '' } : {}),
    ...defined({
      status: one(query.get('status'), statuses),
      direction: one(query.get('direction'), directions),
      reason: one(query.get('reason'), reasonCodes),
    }),
    ...range,
  }
  const { list: shown, error, reload } = useCalls(asked)
  const clear = () => {
    chooseDays(false)
    filter({ search: '', status: '', direction: '', reason: '', when: '', since: '', until: '', day: '', from: '' })
  }
  // A value that is none filters nothing.
  const isFiltered = Object.keys(asked).some(name => name !== 'limit' && name !== 'offset')
  return (
    <Page
      title={t('calls')}
      lead={t('callsLead')}
      actions={
        shown !== undefined &&
        shown.total > 0 && <Button onClick={() => attempt(() => exportCalls(asked))}>{t('exportCsv')}</Button>
      }
    >
      <search>
        <form class="filters" onSubmit={event => event.preventDefault()}>
          <SearchField
            label={t('searchCalls')}
            placeholder={withKeys(t('searchCalls'), searchShortcut)}
            keys={searchShortcut}
            value={query.get('search') ?? ''}
            typingMs={typingMs}
            change={search => filter({ search, from: '' }, { replace: true })}
          />
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
          <Select
            aria-label={t('period')}
            value={hasDays ? 'days' : (period ?? '')}
            options={[['', t('anyTime')], ...periods.map(each => [each, word('period', each)] as const)]}
            change={when => {
              chooseDays(when === 'days')
              filter({ when: when === 'days' ? '' : when, since: '', until: '', day: '', from: '' })
            }}
          />
          {hasDays && (
            <span class="days">
              <input
                aria-label={t('firstDay')}
                type="date"
                value={since}
                max={until || undefined}
                onChange={event => filter({ since: event.currentTarget.value, until, when: '', day: '', from: '' })}
              />
              –
              <input
                aria-label={t('lastDay')}
                type="date"
                value={until}
                min={since || undefined}
                onChange={event => filter({ since, until: event.currentTarget.value, when: '', day: '', from: '' })}
              />
            </span>
          )}
          {(isFiltered || isChoosingDays) && <Button onClick={clear}>{t('clear')}</Button>}
        </form>
      </search>
      <Trouble error={error} retry={reload} />
      {shown === undefined ? (
        error === undefined && <Waiting />
      ) : (
        <Card>
          {shown.calls.length === 0 && !isFiltered ? (
            <NoCalls />
          ) : shown.calls.length === 0 ? (
            <Empty action={<Button onClick={clear}>{t('clear')}</Button>}>{t('noCallsFit')}</Empty>
          ) : (
            <Table caption={t('calls')} rows={shown.calls} columns={callColumns()} keyOf={call => call.uuid} />
          )}
          <Pager total={shown.total} />
        </Card>
      )}
    </Page>
  )
}

/** By then few want them in a page. */
const exportCalls = async (asked: CallsAsked): Promise<void> => (await import('./export-calls.ts')).exportCalls(asked)

const defined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
