import type { Call } from '../api-types.ts'
import { length, money, number } from '../format.ts'
import { href } from '../router.ts'
import { t, word } from '../texts/index.ts'
import { Badge, Empty } from '../ui/basics.tsx'
import { Elapsed } from '../ui/elapsed.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Column } from '../ui/table.tsx'
import { When } from '../ui/when.tsx'
import { isLive, markOf, outcomeOf, type Told } from './outcome.ts'

/** In a list, where the reason has a column of its own. */
const CallStatus = ({ call }: { readonly call: Call }) => (
  <Badge tone={markOf(call).tone}>{word('status', call.status)}</Badge>
)

/** Why it ended, else what was not done in it. */
function CallReason({ call }: { readonly call: Call }) {
  const isHungUp = call.status === 'completed' && call.reason_code === 'END.0200'
  const codes = [isHungUp ? '' : call.reason_code, call.problem_code].filter(code => code !== '')
  return codes.length > 0 && <span class="soft">{codes.map(code => word('end', code)).join(', ')}</span>
}

/** The state of a call, and beside a "Completed" that is not the whole truth what went wrong. */
export function CallState({ call, end }: { readonly call: Call; readonly end: Told }) {
  const { tone, reason } = markOf(call, end)
  return (
    <>
      <Badge tone={tone}>{word('status', call.status)}</Badge>
      {reason !== '' && (
        <>
          {' '}
          <Badge tone={outcomeOf(call, end) === 'bad' ? 'bad' : 'warn'}>{word('end', reason)}</Badge>
        </>
      )}
    </>
  )
}

/** How long it has been, or was: it counts while it goes on. */
export function CallLength({ call }: { readonly call: Call }) {
  if (isLive(call)) return <Elapsed since={call.started_at ?? call.created_at} />
  return length(call.duration_seconds)
}

/** The same of its talk, which begins with the answer. */
export function CallTalk({ call }: { readonly call: Call }) {
  if (isLive(call) && call.answered_at !== null) return <Elapsed since={call.answered_at} />
  return length(call.talk_seconds)
}

/** Who calls may write its own name, of any length and in any direction; a number (E.164: 15 digits) is never broken. */
const Party = ({ text }: { readonly text: string }) => (
  <b class={/^\+?\d{1,15}$/.test(text) ? 'tel' : ''}>
    <bdi>{number(text)}</bdi>
  </b>
)

export const Parties = ({ call }: { readonly call: Pick<Call, 'from_number' | 'to_number'> }) => (
  <>
    <Party text={call.from_number} /> <span class="soft">→</span> <Party text={call.to_number} />
  </>
)

/** Before the first one: the ways to it. */
export const NoCalls = () => (
  <Empty
    action={
      <span class="actions">
        <a class="button" href={href('numbers')}>
          {t('testCall')}
        </a>
        <a class="button" href="/docs">
          {t('apiReference')}
        </a>
      </span>
    }
  >
    {t('noCalls')}
  </Empty>
)

const arrows = { inbound: 'in', outbound: 'outward', internal: 'internal' } as const

export const callColumns = (): readonly Column<Call>[] => [
  {
    head: t('call'),
    class: 'grow parties',
    cell: call => (
      <a class="call-link row-way" href={href('calls', call.uuid)}>
        <span class="arrow" title={word('direction', call.direction)}>
          <Icon name={arrows[call.direction]} />
          <span class="hidden">{word('direction', call.direction)}</span>
        </span>
        <span>
          <Parties call={call} />
        </span>
      </a>
    ),
  },
  { head: t('state'), cell: call => <CallStatus call={call} /> },
  {
    head: t('reason'),
    // Empty where all went well, and while it lives.
    cell: call => <CallReason call={call} />,
  },
  // A zero is no news: the eye finds the others.
  {
    head: t('talk'),
    class: 'figure',
    cell: call => (
      <span class={call.talk_seconds === 0 ? 'soft' : ''}>
        <CallTalk call={call} />
      </span>
    ),
  },
  {
    head: t('cost'),
    class: 'figure',
    cell: call => <span class={Number(call.cost) === 0 ? 'soft' : ''}>{money(call.cost)}</span>,
  },
  {
    head: t('when'),
    class: 'brief',
    cell: call => <When iso={call.created_at} />,
  },
]
