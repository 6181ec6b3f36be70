import { useEffect, useRef } from 'preact/hooks'
import { api, must } from '../api.ts'
import type { Call } from '../api-types.ts'
import { useChangesOf } from '../follow-calls.ts'
import { count, length, money, number, shortLength, zone } from '../format.ts'
import { useLoad } from '../load.ts'
import { Refused } from '../refused.ts'
import { href } from '../router.ts'
import { save } from '../save-file.ts'
import { t, word } from '../texts/index.ts'
import { attempt, Badge, Button, Card, Copy, Data, Page, Prose, Sure, Trouble, Waiting } from '../ui/basics.tsx'
import { When } from '../ui/when.tsx'
import { CallLength, CallState, CallTalk, Parties } from './call-cells.tsx'
import { DeliveryTable } from './deliveries.tsx'
import { documentCourses } from './document-course.ts'
import { End } from './end.tsx'
import { useTrace } from './follow-trace.ts'
import { Ladder } from './ladder.tsx'
import { isLive, type Told } from './outcome.ts'
import { useOwnDocuments } from './own-documents.ts'
import { isMeasured, Quality } from './quality.tsx'
import { RanDocuments } from './ran-documents.tsx'
import { RecordingPlayer } from './recording-player.tsx'
import { Timeline } from './timeline.tsx'
import type { Trace, TraceEntry } from './trace.ts'

/** What links of events and deliveries name it by. */
const sidForm = /^CA[0-9A-Z]{16}$/

async function uuidOf(id: string): Promise<string> {
  if (!sidForm.test(id)) return id
  const { calls } = await must(api.GET('/calls/', { params: { query: { search: id, limit: 1 } } }))
  // Of a call that is not there, the answer to its sid says so.
  return calls[0]?.uuid ?? id
}

async function whole(id: string) {
  const uuid = await uuidOf(id)
  const call = await must(api.GET('/calls/{uuid}', { params: { path: { uuid } } }))
  const [recordings, deliveries, events] = await Promise.all([
    must(api.GET('/recordings/', { params: { query: { call_uuid: uuid } } })),
    must(api.GET('/account/webhooks/deliveries', { params: { query: { sid: call.sid } } })),
    must(api.GET('/events/', { params: { query: { sid: call.sid, limit: 200 } } })),
  ])
  return { call, recordings, deliveries, events }
}
type Whole = Awaited<ReturnType<typeof whole>>

const noEntries: readonly TraceEntry[] = []

/** The timeline of the recorder; where it kept none, that of the events. */
function entriesOf({ events, call }: Whole, trace: Trace | undefined): readonly TraceEntry[] {
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

async function savePackets({ uuid, sid }: Call): Promise<void> {
  const path = { uuid }
  const packets = await must(api.GET('/calls/{uuid}/trace.pcapng', { params: { path }, parseAs: 'arrayBuffer' }))
  save(`${sid}.pcapng`, 'application/x-pcapng', packets)
}

export default function CallPage({ id }: { readonly id: string }) {
  const kept = useRef<Whole | undefined>(undefined)
  const changes = useChangesOf(kept.current?.call.sid)
  const { data, error, reload } = useLoad(`call ${id} ${changes}`, () => whole(id))
  if (data !== undefined) kept.current = data
  const loaded = kept.current
  const isNow = loaded !== undefined && isLive(loaded.call)
  // The thread of the recorder has the lowest priority: the page does not wait for it.
  const followed = useTrace(id, changes, isNow)
  const { trace, answers } = followed
  useEffect(() => {
    if (isNow && trace?.is_over === true) reload()
  }, [isNow, answers])
  const wasNow = useRef(false)
  useEffect(() => {
    // The button that hung it up had the focus, and is gone.
    if (wasNow.current && !isNow && document.activeElement === document.body)
      document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
    wasNow.current = isNow
  }, [isNow])
  const isTold = answers > 0 || followed.error !== undefined
  const entries = loaded !== undefined && isTold ? entriesOf(loaded, trace) : noEntries
  const courses = documentCourses(entries)
  const own = useOwnDocuments(courses)
  const back = { href: href('calls'), text: t('calls') }
  if (loaded === undefined)
    return error === undefined ? (
      <Waiting />
    ) : (
      <Page back={back} title={t('call')}>
        <Trouble error={error} retry={reload} />
      </Page>
    )
  const { call, recordings, deliveries } = loaded
  const hasLadder = trace?.entries.some(({ kind }) => kind === 'sip') === true
  const hasQuality = isMeasured(call, trace)
  return (
    <Page
      back={back}
      title={<Parties call={call} />}
      name={`${number(call.from_number)} → ${number(call.to_number)}`}
      lead={<Lead call={call} end={trace?.end ?? {}} />}
      actions={
        <>
          {isLive(call) && (
            <Sure
              kind="danger"
              label={t('hangUp')}
              question={t('hangUpSure')}
              act={() => must(api.POST('/calls/hangup', { body: { sid: call.sid } }))}
            />
          )}
          <Button
            onClick={() => save(`${call.sid}.json`, 'application/json', JSON.stringify({ ...loaded, trace }, null, 2))}
          >
            {t('saveJson')}
          </Button>
          {hasLadder && <Button onClick={() => attempt(() => savePackets(call))}>{t('savePackets')}</Button>}
        </>
      }
    >
      {isTold && <End call={call} trace={trace} parts={{ call, courses, own, hasLadder, hasQuality }} />}
      <div class="tiles">
        <div class="tile">
          <span>{t('began')}</span>
          <b class="small">
            <When iso={call.created_at} /> <small class="soft">{zone()}</small>
          </b>
        </div>
        <div class="tile">
          <span>{t('answeredAfter')}</span>
          <b>{shortLength(secondsToAnswer(call))}</b>
        </div>
        <div class="tile">
          <span>{t('length')}</span>
          <b>
            <CallLength call={call} />
          </b>
        </div>
        <div class="tile">
          <span>{t('talk')}</span>
          <b>
            <CallTalk call={call} />
          </b>
        </div>
        <div class="tile">
          <span>{t('cost')}</span>
          <b>{isLive(call) ? '–' : money(call.cost)}</b>
        </div>
      </div>
      <Rest call={call} followed={followed} />
      <div class="columns two">
        <div class="stack">
          <Card id="timeline" title={t('timeline')}>
            {isTold ? <Timeline entries={entries} isLive={isNow} /> : <Waiting />}
          </Card>
          {trace !== undefined && (
            <Card id="ladder" title={t('ladder')}>
              <Ladder trace={trace} isLive={isNow} />
            </Card>
          )}
        </div>
        <div class="stack">
          <RanDocuments courses={courses} own={own} isLive={isNow} />
          {recordings.length > 0 && (
            <Card title={t('recordings')}>
              {recordings.map(recording => (
                <RecordingPlayer key={recording.uuid} recording={recording} />
              ))}
            </Card>
          )}
          <Cost call={call} trace={trace} />
          {call.customPayload !== null && (
            <Card title={t('customPayload')}>
              <Data value={call.customPayload} label={t('customPayload')} />
            </Card>
          )}
          {hasQuality && <Quality call={call} trace={trace} />}
        </div>
      </div>
      {deliveries.length > 0 && (
        <Card title={t('deliveries')}>
          <DeliveryTable rows={deliveries} ofOneCall />
        </Card>
      )}
    </Page>
  )
}

const secondsToAnswer = ({ created_at: created, started_at: started, answered_at: answered }: Call) =>
  answered === null ? null : Math.max(0, Date.parse(answered) - Date.parse(started ?? created)) / 1000

/** What it is and where more of it stands. */
function Lead({ call, end }: { readonly call: Call; readonly end: Told }) {
  const other = call.direction === 'inbound' ? call.from_number : call.to_number
  return (
    <span class="facts">
      <span role="status">
        <CallState call={call} end={end} />
      </span>
      <Badge tone="calm">{word('direction', call.direction)}</Badge>
      <span class="with-copy">
        <code>{call.sid}</code> <Copy text={call.sid} label={call.sid} />
      </span>
      <a href={`${href('events')}?sid=${call.sid}`}>{t('events')}</a>
      {/\d/.test(other) && (
        <a href={`${href('calls')}?search=${encodeURIComponent(other)}`}>{t('callsOf', { number: number(other) })}</a>
      )}
    </span>
  )
}

/** Of a long trace: how far it has come, or why the rest of it is not there. */
function Rest({ call, followed }: { readonly call: Call; readonly followed: ReturnType<typeof useTrace> }) {
  const { trace, isGrowing, error, retry } = followed
  const atMs = trace?.entries.at(-1)?.ms ?? 0
  if (error !== undefined && trace === undefined) return <Trouble error={error} retry={retry} />
  const at = length(atMs / 1000)
  if (error !== undefined) {
    const about = t('traceBroke', { at })
    const broken = error instanceof Refused ? new Refused(error.body, about) : `${about}: ${error.message}`
    return <Trouble error={broken} retry={retry} />
  }
  return (
    <>
      {isGrowing && (
        <p class="growing" role="status">
          {t('traceGrows', { at, count: count(trace?.entries.length ?? 0) })}
          <progress aria-label={t('timeline')} max={call.duration_seconds ?? undefined} value={atMs / 1000} />
        </p>
      )}
      {trace !== undefined && trace.leftOut > 0 && (
        <p class="soft">
          <Prose text={t('traceLeftOut', { count: count(trace.leftOut) })} />
        </p>
      )}
    </>
  )
}

function Cost({ call, trace }: { readonly call: Call; readonly trace: Trace | undefined }) {
  const charges = trace?.charges ?? []
  return (
    <Card title={t('costExplained')}>
      {charges.length === 0 ? (
        <p class="soft">
          {isLive(call) ? t('costLater') : Number(call.cost) === 0 ? t('costNothing') : money(call.cost)}
        </p>
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
