import { useState } from 'preact/hooks'
import { api, must } from '../api.ts'
import type { RouteMatch, Trunk } from '../api-types.ts'
import { money, number } from '../format.ts'
import { useLoad } from '../load.ts'
import { t } from '../texts/index.ts'
import {
  attempt,
  Badge,
  Button,
  Card,
  Dialog,
  Empty,
  Field,
  Name,
  Page,
  Select,
  Sure,
  Trouble,
  Waiting,
} from '../ui/basics.tsx'
import { Table } from '../ui/table.tsx'
import { TrunkTests } from './trunk-tests.tsx'

const transports = ['udp', 'tcp', 'tls'] as const
const mediaSources = ['learned', 'signalled'] as const

export default function Trunks() {
  const { data, error, reload } = useLoad(
    'trunks',
    async () => {
      const [trunks, states] = await Promise.all([
        must(api.GET('/operator/trunks', { params: { query: { limit: 200 } } })),
        must(api.GET('/operator/trunks/states', {})),
      ])
      return { trunks: trunks.trunks, states }
    },
    10_000,
  )
  const [edited, edit] = useState<Trunk | 'new' | undefined>(undefined)
  const stateOf = (trunk: Trunk) => data?.states.find(state => state.uuid === trunk.uuid)
  const [tested, test] = useState<Trunk | undefined>(undefined)
  return (
    <Page
      title={t('trunks')}
      actions={
        <Button kind="main" glyph="plus" onClick={() => edit('new')}>
          {t('newTrunk')}
        </Button>
      }
    >
      <Matcher />
      <Trouble error={error} retry={reload} />
      {data === undefined ? (
        error === undefined && <Waiting />
      ) : (
        <Card>
          {data.trunks.length === 0 ? (
            <Empty>{t('noTrunks')}</Empty>
          ) : (
            <Table
              caption={t('trunks')}
              rows={data.trunks}
              keyOf={trunk => trunk.uuid}
              columns={[
                {
                  head: t('name'),
                  class: 'grow',
                  cell: trunk => (
                    <b>
                      <Name text={trunk.name} />
                    </b>
                  ),
                },
                {
                  head: t('host'),
                  cell: trunk => (
                    <code class="cut" title={addressOf(trunk)}>
                      {addressOf(trunk)}
                    </code>
                  ),
                },
                {
                  head: t('state'),
                  cell: trunk => {
                    const state = stateOf(trunk)
                    return (
                      <span class="badges">
                        {state?.is_registered != null && (
                          <Badge tone={state.is_registered ? 'good' : 'bad'}>
                            {t(state.is_registered ? 'isRegistered' : 'notRegistered')}
                          </Badge>
                        )}{' '}
                        {state?.is_reachable != null && (
                          <Badge tone={state.is_reachable ? 'good' : 'bad'}>
                            {t(state.is_reachable ? 'reachable' : 'unreachable')}
                          </Badge>
                        )}
                        {state?.is_registered == null && state?.is_reachable == null && (
                          <Badge tone="calm">{t('notAsked')}</Badge>
                        )}
                      </span>
                    )
                  },
                },
                { head: t('liveLegs'), class: 'figure', cell: trunk => stateOf(trunk)?.live_legs ?? 0 },
                {
                  head: t('prefixes'),
                  cell: trunk => (
                    <span class="cut">{trunk.prefixes.map(prefix => prefix || '+').join(', ') || '–'}</span>
                  ),
                },
                {
                  head: '',
                  cell: trunk => (
                    <span class="actions">
                      <Button
                        disabled={trunk.host === ''}
                        title={trunk.host === '' ? t('inboundOnly') : undefined}
                        onClick={() => test(trunk)}
                      >
                        {t('test')}
                      </Button>
                      <Button onClick={() => edit(trunk)}>{t('change')}</Button>
                      <Sure
                        label={t('delete')}
                        question={t('deleteSure', { name: trunk.name })}
                        act={async () => {
                          await must(api.DELETE('/operator/trunks/{uuid}', { params: { path: { uuid: trunk.uuid } } }))
                          reload()
                        }}
                      />
                    </span>
                  ),
                },
              ]}
            />
          )}
        </Card>
      )}
      {tested !== undefined && <TrunkTests trunk={tested} close={() => test(undefined)} />}
      {edited !== undefined && (
        <Edit
          trunk={edited === 'new' ? undefined : edited}
          close={() => {
            edit(undefined)
            reload()
          }}
        />
      )}
    </Page>
  )
}

const addressOf = ({ host, port, transport }: Trunk): string =>
  host === '' ? t('inboundOnly') : `${transport}:${host}${port === 0 ? '' : `:${port}`}`

/** Which trunk would take a call, and at what price. */
function Matcher() {
  const [to, setTo] = useState('+254')
  const [match, show] = useState<RouteMatch | undefined>(undefined)
  const ask = (event: SubmitEvent) => {
    event.preventDefault()
    attempt(async () =>
      show(await must(api.GET('/operator/routes', { params: { query: { to: to.replace(/\s/g, '') } } }))),
    )
  }
  return (
    <Card title={t('matcher')}>
      <form class="row" onSubmit={ask}>
        <Field label={t('number')}>
          {field => (
            <input {...field} required inputMode="tel" value={to} onInput={event => setTo(event.currentTarget.value)} />
          )}
        </Field>
        <Button type="submit">{t('match')}</Button>
      </form>
      <div role="status">
        {match !== undefined && (
          <ul class="sums">
            <li>
              <span>{t('destination')}</span>
              <Badge tone={match.is_allowed ? 'good' : 'bad'}>{t(match.is_allowed ? 'allowed' : 'blocked')}</Badge>
            </li>
            <li>
              <span>{t('price')}</span>
              <b>
                {match.rate === null
                  ? t('noRate')
                  : `${money(match.rate.rate_per_minute)} ${t('perMinute').toLowerCase()} · ${match.rate.prefix} · ${match.rate.increment_seconds} s`}
              </b>
            </li>
            <li>
              <span>{t('trunk')}</span>
              <b>
                {match.owner !== null
                  ? t('onThisSwitch')
                  : match.trunks.length === 0
                    ? t('noRoute')
                    : match.trunks
                        .map((trunk, place) => `${place + 1}. ${trunk.name} (${number(trunk.dialled)})`)
                        .join('  ')}
              </b>
            </li>
          </ul>
        )}
      </div>
    </Card>
  )
}

const listOf = (text: string): string[] => text.split(/[\s,]+/).filter(each => each !== '')

function Edit({ trunk, close }: { readonly trunk: Trunk | undefined; readonly close: () => void }) {
  const [fields, set] = useState({
    name: trunk?.name ?? '',
    host: trunk?.host ?? '',
    port: String(trunk?.port ?? 0),
    transport: trunk?.transport ?? ('udp' as (typeof transports)[number]),
    username: trunk?.username ?? '',
    password: trunk?.password ?? '',
    register: trunk?.register ?? false,
    prefixes: trunk?.prefixes.map(prefix => prefix || '+').join(', ') ?? '+',
    inbound_hosts: trunk?.inbound_hosts.join(', ') ?? '',
    media_source: trunk?.media_source ?? ('learned' as (typeof mediaSources)[number]),
    priority: String(trunk?.priority ?? 0),
    max_calls: String(trunk?.max_calls ?? 0),
    options_ping_seconds: String(trunk?.options_ping_seconds ?? 60),
  })
  const text = (name: Exclude<keyof typeof fields, 'register' | 'transport' | 'media_source'>, label: string) => (
    <Field label={label}>
      {field => (
        <input
          {...field}
          autocomplete="off"
          value={fields[name]}
          onInput={event => set({ ...fields, [name]: event.currentTarget.value })}
        />
      )}
    </Field>
  )
  const save = async (event: SubmitEvent) => {
    event.preventDefault()
    const body = {
      ...fields,
      port: Number(fields.port),
      priority: Number(fields.priority),
      max_calls: Number(fields.max_calls),
      options_ping_seconds: Number(fields.options_ping_seconds),
      prefixes: listOf(fields.prefixes),
      inbound_hosts: listOf(fields.inbound_hosts),
    }
    const isDone = await attempt(
      () =>
        must<unknown>(
          trunk === undefined
            ? api.POST('/operator/trunks', { body })
            : api.PATCH('/operator/trunks/{uuid}', { params: { path: { uuid: trunk.uuid } }, body }),
        ),
      t('saved'),
    )
    if (isDone) close()
  }
  return (
    <Dialog title={trunk?.name ?? t('newTrunk')} close={close} wide>
      <form onSubmit={save}>
        <div class="row">
          {text('name', t('name'))}
          {text('host', t('host'))}
          {text('port', t('port'))}
          <Field label={t('transport')}>
            {field => (
              <Select
                {...field}
                value={fields.transport}
                options={transports.map(each => [each, each] as const)}
                change={chosen => set({ ...fields, transport: transports.find(each => each === chosen) ?? 'udp' })}
              />
            )}
          </Field>
          {text('username', t('username'))}
          <Field label={t('password')}>
            {field => (
              <input
                {...field}
                type="password"
                autocomplete="off"
                value={fields.password}
                onInput={event => set({ ...fields, password: event.currentTarget.value })}
              />
            )}
          </Field>
          {text('prefixes', t('prefixes'))}
          {text('inbound_hosts', t('inboundHosts'))}
          <Field label={t('mediaSource')}>
            {field => (
              <Select
                {...field}
                value={fields.media_source}
                options={mediaSources.map(
                  each => [each, t(each === 'learned' ? 'mediaLearned' : 'mediaSignalled')] as const,
                )}
                change={chosen =>
                  set({ ...fields, media_source: mediaSources.find(each => each === chosen) ?? 'learned' })
                }
              />
            )}
          </Field>
          {text('priority', t('priority'))}
          {text('max_calls', t('maxCalls'))}
          {text('options_ping_seconds', t('pingSeconds'))}
          <label class="tick">
            <input
              type="checkbox"
              checked={fields.register}
              onChange={event => set({ ...fields, register: event.currentTarget.checked })}
            />{' '}
            {t('register')}
          </label>
        </div>
        <div class="actions end">
          <Button kind="main" type="submit">
            {t('save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
