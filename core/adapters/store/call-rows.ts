import type { CallRecord, LegRecord, RecordingRecord } from '../../model/call-record.ts'
import type { LegQuality } from '../../model/leg-quality.ts'
import type { Database } from './database.ts'
import { asJson, PartialUpdate, plain } from './partial-update.ts'
import type { Row } from './schema.ts'

type JsonObject = Readonly<Record<string, unknown>>

/** JSON text that we wrote ourselves. */
export const parseObject = (text: string | null): JsonObject | null =>
  text === null ? null : (JSON.parse(text) as JsonObject)

export const callOf = (row: Row<'calls'>): CallRecord => ({
  uuid: row.uuid,
  sid: row.sid,
  accountUuid: row.account_uuid,
  direction: row.direction,
  fromNumber: row.from_number,
  toNumber: row.to_number,
  status: row.status,
  reasonCode: row.reason_code,
  durationSeconds: row.duration_seconds,
  talkSeconds: row.talk_seconds,
  cost: row.cost,
  ttsSeconds: row.tts_seconds,
  customPayload: parseObject(row.custom_payload),
  quality: row.quality === null ? null : (JSON.parse(row.quality) as readonly LegQuality[]),
  startedUnix: row.started_unix,
  answeredUnix: row.answered_unix,
  endedUnix: row.ended_unix,
  createdUnix: row.created_unix,
})

export const legOf = (row: Row<'legs'>): LegRecord => ({
  uuid: row.uuid,
  callUuid: row.call_uuid,
  role: row.role,
  direction: row.direction,
  trunkName: row.trunk_name,
  number: row.number,
  startedUnix: row.started_unix,
  answeredUnix: row.answered_unix,
  endedUnix: row.ended_unix,
  reasonCode: row.reason_code,
})

export const recordingOf = (row: Row<'recordings'>): RecordingRecord => ({
  uuid: row.uuid,
  accountUuid: row.account_uuid,
  callUuid: row.call_uuid,
  callSid: row.call_sid,
  path: row.path,
  durationMs: row.duration_ms,
  sizeBytes: row.size_bytes,
  mediaFormat: row.media_format,
  createdUnix: row.created_unix,
  expiresUnix: row.expires_unix,
})

/** Writes the rows of calls, their legs and their recordings. Synchronous: for use inside a unit of work. */
export class CallRows {
  readonly #insertCall
  readonly #insertLeg
  readonly #insertRecording
  readonly #updateCall
  readonly #updateLeg
  readonly #updateRecording

  constructor(database: Database) {
    this.#insertCall = database.prepare<Omit<Row<'calls'>, 'id'>[]>(
      `INSERT INTO calls (uuid, sid, account_uuid, direction, from_number, to_number, status, reason_code,
         duration_seconds, talk_seconds, cost, tts_seconds, custom_payload, quality, started_unix, answered_unix, ended_unix,
         created_unix)
       VALUES (@uuid, @sid, @account_uuid, @direction, @from_number, @to_number, @status, @reason_code,
         @duration_seconds, @talk_seconds, @cost, @tts_seconds, @custom_payload, @quality, @started_unix, @answered_unix,
         @ended_unix, @created_unix)`,
    )
    this.#insertLeg = database.prepare<Row<'legs'>[]>(
      `INSERT INTO legs (uuid, call_uuid, role, direction, trunk_name, number, started_unix, answered_unix,
         ended_unix, reason_code)
       VALUES (@uuid, @call_uuid, @role, @direction, @trunk_name, @number, @started_unix, @answered_unix,
         @ended_unix, @reason_code)`,
    )
    this.#insertRecording = database.prepare<Omit<Row<'recordings'>, 'deleted_unix' | 'purged_unix'>[]>(
      `INSERT INTO recordings (uuid, account_uuid, call_uuid, call_sid, path, duration_ms, size_bytes, media_format,
         created_unix, expires_unix)
       VALUES (@uuid, @account_uuid, @call_uuid, @call_sid, @path, @duration_ms, @size_bytes, @media_format,
         @created_unix, @expires_unix)`,
    )
    // The cost has no entry: only a settled charge moves it. Nor has what a call is known by.
    this.#updateCall = new PartialUpdate<CallRecord>(database, 'calls', {
      direction: plain('direction'),
      fromNumber: plain('from_number'),
      toNumber: plain('to_number'),
      status: plain('status'),
      reasonCode: plain('reason_code'),
      durationSeconds: plain('duration_seconds'),
      talkSeconds: plain('talk_seconds'),
      ttsSeconds: plain('tts_seconds'),
      customPayload: asJson('custom_payload'),
      quality: asJson('quality'),
      startedUnix: plain('started_unix'),
      answeredUnix: plain('answered_unix'),
      endedUnix: plain('ended_unix'),
    })
    this.#updateLeg = new PartialUpdate<LegRecord>(database, 'legs', {
      trunkName: plain('trunk_name'),
      number: plain('number'),
      answeredUnix: plain('answered_unix'),
      endedUnix: plain('ended_unix'),
      reasonCode: plain('reason_code'),
    })
    this.#updateRecording = new PartialUpdate<RecordingRecord>(database, 'recordings', {
      path: plain('path'),
      durationMs: plain('duration_ms'),
      sizeBytes: plain('size_bytes'),
      mediaFormat: plain('media_format'),
      expiresUnix: plain('expires_unix'),
    })
  }

  insertCall(call: CallRecord): void {
    this.#insertCall.run({
      uuid: call.uuid,
      sid: call.sid,
      account_uuid: call.accountUuid,
      direction: call.direction,
      from_number: call.fromNumber,
      to_number: call.toNumber,
      status: call.status,
      reason_code: call.reasonCode,
      duration_seconds: call.durationSeconds,
      talk_seconds: call.talkSeconds,
      cost: call.cost,
      tts_seconds: call.ttsSeconds,
      custom_payload: call.customPayload === null ? null : JSON.stringify(call.customPayload),
      quality: call.quality === null ? null : JSON.stringify(call.quality),
      started_unix: call.startedUnix,
      answered_unix: call.answeredUnix,
      ended_unix: call.endedUnix,
      created_unix: call.createdUnix,
    })
  }

  updateCall(uuid: string, set: Partial<CallRecord>): void {
    this.#updateCall.run(uuid, set)
  }

  insertLeg(leg: LegRecord): void {
    this.#insertLeg.run({
      uuid: leg.uuid,
      call_uuid: leg.callUuid,
      role: leg.role,
      direction: leg.direction,
      trunk_name: leg.trunkName,
      number: leg.number,
      started_unix: leg.startedUnix,
      answered_unix: leg.answeredUnix,
      ended_unix: leg.endedUnix,
      reason_code: leg.reasonCode,
    })
  }

  updateLeg(uuid: string, set: Partial<LegRecord>): void {
    this.#updateLeg.run(uuid, set)
  }

  insertRecording(recording: RecordingRecord): void {
    this.#insertRecording.run({
      uuid: recording.uuid,
      account_uuid: recording.accountUuid,
      call_uuid: recording.callUuid,
      call_sid: recording.callSid,
      path: recording.path,
      duration_ms: recording.durationMs,
      size_bytes: recording.sizeBytes,
      media_format: recording.mediaFormat,
      created_unix: recording.createdUnix,
      expires_unix: recording.expiresUnix,
    })
  }

  updateRecording(uuid: string, set: Partial<RecordingRecord>): void {
    this.#updateRecording.run(uuid, set)
  }
}
