import { api, must } from '../api.ts'
import type { Figures } from '../api-types.ts'
import { count, time } from '../format.ts'
import { useLoad } from '../load.ts'
import { Parties } from '../pages/call-cells.tsx'
import { href } from '../router.ts'
import { type TextKey, t, word } from '../texts/index.ts'
import { attempt, Badge, Button, Card, Empty, Name, Page, Sure, Trouble, tell, Waiting } from '../ui/basics.tsx'
import { Elapsed } from '../ui/elapsed.tsx'
import { Plot, type Series } from '../ui/plot.tsx'
import { Table } from '../ui/table.tsx'

const everyMs = 5000
/** More live calls than a person looks through. */
const mostCalls = 50
/** Of the newest accounts. */
const mostNames = 200

export default function Live() {
  const { data, error, reload } = useLoad(
    'live',
    async () => {
      const [figures, calls, drained] = await Promise.all([
        must(api.GET('/operator/figures', {})),
        must(api.GET('/operator/calls', { params: { query: { limit: mostCalls } } })),
        must(api.GET('/operator/drain', {})),
      ])
      return { figures, calls, isDraining: drained.draining }
    },
    everyMs,
  )
  // The list of live calls does not wait for the database; names come when they come.
  const { data: named } = useLoad('names', () =>
    must(api.GET('/operator/accounts', { params: { query: { limit: mostNames } } })),
  )
  const nameOf = (account: string): string =>
    named?.accounts.find(each => each.uuid === account)?.name ?? `${account.slice(0, 8)}…`
  return (
    <Page
      title={t('liveFigures')}
      lead={t('lastHour')}
      actions={data !== undefined && <Taking isDraining={data.isDraining} live={data.calls.total} done={reload} />}
    >
      <Trouble error={error} retry={reload} />
      {data === undefined ? (
        error === undefined && <Waiting />
      ) : (
        <>
          <Plots figures={data.figures} />
          <div class="columns two">
            <Card
              title={t('liveCalls')}
              class="wide"
              aside={
                data.calls.total > mostCalls && (
                  <span class="soft">
                    {t('pageOf', { from: '1', to: count(mostCalls), total: count(data.calls.total) })}
                  </span>
                )
              }
            >
              {data.calls.calls.length === 0 ? (
                <Empty>{t('noLiveCalls')}</Empty>
              ) : (
                <Table
                  caption={t('liveCalls')}
                  rows={data.calls.calls}
                  keyOf={call => call.uuid}
                  columns={[
                    {
                      head: t('call'),
                      class: 'grow',
                      cell: call => (
                        <span class="lines">
                          <span>
                            <Parties call={call} />
                          </span>
                          <small>
                            <a href={href('operator', 'accounts', call.account)}>
                              <Name text={nameOf(call.account)} />
                            </a>
                          </small>
                        </span>
                      ),
                    },
                    { head: t('state'), cell: call => <Badge tone="live">{word('status', call.status)}</Badge> },
                    {
                      head: t('trunk'),
                      class: 'words',
                      cell: call => call.legs.map(leg => leg.trunk || word('direction', leg.direction)).join(', '),
                    },
                    { head: t('codec'), cell: call => call.legs.map(leg => leg.codec ?? '–').join(', ') },
                    {
                      head: 'MOS',
                      class: 'figure',
                      cell: call => call.legs.map(leg => leg.quality?.mos ?? '–').join(', '),
                    },
                    {
                      head: t('length'),
                      class: 'figure',
                      cell: call => <Elapsed since={call.created_at} />,
                    },
                  ]}
                />
              )}
            </Card>
            <Card title={t('failures')}>
              {data.figures.failures.length === 0 ? (
                <Empty>{t('noFailures')}</Empty>
              ) : (
                <ul class="reasons">
                  {data.figures.failures.map(({ reason_code: reason, calls }) => (
                    <li key={reason}>
                      <span>{word('end', reason)}</span>
                      <span class="figure">{count(calls)}</span>
                    </li>
                  ))}
                </ul>
              )}
            </Card>
          </div>
        </>
      )}
    </Page>
  )
}

/** Whether new calls are taken, and the way to change that. */
function Taking({
  isDraining,
  live,
  done,
}: {
  readonly isDraining: boolean
  readonly live: number
  readonly done: () => void
}) {
  const drain = async () => {
    await must(api.POST('/operator/drain', { body: {} }))
    tell(t('draining'))
    done()
  }
  const resume = () =>
    attempt(async () => {
      await must(api.DELETE('/operator/drain', {}))
      done()
    }, t('taking'))
  return (
    <>
      <span role="status">
        <Badge tone={isDraining ? 'warn' : 'good'}>
          {isDraining ? t('drainingNow', { count: count(live) }) : t('takingNow')}
        </Badge>
      </span>
      {isDraining ? (
        <Button kind="main" onClick={resume}>
          {t('resumeCalls')}
        </Button>
      ) : (
        <Sure kind="danger" label={t('drain')} question={t('drainSure')} act={drain} />
      )}
    </>
  )
}

function Plots({ figures }: { readonly figures: Figures }) {
  const from = Date.parse(figures.from)
  const at = figures.live_calls.map((_, place) =>
    time(new Date(from + place * figures.step_seconds * 1000).toISOString()),
  )
  const percent = (values: readonly number[]) => values.map(value => Math.round(value * 100))
  const one = (name: TextKey, values: readonly number[], tone: Series['tone'] = 'brand', unit = ''): Series => ({
    name: t(name),
    tone,
    values,
    unit,
  })
  const plots: readonly (readonly [title: TextKey, series: readonly Series[], most?: number])[] = [
    ['liveCalls', [one('liveCalls', figures.live_calls)]],
    ['callsASecond', [one('began', figures.calls_per_second), one('failed', figures.failed_per_second, 'bad')]],
    [
      'mediaThreads',
      [one('sessionsOfMedia', figures.media_sessions), one('busy', percent(figures.media_busy), 'warn', ' %')],
    ],
    [
      'eventLoop',
      [
        one('loopDelay', figures.loop_delay_ms.map(Math.round), 'warn', ' ms'),
        one('busy', percent(figures.loop_busy), 'brand', ' %'),
      ],
    ],
    ['backlog', [one('waitingCallbacks', figures.callbacks_waiting, 'warn')]],
    ['machine', [one('disk', percent(figures.disk_used), 'warn', ' %')], 100],
  ]
  if (at.length === 0) return <p class="soft">{t('figuresSoon')}</p>
  return (
    <div class="plots">
      {plots.map(([title, series, most]) => (
        <Card key={title} title={t(title)}>
          <Plot label={t(title)} at={at} series={series} {...(most === undefined ? {} : { most })} />
        </Card>
      ))}
    </div>
  )
}
