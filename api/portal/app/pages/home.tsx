import { api, must } from '../api.ts'
import { count, money, number, time } from '../format.ts'
import { callsChanged } from '../live.ts'
import { useLoad } from '../load.ts'
import { href } from '../router.ts'
import { t, word } from '../texts/index.ts'
import { Card, Empty, Page, Trouble, Waiting } from '../ui/basics.tsx'
import { Icon } from '../ui/icon.tsx'
import { Plot } from '../ui/plot.tsx'
import { Table } from '../ui/table.tsx'
import { callColumns } from './call-cells.tsx'

const lowBalance = 50

async function facts() {
  const [account, summary, recent, numbers, documents, users, webhooks, failed, recordings] = await Promise.all([
    must(api.GET('/account/', {})),
    must(api.GET('/calls/summary', { params: { query: { hours: 24 } } })),
    must(api.GET('/calls/', { params: { query: { limit: 8 } } })),
    must(api.GET('/numbers/', {})),
    must(api.GET('/documents/', { params: { query: { limit: 1 } } })),
    must(api.GET('/users/', {})),
    must(api.GET('/account/webhooks', {})),
    must(api.GET('/account/webhooks/deliveries', { params: { query: { outcome: 'failed', limit: 5 } } })),
    must(api.GET('/recordings/', { params: { query: { limit: 1 } } })),
  ])
  return { account, summary, recent, numbers, documents, users, webhooks, failed, recordings }
}
type Facts = Awaited<ReturnType<typeof facts>>

/** What is wrong now, each with the place where it is mended. */
function Problems({ facts: { account, numbers, webhooks, failed } }: { readonly facts: Facts }) {
  const unrouted = numbers.filter(each => each.webhook_inbound.source === 'none')
  const recently = failed.filter(each => Date.now() - Date.parse(each.finished_at) < 86_400_000)
  const found = [
    ...(account.status === 'suspended' ? [[t('isSuspended'), href('wallet')] as const] : []),
    ...(Number(account.wallet_balance) < lowBalance
      ? [[t('balanceLow', { amount: money(account.wallet_balance) }), href('wallet')] as const]
      : []),
    ...unrouted.map(each => [t('numberUnrouted', { number: number(each.number) }), href('numbers')] as const),
    ...(recently.length > 0
      ? [[t('webhookFails', { url: recently[0]?.url ?? '' }), `${href('webhooks')}?outcome=failed`] as const]
      : []),
    ...(webhooks.endpoints.voice_outbound === '' ? [[t('noOutbound'), href('webhooks')] as const] : []),
  ]
  return (
    <Card title={t('wrongNow')}>
      {found.length === 0 ? (
        <p class="all-good">
          <Icon name="check" />
          {t('nothingWrong')}
        </p>
      ) : (
        <ul class="problems">
          {found.map(([text, to]) => (
            <li key={text}>
              <Icon name="warn" />
              <a href={to}>{text}</a>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function FirstSteps({ facts: { numbers, documents, users, recent, recordings } }: { readonly facts: Facts }) {
  const steps = [
    [t('stepDocument'), 'documents', documents.total > 0],
    [t('stepNumber'), 'numbers', numbers.some(each => each.webhook_inbound.source !== 'none')],
    [t('stepPerson'), 'people', users.length > 0],
    [t('stepCall'), 'calls', recent.total > 0],
    [t('stepRecording'), 'recordings', recordings.length > 0],
  ] as const
  const done = steps.filter(([, , isDone]) => isDone).length
  if (done === steps.length) return null
  return (
    <Card title={t('firstSteps')} aside={<span class="soft figure">{`${done} / ${steps.length}`}</span>}>
      <ol class="steps">
        {steps.map(([text, to, isDone]) => (
          <li key={to} class={isDone ? 'done' : ''}>
            <span class="tick">{isDone && <Icon name="check" />}</span>
            <a href={href(to)}>{text}</a>
            {isDone && <span class="hidden">{t('done')}</span>}
          </li>
        ))}
      </ol>
    </Card>
  )
}

/** The hours of the day, those without calls too. */
function hoursOf({ summary }: Facts) {
  const now = Math.floor(Date.now() / 3_600_000) * 3_600_000
  return Array.from({ length: 24 }, (_, place) => {
    const at = now - (23 - place) * 3_600_000
    const found = summary.slices.find(slice => Date.parse(slice.at) === at)
    return {
      at: time(new Date(at).toISOString()).slice(0, 5),
      failed: found?.failed ?? 0,
      well: (found?.calls ?? 0) - (found?.failed ?? 0),
    }
  })
}

export function Home() {
  const { data, error } = useLoad(`home ${callsChanged.value}`, facts, 15_000)
  const [shown] = [data ?? last]
  if (data !== undefined) last = data
  if (shown === undefined)
    return error === undefined ? (
      <Waiting />
    ) : (
      <Page title={t('home')}>
        <Trouble error={error} />
      </Page>
    )
  const hours = hoursOf(shown)
  const live = shown.summary.live_calls
  const today = shown.summary.slices.reduce((sum, slice) => sum + slice.calls, 0)
  const failed = shown.summary.slices.reduce((sum, slice) => sum + slice.failed, 0)
  return (
    <Page title={t('home')} lead={shown.account.name}>
      <Trouble error={error} />
      <div class="tiles">
        <a class="tile" href={href('wallet')}>
          <span>{t('balance')}</span>
          <b>{money(shown.account.wallet_balance)}</b>
        </a>
        <a class="tile" href={href('calls')}>
          <span>{t('liveCalls')}</span>
          <b class={live > 0 ? 'pulse' : ''}>{count(live)}</b>
        </a>
        <a class="tile" href={href('calls')}>
          <span>{t('callsToday')}</span>
          <b>{count(today)}</b>
        </a>
        <a class="tile" href={`${href('calls')}?status=failed`}>
          <span>{t('failedToday')}</span>
          <b class={failed > 0 ? 'bad' : ''}>{count(failed)}</b>
        </a>
      </div>
      <div class="columns">
        <Card title={t('lastDay')} class="wide">
          <Plot
            label={t('lastDay')}
            kind="bars"
            width={1100}
            at={hours.map(({ at }) => at)}
            series={[
              { name: t('went'), tone: 'brand', values: hours.map(({ well }) => well) },
              { name: t('failed'), tone: 'bad', values: hours.map(({ failed: bad }) => bad) },
            ]}
          />
          {shown.summary.failures.length > 0 && (
            <ul class="reasons">
              {shown.summary.failures.slice(0, 4).map(({ reason_code: reason, calls }) => (
                <li key={reason}>
                  <a href={`${href('calls')}?reason=${reason}`}>{word('end', reason)}</a>
                  <span class="figure">{count(calls)}</span>
                </li>
              ))}
            </ul>
          )}
        </Card>
        <Problems facts={shown} />
        <FirstSteps facts={shown} />
      </div>
      <Card title={t('recentCalls')} aside={<a href={href('calls')}>{t('all')}</a>}>
        {shown.recent.calls.length === 0 ? (
          <Empty>{t('noCalls')}</Empty>
        ) : (
          <Table
            caption={t('recentCalls')}
            rows={shown.recent.calls}
            columns={callColumns()}
            keyOf={call => call.uuid}
          />
        )}
      </Card>
    </Page>
  )
}

/** Shown until newer facts are there, so that nothing flickers. */
let last: Facts | undefined
