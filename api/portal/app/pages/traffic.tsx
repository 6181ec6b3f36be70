import { api, must } from '../api.ts'
import type { CallSummary } from '../api-types.ts'
import { count, dayText, length, money, time } from '../format.ts'
import { useLoad } from '../load.ts'
import { filter, href, place } from '../router.ts'
import { t, word } from '../texts/index.ts'
import { Card, Select, Trouble } from '../ui/basics.tsx'
import { Plot } from '../ui/plot.tsx'
import type { Period } from './call-period.ts'
import { periodOfSpan, slicesOf, spans, totalsOf } from './traffic-slices.ts'

const mostReasons = 4
const againMs = 60_000

/** Calls over the last day, week or month: how many, how they went, what they cost. `day`: what is at hand. */
export function Traffic({ day }: { readonly day: CallSummary }) {
  const asked = spans.find(each => each === place.value.query.get('hours')) ?? spans[0]
  const hours = Number(asked)
  const isDay = asked === spans[0]
  const { data, error, reload } = useLoad(
    `summary ${asked}`,
    async () => (isDay ? undefined : must(api.GET('/calls/summary', { params: { query: { hours } } }))),
    isDay ? undefined : againMs,
  )
  const summary = isDay ? day : data
  const name = t(isDay ? 'callsByHour' : 'callsByDay')
  const slices = summary === undefined ? [] : slicesOf(summary, hours, Date.now())
  return (
    <Card
      title={name}
      class="wide"
      aside={
        <Select
          aria-label={t('period')}
          value={asked}
          options={spans.map(each => [each, word('span', each)] as const)}
          change={chosen => filter({ hours: chosen === spans[0] ? '' : chosen })}
        />
      }
    >
      <Trouble error={error} retry={reload} />
      <Plot
        label={name}
        kind="bars"
        at={slices.map(({ atMs }) => {
          const at = new Date(atMs).toISOString()
          // Days are those of UTC.
          return isDay ? time(at).slice(0, 5) : dayText(at.replace('T00:', 'T12:'))
        })}
        series={[
          { name: t('went'), tone: 'brand', values: slices.map(({ well }) => well) },
          { name: t('failed'), tone: 'bad', values: slices.map(({ failed }) => failed) },
        ]}
      />
      {summary !== undefined && <Totals of={summary} period={periodOfSpan[asked]} />}
    </Card>
  )
}

function Totals({ of, period }: { readonly of: CallSummary; readonly period: Period }) {
  const { calls, failed, answeredPercent, averageTalk, cost } = totalsOf(of)
  const facts = [
    [t('calls'), count(calls)],
    [t('failed'), count(failed)],
    [t('answeredShare'), answeredPercent === undefined ? '–' : `${answeredPercent} %`],
    [t('averageTalk'), length(averageTalk)],
    [t('cost'), money(String(cost))],
  ] as const
  return (
    <>
      <dl class="totals">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {of.failures.length > 0 && (
        <>
          <h3>{t('failures')}</h3>
          <ul class="reasons">
            {of.failures.slice(0, mostReasons).map(({ reason_code: reason, calls: failures }) => (
              <li key={reason}>
                <a href={`${href('calls')}?status=failed&reason=${reason}&when=${period}`}>{word('end', reason)}</a>
                <span class="figure">{count(failures)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}
