import { Allowance } from '../caps/allowance.ts'
import { recordingData } from '../events/call-data.ts'
import type { CallHost } from '../leg/call-host.ts'
import type { Leg } from '../leg/leg.ts'
import type { RecordingRecord } from '../model/call-record.ts'
import type { LegUuid, RecordingUuid } from '../model/ids.ts'
import type { MediaEvent } from '../ports/media.ts'
import type { ProgramEvent, RecordOptions, SessionRecordOptions } from '../verbs/index.ts'

type Recorded = Extract<ProgramEvent, { readonly type: 'recorded' }>
type MediaRecorded = Pick<
  Extract<MediaEvent, { readonly type: 'media.recorded' }>,
  'durationMs' | 'sizeBytes' | 'endedBy'
>
type MediaFormat = RecordingRecord['mediaFormat']

interface Running {
  readonly recordId: string
  readonly legId: LegUuid
  readonly row: RecordingRecord
  readonly reported: (event: Recorded) => void
}

/** Recordings of a call whose end media has not reported: stopped ones whose files are being closed count too. */
const maxOpenRecordings = 8
/** Recordings that a call begins at once, and after that each second: each is a file, a row and its events. */
const [mostAtOnce, perSecond] = [100, 1]
/** Refusals that are reported at once, and after that each second. */
const [refusalsAtOnce, refusalsPerSecond] = [10, 1]

const why = {
  quota: 'the account has stored as many bytes of recordings as it may',
  pace: `a call has at most ${maxOpenRecordings} recordings that have not ended, begins ${mostAtOnce} at once and ${perSecond} a second after that`,
}

/** One that was never begun. */
export const neverBegun = (recordId: string, endedBy: 'failed' | 'stopped'): Recorded => ({
  type: 'recorded',
  recordId,
  recordingUuid: '',
  path: '',
  durationMs: 0,
  endedBy,
})

/**
 * The recordings of a call. The row is written when the recording begins, so that a crash leaves nothing unknown;
 * it is completed when media reports the end, which may be after the call's own end.
 */
export class CallRecordings {
  readonly #host: CallHost
  readonly #recorded: (event: Recorded) => void
  readonly #running = new Map<string, Running>()
  readonly #pace = new Allowance(mostAtOnce, perSecond)
  readonly #refusals = new Allowance(refusalsAtOnce, refusalsPerSecond)
  #sessions = 0

  constructor(host: CallHost, recorded: (event: Recorded) => void) {
    this.#host = host
    this.#recorded = recorded
  }

  /** Recordings that have not ended. */
  get running(): number {
    return this.#running.size
  }

  /** Records what the leg's remote sends; `recorded` is called at its end. */
  start(leg: Leg, recordId: string, options: RecordOptions): void {
    if (this.#isRefused(() => this.#recorded(neverBegun(recordId, 'failed')))) return
    const { silenceMs, maxLengthMs, trimSilence, format } = options
    const path = this.#begin(leg, recordId, format, this.#recorded)
    this.#host.emit({
      type: 'media.record',
      legId: leg.uuid,
      recordId,
      path,
      limits: { silenceMs, maxLengthMs, trimSilence },
    })
  }

  /** Records both directions of the leg. Returns the recording's id, whether it began or was refused; `reported` is called at its end. */
  startSession(leg: Leg, options: SessionRecordOptions, reported: () => void = () => {}): string {
    const recordId = `session-${++this.#sessions}`
    if (this.#isRefused()) return recordId
    const { format, ...rules } = options
    const path = this.#begin(leg, recordId, format, reported)
    this.#host.emit({ type: 'media.record-session', legId: leg.uuid, recordId, path, rules })
    return recordId
  }

  /** It has begun and not ended. */
  isRunning(recordId: string): boolean {
    return this.#running.has(recordId)
  }

  /** From now on silence is recorded, or sound again. Only of a session. */
  pause(recordId: string, isPaused: boolean): void {
    const running = this.#running.get(recordId)
    if (running === undefined) return
    const type = isPaused ? 'media.pause-record' : 'media.resume-record'
    this.#host.emit({ type, legId: running.legId, recordId })
  }

  stop(recordId: string): void {
    const running = this.#running.get(recordId)
    if (running !== undefined) this.#host.emit({ type: 'media.stop-record', legId: running.legId, recordId })
  }

  mediaRecorded(recordId: string, reported: MediaRecorded): void {
    const running = this.#running.get(recordId)
    if (running === undefined) return
    this.#running.delete(recordId)
    const { durationMs, sizeBytes, endedBy } = reported
    const row = { ...running.row, durationMs, sizeBytes }
    this.#host.recorded(sizeBytes)
    this.#host.commit([
      {
        type: 'recording.update',
        uuid: row.uuid,
        accountUuid: row.accountUuid,
        set: { durationMs, sizeBytes },
      },
      this.#host.event(endedBy === 'failed' ? 'REC.0400' : 'REC.0200', recordingData(row)),
    ])
    running.reported({ type: 'recorded', recordId, recordingUuid: row.uuid, path: row.path, durationMs, endedBy })
  }

  /** The session is gone; what it has not reported the end of has failed. */
  sessionClosed(legId: LegUuid): void {
    for (const { recordId, legId: of } of [...this.#running.values()]) {
      if (of === legId) this.mediaRecorded(recordId, { durationMs: 0, sizeBytes: 0, endedBy: 'failed' })
    }
  }

  /** There is no room for another, or too many were begun: that is reported, then the verb goes on as after one that failed. */
  #isRefused(then: () => void = () => {}): boolean {
    const now = this.#host.now()
    const isSlow = () => this.#running.size < maxOpenRecordings && this.#pace.take(now)
    const reason = this.#host.mayRecord ? (isSlow() ? undefined : 'pace') : 'quota'
    if (reason === undefined) return false
    if (this.#refusals.take(now)) {
      const data = { sid: this.#host.record.sid, recording: null, detail: why[reason] }
      this.#host.commit([this.#host.event('REC.0400', data)], then)
    } else then()
    return true
  }

  /** Writes the row of a new recording; where media is to write it. */
  #begin(leg: Leg, recordId: string, format: MediaFormat, reported: (event: Recorded) => void): string {
    const { env, record, callId } = this.#host
    const uuid = env.uuid() as RecordingUuid
    const createdUnix = this.#host.unix()
    const place = env.recordingPlace(record.sid, uuid, createdUnix, format)
    const row: RecordingRecord = {
      uuid,
      accountUuid: record.accountUuid,
      callUuid: callId,
      callSid: record.sid,
      path: place.path,
      durationMs: null,
      sizeBytes: null,
      mediaFormat: format,
      createdUnix,
      expiresUnix: env.recordingKeptMs === Number.POSITIVE_INFINITY ? null : createdUnix + env.recordingKeptMs,
    }
    this.#running.set(recordId, { recordId, legId: leg.uuid, row, reported })
    this.#host.commit([{ type: 'recording.insert', recording: row }, this.#host.event('REC.0100', recordingData(row))])
    return place.file
  }
}
