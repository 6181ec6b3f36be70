import type { Call } from '../api-types.ts'
import { dateTime, length, money, number } from '../format.ts'
import { href } from '../router.ts'
import { t, word } from '../texts/index.ts'
import { Badge } from '../ui/basics.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Column } from '../ui/table.tsx'

export const isLive = ({ status }: Pick<Call, 'status'>): boolean => status !== 'completed' && status !== 'failed'

export const CallStatus = ({ call }: { readonly call: Pick<Call, 'status'> }) => (
  <Badge tone={call.status === 'failed' ? 'bad' : call.status === 'completed' ? 'good' : 'live'}>
    {word('status', call.status)}
  </Badge>
)

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

const arrows = { inbound: 'in', outbound: 'outward', internal: 'internal' } as const

export const callColumns = (): readonly Column<Call>[] => [
  {
    head: t('call'),
    class: 'grow',
    cell: call => (
      <a class="call-link" href={href('calls', call.uuid)}>
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
    cell: call =>
      call.reason_code !== '' &&
      !(call.status === 'completed' && call.reason_code === 'END.0200') && (
        <span class="soft">{word('end', call.reason_code)}</span>
      ),
  },
  { head: t('talk'), class: 'figure', cell: call => length(call.talk_seconds) },
  { head: t('cost'), class: 'figure', cell: call => money(call.cost) },
  {
    head: t('when'),
    class: 'brief',
    cell: call => <time dateTime={call.created_at}>{dateTime(call.created_at)}</time>,
  },
]
