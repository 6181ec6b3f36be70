import { overview, takeFirstOverview, whenCustomerLeaves } from '../api.ts'
import type { AccountOverview } from '../api-types.ts'
import { count, money, number } from '../format.ts'
import { callsChanged } from '../live.ts'
import { useLoad } from '../load.ts'
import { href } from '../router.ts'
import { t, word } from '../texts/index.ts'
import { Card, Page, Trouble, Waiting } from '../ui/basics.tsx'
import { Icon } from '../ui/icon.tsx'
import { Table } from '../ui/table.tsx'
import { callColumns, NoCalls } from './call-cells.tsx'
import { Traffic } from './traffic.tsx'
import { totalsOf } from './traffic-slices.ts'

const lowBalance = 50
/** Numbers that are named; the others are counted. */
const mostNumbers = 3

/** What is wrong now, each with the place where it is mended. */
function Problems({ shown: { account, wrong } }: { readonly shown: AccountOverview }) {
  const found = [
    ...(account.status === 'suspended' ? [[t('isSuspended'), href('wallet')] as const] : []),
    ...(wrong.has_no_funds || Number(account.wallet_balance) < lowBalance
      ? [
          [
            t(wrong.has_no_funds ? 'walletEmpty' : 'balanceLow', { amount: money(account.wallet_balance) }),
            href('wallet'),
          ] as const,
        ]
      : []),
    ...wrong.unrouted_numbers
      .slice(0, mostNumbers)
      .map(
        each =>
          [
            t('numberUnrouted', { number: number(each) }),
            `${href('numbers')}?number=${encodeURIComponent(each)}`,
          ] as const,
      ),
    ...(wrong.unrouted_numbers.length > mostNumbers
      ? [
          [
            t('numbersUnrouted', { count: count(wrong.unrouted_numbers.length - mostNumbers) }),
            href('numbers'),
          ] as const,
        ]
      : []),
    ...(wrong.failed_callback === null
      ? []
      : [[t('webhookFails', { url: wrong.failed_callback.url }), `${href('webhooks')}?outcome=failed`] as const]),
    ...(wrong.has_no_outbound_webhook ? [[t('noOutbound'), href('webhooks')] as const] : []),
  ]
  return (
    <Card title={t('wrongNow')} aside={<a href={`${href('events')}?code=problems`}>{t('problemLog')}</a>}>
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

function FirstSteps({
  done: { document, number: route, person, call, recording },
}: {
  readonly done: AccountOverview['first_steps']
}) {
  const steps = [
    ['document', t('stepDocument'), 'documents', document],
    ['number', t('stepNumber'), 'numbers', route],
    ['person', t('stepPerson'), 'people', person],
    // Beside each number stands the button of a test call.
    ['call', t('stepCall'), 'numbers', call],
    ['recording', t('stepRecording'), 'documents', recording],
  ] as const
  const done = steps.filter(([, , , isDone]) => isDone).length
  if (done === steps.length) return null
  const [next] = steps.find(([, , , isDone]) => !isDone) ?? []
  return (
    <Card title={t('firstSteps')} aside={<span class="soft figure">{`${done} / ${steps.length}`}</span>}>
      <ol class="steps">
        {steps.map(([name, text, to, isDone]) => (
          <li key={name} class={isDone ? 'done' : name === next ? 'next' : ''}>
            <span class="tick">{isDone && <Icon name="check" />}</span>
            <span>
              <a href={href(to)}>{text}</a>
              {isDone ? <span class="hidden"> {t('done')}</span> : <small class="soft">{word('how', name)}</small>}
            </span>
            {name === next && (
              <a class="button main" href={href(to)}>
                {t('start')}
                <span class="hidden">: {text}</span>
              </a>
            )}
          </li>
        ))}
      </ol>
    </Card>
  )
}

export function Home() {
  const { data, error, reload } = useLoad(`home ${callsChanged.value}`, overview, 15_000, takeFirstOverview)
  const [shown] = [data ?? last]
  if (data !== undefined) last = data
  if (shown === undefined)
    return error === undefined ? (
      <Waiting />
    ) : (
      <Page title={t('home')}>
        <Trouble error={error} retry={reload} />
      </Page>
    )
  const live = shown.calls.live_calls
  const { calls: today, failed } = totalsOf(shown.calls)
  return (
    <Page title={t('home')} lead={shown.account.name}>
      <Trouble error={error} retry={reload} />
      <div class="tiles">
        <a class="tile" href={href('wallet')}>
          <span>{t('balance')}</span>
          <b>{money(shown.account.wallet_balance)}</b>
        </a>
        <a class="tile" href={`${href('calls')}?status=live`}>
          <span>{t('liveCalls')}</span>
          <b class={live > 0 ? 'pulse' : ''}>{count(live)}</b>
        </a>
        <a class="tile" href={`${href('calls')}?when=day`}>
          <span>{t('callsToday')}</span>
          <b>{count(today)}</b>
        </a>
        <a class="tile" href={`${href('calls')}?status=failed&when=day`}>
          <span>{t('failedToday')}</span>
          <b class={failed > 0 ? 'bad' : ''}>{count(failed)}</b>
        </a>
      </div>
      {/* Who has had no call yet looks for the way to one, not for figures. */}
      {!shown.first_steps.call && <FirstSteps done={shown.first_steps} />}
      <Problems shown={shown} />
      <Traffic day={shown.calls} />
      {shown.first_steps.call && <FirstSteps done={shown.first_steps} />}
      <Card title={t('recentCalls')} aside={<a href={href('calls')}>{t('all')}</a>}>
        {shown.recent_calls.length === 0 ? (
          <NoCalls />
        ) : (
          <Table
            caption={t('recentCalls')}
            rows={shown.recent_calls}
            columns={callColumns()}
            keyOf={call => call.uuid}
          />
        )}
      </Card>
    </Page>
  )
}

/** Shown until newer facts are there, so that nothing flickers. */
let last: AccountOverview | undefined
whenCustomerLeaves(() => {
  last = undefined
})
