import { useEffect, useRef, useState } from 'preact/hooks'
import { api, fetchBytes, must } from '../api.ts'
import type { Call, Recording } from '../api-types.ts'
import { useChangesOf } from '../follow-calls.ts'
import { count, dateTime, length, money, number, zone } from '../format.ts'
import { useLoad } from '../load.ts'
import { Refused } from '../refused.ts'
import { t } from '../texts/index.ts'
import { AudioPlayer } from '../ui/audio.tsx'
import { attempt, Button, Card, Copy, Page, Prose, Sure, Trouble, Waiting } from '../ui/basics.tsx'
import { CallStatus, isLive, Parties } from './call-cells.tsx'
import { DeliveryTable } from './deliveries.tsx'
import { documentCourses } from './document-course.ts'
import { End } from './end.tsx'
import { useTrace } from './follow-trace.ts'
import { Ladder } from './ladder.tsx'
import { useOwnDocuments } from './own-documents.ts'
import { isMeasured, Quality } from './quality.tsx'
import { RanDocuments } from './ran-documents.tsx'
import { Timeline } from './timeline.tsx'
import type { Trace, TraceEntry } from './trace.ts'

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
  const isTold = answers > 0 || followed.error !== undefined
  const entries = loaded !== undefined && isTold ? entriesOf(loaded, trace) : noEntries
  const courses = documentCourses(entries)
  const own = useOwnDocuments(courses)
  if (loaded === undefined)
    return error === undefined ? (
      <Waiting />
    ) : (
      <Page title={t('call')}>
        <Trouble error={error} retry={reload} />
      </Page>
    )
  const { call, recordings, deliveries } = loaded
  const hasLadder = trace?.entries.some(({ kind }) => kind === 'sip') === true
  const hasQuality = isMeasured(call, trace)
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
      {isTold && <End call={call} trace={trace} parts={{ call, courses, own, hasLadder, hasQuality }} />}
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
          {hasQuality && <Quality call={call} trace={trace} />}
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
