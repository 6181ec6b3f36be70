import { useEffect, useRef, useState } from 'preact/hooks'
import { api, fetchBytes, must } from '../api.ts'
import type { Call, Recording } from '../api-types.ts'
import { useChangesOf } from '../follow-calls.ts'
import { dateTime, figure, length, money, number, zone } from '../format.ts'
import { useLoad } from '../load.ts'
import { filter, place } from '../router.ts'
import { sentence } from '../sentences.ts'
import { reasonText, t, word } from '../texts/index.ts'
import { AudioPlayer } from '../ui/audio.tsx'
import { attempt, Badge, Button, Card, Copy, Data, Page, Prose, Sure, Trouble, Waiting } from '../ui/basics.tsx'
import { Icon } from '../ui/icon.tsx'
import { Plot } from '../ui/plot.tsx'
import { CallStatus, isLive, Parties } from './call-cells.tsx'
import { DeliveryTable } from './deliveries.tsx'
import { Ladder } from './ladder.tsx'
import { RanDocuments } from './ran-documents.tsx'
import type { Trace, TraceEntry, TraceProblem } from './trace.ts'
import { traceOf } from './trace-of.ts'

/** How often a live call's trace is asked for; one of many entries, which is long to send, less often. */
const followMs = 1000
const longFollowMs = 5000
const longTrace = 300

async function whole(uuid: string) {
  const call = await must(api.GET('/calls/{uuid}', { params: { path: { uuid } } }))
  const [recordings, deliveries, events] = await Promise.all([
    must(api.GET('/recordings/', { params: { query: { call_uuid: uuid } } })),
    must(api.GET('/account/webhooks/deliveries', { params: { query: { sid: call.sid } } })),
    must(api.GET('/events/', { params: { query: { sid: call.sid, limit: 200 } } })),
  ])
  return { call, recordings, deliveries, events }
}
type Whole = Awaited<ReturnType<typeof whole>>
type Traced = Whole & { readonly trace: Trace | undefined }

/** The timeline of the recorder; where it kept none, that of the events. */
function entriesOf({ trace, events, call }: Traced): readonly TraceEntry[] {
  if (trace !== undefined && trace.entries.length > 0) return trace.entries
  const began = Date.parse(call.created_at)
  return events.toReversed().map(event => ({
    seq: event.seq,
    at: event.created_at,
    ms: Date.parse(event.created_at) - began,
    kind: event.code.startsWith('DOC')
      ? 'document'
      : event.code.startsWith('WH')
        ? 'webhook'
        : event.code.startsWith('BILL')
          ? 'money'
          : 'event',
    leg: null,
    text: `${event.code} ${event.event}`,
    data: event.data,
  }))
}

export default function CallPage({ id }: { readonly id: string }) {
  const kept = useRef<Whole | undefined>(undefined)
  const changes = useChangesOf(kept.current?.call.sid)
  const { data, error, reload } = useLoad(`call ${id} ${changes}`, () => whole(id))
  if (data !== undefined) kept.current = data
  const loaded = kept.current
  // The thread of the recorder has the lowest priority: the page does not wait for it.
  const traced = useLoad(`recorded ${id} ${changes}`, async () => ({ trace: await traceOf(id) }))
  const keptTrace = useRef<{ readonly trace: Trace | undefined } | undefined>(undefined)
  if (traced.data !== undefined) keptTrace.current = traced.data
  const isTraced = keptTrace.current !== undefined
  const isNow = loaded !== undefined && isLive(loaded.call)
  const isLong = (keptTrace.current?.trace?.entries.length ?? 0) > longTrace
  // Verbs, SIP and RTP have no events: of a live call the recorder is asked again and again.
  const { data: fresh } = useLoad(
    `trace ${id} ${isNow}`,
    async () => (isNow ? traceOf(id) : undefined),
    isNow ? (isLong ? longFollowMs : followMs) : undefined,
  )
  useEffect(() => {
    if (!isNow || !fresh?.is_over) return
    reload()
    traced.reload()
  }, [isNow, fresh])
  const shown =
    loaded === undefined ? undefined : { ...loaded, trace: (isNow ? fresh : undefined) ?? keptTrace.current?.trace }
  if (shown === undefined)
    return error === undefined ? (
      <Waiting />
    ) : (
      <Page title={t('call')}>
        <Trouble error={error} retry={reload} />
      </Page>
    )
  const { call, trace, recordings, deliveries } = shown
  const entries = isTraced ? entriesOf(shown) : []
  return (
    <Page
      title={<Parties call={call} />}
      lead={
        <>
          <span role="status">
            <CallStatus call={call} />
          </span>{' '}
          <code>{call.sid}</code> <Copy text={call.sid} label={call.sid} />
        </>
      }
      actions={
        isLive(call) && (
          <Sure
            kind="danger"
            label={t('hangUp')}
            question={t('hangUpSure')}
            act={() => must(api.POST('/calls/hangup', { body: { sid: call.sid } }))}
          />
        )
      }
    >
      {(isTraced || traced.error !== undefined) && <End call={call} trace={trace} />}
      <div class="tiles">
        <div class="tile">
          <span>{t('began')}</span>
          <b class="small">
            {dateTime(call.created_at)} <small class="soft">{zone()}</small>
          </b>
        </div>
        <div class="tile">
          <span>{t('length')}</span>
          <b>{length(call.duration_seconds)}</b>
        </div>
        <div class="tile">
          <span>{t('talk')}</span>
          <b>{length(call.talk_seconds)}</b>
        </div>
        <div class="tile">
          <span>{t('cost')}</span>
          <b>{money(call.cost)}</b>
        </div>
      </div>
      <div class="columns two">
        <div class="stack">
          <Card title={t('timeline')}>
            <Trouble error={traced.error} retry={traced.reload} />
            {isTraced ? <Timeline entries={entries} /> : traced.error === undefined && <Waiting />}
          </Card>
          {trace !== undefined && (
            <Card title={t('ladder')}>
              <Ladder trace={trace} />
            </Card>
          )}
        </div>
        <div class="stack">
          <RanDocuments entries={entries} isLive={isLive(call)} />
          {recordings.length > 0 && (
            <Card title={t('recordings')}>
              {recordings.map(recording => (
                <RecordingPlayer key={recording.uuid} recording={recording} />
              ))}
            </Card>
          )}
          <Cost call={call} trace={trace} />
          <Quality call={call} trace={trace} />
        </div>
      </div>
      {deliveries.length > 0 && (
        <Card title={t('deliveries')}>
          <DeliveryTable rows={deliveries} />
        </Card>
      )}
    </Page>
  )
}

/** Hung up by a party, by the API, or at the end of the document: nothing to look into. */
const asPlanned: ReadonlySet<string> = new Set(['END.0200', 'END.0201', 'END.0202'])

/** What a reason of its own page says, in the words of the switch. */
const reasonPage = (code: string): string => `/docs/reasons#${code}`

type Outcome = 'good' | 'calm' | 'warn' | 'bad'

/** Media, a document or the switch itself failed: whether the call had been answered before does not make it better. */
const brokeDown = /^END\.[235]/

/** A Dial that reached nobody is what many documents reckon with (voicemail); a document that failed is not. */
function outcomeOf(call: Call, problems: readonly TraceProblem[]): Outcome {
  if (call.status === 'failed' || brokeDown.test(call.reason_code)) return 'bad'
  if (!asPlanned.has(call.reason_code) || problems.some(({ code }) => code.startsWith('END.3'))) return 'warn'
  return problems.length > 0 ? 'calm' : 'good'
}

/** In the chosen language; what the switch's own sentence names of the call, a number or a line, follows in English. */
function Why({ code, sentence, advice, link }: TraceProblem) {
  const own = reasonText(code)
  return (
    <>
      <b>
        <Prose text={own?.why ?? sentence} />
      </b>{' '}
      <Prose text={own?.advice ?? advice} />{' '}
      <a href={link}>
        <code>{code}</code>
      </a>
      {own !== undefined && (
        <span class="soft" lang="en">
          {' '}
          <Prose text={sentence} />
        </span>
      )}
    </>
  )
}

/** Why it ended, in words, what had gone wrong before, and what to do. */
function End({ call, trace }: { readonly call: Call; readonly trace: Trace | undefined }) {
  if (isLive(call)) return null
  const end = trace?.end
  const problems = end?.problems ?? []
  const outcome = outcomeOf(call, problems)
  return (
    <div class={`outcome ${outcome}`}>
      <Icon name={outcome === 'good' ? 'check' : 'warn'} />
      <div>
        <p>
          <Why
            code={call.reason_code}
            sentence={end?.sentence ?? word('end', call.reason_code)}
            advice={end?.advice ?? ''}
            link={end?.link ?? reasonPage(call.reason_code)}
          />
        </p>
        {problems.length > 0 && (
          <>
            <p class="before">{t('beforeThat')}</p>
            <ul>
              {problems.map(problem => (
                <li key={problem.sentence}>
                  <Why {...problem} />
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </div>
  )
}

const tones: Readonly<Record<string, 'good' | 'bad' | 'warn' | 'calm' | 'live'>> = {
  document: 'live',
  webhook: 'warn',
  money: 'good',
  call: 'calm',
}

function Timeline({ entries }: { readonly entries: readonly TraceEntry[] }) {
  const kind = place.value.query.get('kind') ?? ''
  const choose = (chosen: string) => filter({ kind: chosen })
  const kinds = [...new Set(entries.map(entry => entry.kind))]
  const shown = entries.filter(entry => kind === '' || entry.kind === kind)
  return (
    <>
      <fieldset class="chips">
        <legend class="hidden">{t('kind')}</legend>
        {['', ...kinds].map(each => (
          <button type="button" key={each} aria-pressed={each === kind} onClick={() => choose(each)}>
            {each === '' ? t('all') : word('trace', each)}
          </button>
        ))}
      </fieldset>
      <ol class="timeline">
        {shown.map(entry => (
          <li key={entry.seq}>
            <details>
              <summary>
                <span class="at figure">{(entry.ms / 1000).toFixed(2)}</span>
                <Badge tone={tones[entry.kind] ?? 'calm'}>
                  {entry.leg === null ? word('trace', entry.kind) : `${word('trace', entry.kind)} ${entry.leg}`}
                </Badge>
                <span class="text">{sentence(entry.text)}</span>
              </summary>
              <Data value={entry.data} />
            </details>
          </li>
        ))}
      </ol>
    </>
  )
}

function Cost({ call, trace }: { readonly call: Call; readonly trace: Trace | undefined }) {
  const charges = trace?.charges ?? []
  return (
    <Card title={t('costExplained')}>
      {charges.length === 0 ? (
        <p class="soft">{Number(call.cost) === 0 ? t('costNothing') : money(call.cost)}</p>
      ) : (
        <ul class="sums">
          {charges.map(charge => (
            <li key={`${charge.leg} ${charge.number}`}>
              <span>
                <b class="nowrap">{number(charge.number)}</b>
                <br />
                <small>{explained(charge)}</small>
              </span>
              <b class="figure">{money(charge.charge)}</b>
            </li>
          ))}
        </ul>
      )}
      {call.tts_seconds > 0 && <p class="soft">{t('spoken', { seconds: call.tts_seconds })}</p>}
    </Card>
  )
}

type Charge = Trace['charges'][number]

/** Billed time × rate, as it was charged. */
function explained(charge: Charge): string {
  const fee =
    Number(charge.connection_fee) === 0 || charge.billed_seconds === 0
      ? ''
      : t('sumFee', { fee: money(charge.connection_fee) })
  const values = { talk: charge.talk_seconds, billed: charge.billed_seconds, fee }
  return t('sum', {
    ...values,
    increment: charge.increment_seconds,
    minimum: charge.minimum_seconds,
    rate: money(charge.rate_per_minute),
    charge: money(charge.charge),
  })
}

/** Speech lies above it; RFC 6464 goes down to -127 dBov. */
const quietestDbov = -90

const sumOf = (column: readonly (number | null)[]): number => column.reduce<number>((sum, each) => sum + (each ?? 0), 0)

/** How much of each point's time was concealed. */
const concealedPercent = ({ concealed_ms, seconds }: Trace['rtp'][number]): (number | null)[] =>
  concealed_ms.map((ms, place) => (ms === null ? null : Math.min(100, ms / (10 * (seconds[place] ?? 1)))))

function Quality({ call, trace }: { readonly call: Call; readonly trace: Trace | undefined }) {
  const rtp = (trace?.rtp ?? []).filter(each => each.ms.length > 1)
  if (rtp.length === 0 && !call.quality?.length) return null
  return (
    <Card title={t('quality')}>
      {rtp.map(each => (
        <div key={each.leg}>
          <h3>
            {each.leg} <small class="soft">{each.codec}</small>
          </h3>
          {each.mos.some(mos => mos !== null) && (
            <Plot
              label={`MOS ${each.leg}`}
              at={each.ms.map(ms => length(ms / 1000))}
              most={5}
              series={[{ name: 'MOS', tone: 'brand', values: each.mos }]}
            />
          )}
          <Plot
            label={`${t('lossAndConcealed')} ${each.leg}`}
            at={each.ms.map(ms => length(ms / 1000))}
            unit=" %"
            series={[
              { name: t('loss'), tone: 'bad', values: each.loss_percent },
              { name: t('concealedShare'), tone: 'warn', values: concealedPercent(each) },
            ]}
          />
          <Plot
            label={`${t('jitterAndDelay')} ${each.leg}`}
            at={each.ms.map(ms => length(ms / 1000))}
            unit=" ms"
            series={[
              { name: t('jitter'), tone: 'warn', values: each.jitter_ms },
              { name: t('delay'), tone: 'calm', values: each.delay_ms },
            ]}
          />
          {each.level_dbov.some(level => level !== null) && (
            <Plot
              label={`${t('level')} ${each.leg}`}
              at={each.ms.map(ms => length(ms / 1000))}
              least={quietestDbov}
              most={0}
              unit=" dBov"
              series={[{ name: t('level'), tone: 'calm', values: each.level_dbov }]}
            />
          )}
          <p class="soft">
            {t('lostAndConcealed', { lost: sumOf(each.packets_lost), concealed: sumOf(each.concealed_ms) })}
          </p>
        </div>
      ))}
      {call.quality?.map(leg => (
        <p key={leg.leg} class="soft">
          {number(leg.number)}: {leg.codec ?? '–'} · MOS {leg.mos ?? '–'} · {t('loss')} {figure(leg.loss_percent)} % ·{' '}
          {t('jitter')} {figure(Math.round(leg.jitter_ms))} ms
        </p>
      ))}
    </Card>
  )
}

export async function recordingBytes(uuid: string): Promise<ArrayBuffer> {
  const { url } = await must(api.POST('/recordings/download', { body: { uuid } }))
  const { pathname, search } = new URL(url)
  const answer = await fetchBytes(pathname + search)
  if (!answer.ok) throw new Error(t('gone'))
  return answer.arrayBuffer()
}

export function RecordingPlayer({ recording }: { readonly recording: Recording }) {
  const [isOpen, open] = useState(false)
  const name = `${recording.media_format} ${length(recording.duration_seconds)}`
  const download = async () => {
    const { url } = await must(api.POST('/recordings/download', { body: { uuid: recording.uuid } }))
    window.open(url, '_blank', 'noopener')
  }
  return (
    <div class="recording">
      {isOpen ? (
        <AudioPlayer name={name} load={() => recordingBytes(recording.uuid)} />
      ) : (
        <Button glyph="play" onClick={() => open(true)}>
          {t('listen')} · {length(recording.duration_seconds)}
        </Button>
      )}
      <Button onClick={() => attempt(download)}>{t('download')}</Button>
    </div>
  )
}
