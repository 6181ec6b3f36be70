import { useEffect, useRef, useState } from 'preact/hooks'
import { api, must } from '../api.ts'
import type { Trunk, TrunkTest } from '../api-types.ts'
import { t } from '../texts/index.ts'
import { attempt, Badge, Button, Dialog, Field, Waiting } from '../ui/basics.tsx'

type Call = NonNullable<TrunkTest['call']>

const sentences = {
  echo: 'testCallEcho',
  'no-echo': 'testCallNoEcho',
  silent: 'testCallSilent',
  busy: 'testCallBusy',
  'no-answer': 'testCallNoAnswer',
  refused: 'testCallRefused',
  unreachable: 'testCallUnreachable',
  'no-media': 'testCallNoMedia',
  'hung-up': 'testCallHungUp',
  cancelled: 'testCallCancelled',
} as const satisfies Record<Call['outcome'], string>

/** OPTIONS to the trunk, and a call through it whose tones an echo service sends back. Closing it ends the call. */
export function TrunkTests({ trunk, close }: { readonly trunk: Trunk; readonly close: () => void }) {
  const [to, setTo] = useState('')
  const [from, setFrom] = useState('')
  const [result, show] = useState<TrunkTest | undefined>(undefined)
  const [isRunning, run] = useState(false)
  const gone = useRef(new AbortController())
  useEffect(() => () => gone.current.abort(), [])
  const ask = async (event: SubmitEvent) => {
    event.preventDefault()
    show(undefined)
    run(true)
    const number = to.replace(/\s/g, '')
    const caller = from.replace(/\s/g, '')
    const body = { ...(number === '' ? {} : { to: number }), ...(caller === '' ? {} : { from: caller }) }
    const params = { path: { uuid: trunk.uuid } }
    const { signal } = gone.current
    await attempt(async () => {
      const asked = must(api.POST('/operator/trunks/{uuid}/test', { params, body, signal }))
      // Who has closed the dialog wants to know nothing more of it.
      show(await asked.catch(fault => (signal.aborted ? undefined : Promise.reject(fault))))
    })
    run(false)
  }
  return (
    <Dialog title={t('testTrunk', { name: trunk.name })} close={close} wide>
      <form onSubmit={ask}>
        <div class="row">
          <Field label={t('testCallTo')}>
            {field => (
              <input
                {...field}
                inputMode="tel"
                placeholder="+254…"
                value={to}
                onInput={event => setTo(event.currentTarget.value)}
              />
            )}
          </Field>
          <Field label={t('testCallFrom')}>
            {field => (
              <input
                {...field}
                inputMode="tel"
                placeholder={trunk.username || 'test'}
                value={from}
                onInput={event => setFrom(event.currentTarget.value)}
              />
            )}
          </Field>
        </div>
        <p class="hint">{t('testCosts')}</p>
        <div role="status" class="trial-result">
          {isRunning && (
            <>
              <Waiting />
              <p>{t('testCallRunning')}</p>
            </>
          )}
          {result !== undefined && <Result name={trunk.name} result={result} />}
        </div>
        <div class="actions end">
          <Button kind="main" type="submit" disabled={isRunning}>
            {t(result === undefined ? (to === '' ? 'test' : 'testAndCall') : 'testAgain')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Result({ name, result }: { readonly name: string; readonly result: TrunkTest }) {
  const { is_reachable: isReachable, milliseconds, call } = result
  return (
    <>
      <p>
        <Badge tone={isReachable ? 'good' : 'bad'}>OPTIONS</Badge>{' '}
        {t(isReachable ? 'trunkAnswers' : 'trunkSilent', { name, ms: milliseconds })}
      </p>
      {call !== null && (
        <>
          <p>
            <Badge tone={call.outcome === 'echo' ? 'good' : 'bad'}>INVITE</Badge>{' '}
            {t(sentences[call.outcome], {
              status: call.sip_status ?? '–',
              ms: call.echo_ms ?? 0,
              percent: call.echo_percent ?? 0,
            })}{' '}
            {call.reason_code !== null && (
              <a href={`/docs/reasons#${call.reason_code}`} target="_blank" rel="noreferrer">
                {call.reason_code}
              </a>
            )}
          </p>
          <Figures call={call} />
        </>
      )}
    </>
  )
}

const ms = (value: number | null): string => (value === null ? '–' : `${value} ms`)

function Figures({ call }: { readonly call: Call }) {
  const rows: readonly (readonly [string, string])[] = [
    ['INVITE', call.dialled],
    ['180', ms(call.ringing_ms)],
    [String(call.answered_ms === null ? (call.sip_status ?? '200') : 200), ms(call.answered_ms ?? call.ended_ms)],
    [t('codec'), call.codec ?? '–'],
    [t('packetsSentReceived'), `${call.packets_sent} / ${call.packets_received}`],
    [t('loss'), call.loss_percent === null ? '–' : `${call.loss_percent} %`],
    ['MOS', call.mos === null ? '–' : String(call.mos)],
    [t('echoDelay'), ms(call.echo_ms)],
  ]
  return (
    <ul class="sums">
      {rows.map(([label, value]) => (
        <li key={label}>
          <span>{label}</span>
          <b>{value}</b>
        </li>
      ))}
    </ul>
  )
}
