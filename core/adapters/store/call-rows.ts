import type { CallRecord, LegRecord, RecordingRecord } from '../../model/call-record.ts'
import type { LegQuality } from '../../model/leg-quality.ts'
import type { OpenDial } from '../../model/open-dial.ts'
import type { Database } from './database.ts'
import { asJson, type Columns, plain, RecordTable } from './record-table.ts'
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
  problemCode: row.problem_code,
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
  dial: row.dial === null ? null : (JSON.parse(row.dial) as OpenDial),
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

const callColumns: Columns<CallRecord> = {
  uuid: plain('uuid'),
  sid: plain('sid'),
  accountUuid: plain('account_uuid'),
  direction: plain('direction'),
  fromNumber: plain('from_number'),
  toNumber: plain('to_number'),
  status: plain('status'),
  reasonCode: plain('reason_code'),
  problemCode: plain('problem_code'),
  durationSeconds: plain('duration_seconds'),
  talkSeconds: plain('talk_seconds'),
  cost: plain('cost'),
  ttsSeconds: plain('tts_seconds'),
  customPayload: asJson('custom_payload'),
  quality: asJson('quality'),
  startedUnix: plain('started_unix'),
  answeredUnix: plain('answered_unix'),
  endedUnix: plain('ended_unix'),
  createdUnix: plain('created_unix'),
}

const legColumns: Columns<LegRecord> = {
  uuid: plain('uuid'),
  callUuid: plain('call_uuid'),
  role: plain('role'),
  direction: plain('direction'),
  trunkName: plain('trunk_name'),
  number: plain('number'),
  startedUnix: plain('started_unix'),
  answeredUnix: plain('answered_unix'),
  endedUnix: plain('ended_unix'),
  reasonCode: plain('reason_code'),
  dial: asJson('dial'),
}

const recordingColumns: Columns<RecordingRecord> = {
  uuid: plain('uuid'),
  accountUuid: plain('account_uuid'),
  callUuid: plain('call_uuid'),
  callSid: plain('call_sid'),
  path: plain('path'),
  durationMs: plain('duration_ms'),
  sizeBytes: plain('size_bytes'),
  mediaFormat: plain('media_format'),
  createdUnix: plain('created_unix'),
  expiresUnix: plain('expires_unix'),
}

/** Only a settled charge moves a call's cost; the others are what a row is known by. */
const fixedOfCall = ['uuid', 'sid', 'accountUuid', 'cost', 'createdUnix'] as const
const fixedOfLeg = ['uuid', 'callUuid', 'role', 'direction', 'startedUnix'] as const
const fixedOfRecording = ['uuid', 'accountUuid', 'callUuid', 'callSid', 'createdUnix'] as const

/** What a call leaves in the database: itself, its legs, its recordings. */
export interface CallTables {
  readonly calls: RecordTable<CallRecord>
  readonly legs: RecordTable<LegRecord>
  readonly recordings: RecordTable<RecordingRecord>
}

export const callTables = (database: Database): CallTables => ({
  calls: new RecordTable(database, 'calls', callColumns, fixedOfCall),
  legs: new RecordTable(database, 'legs', legColumns, fixedOfLeg),
  recordings: new RecordTable(database, 'recordings', recordingColumns, fixedOfRecording),
})
