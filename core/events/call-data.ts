import type { CallRecord, LegRecord, RecordingRecord } from '../model/call-record.ts'
import { type EndReason, endReasons } from '../model/end-reason.ts'
import type { Sid } from '../model/ids.ts'
import { formatMoney } from '../model/money.ts'
import type { DialKind } from '../model/open-dial.ts'
import type { EventCode } from './catalogue.ts'
import { qualityResource } from './quality-data.ts'

type Data = Readonly<Record<string, unknown>>

/** Unix milliseconds as ISO-8601 in UTC; null stays null. */
export const timestampOf = (unixMs: number | null): string | null =>
  unixMs === null ? null : new Date(unixMs).toISOString()

/** What the API's Call resource and the CALL events have in common. */
const callResource = (call: CallRecord) => ({
  sid: call.sid,
  uuid: call.uuid,
  direction: call.direction,
  from_number: call.fromNumber,
  to_number: call.toNumber,
  status: call.status,
  reason_code: call.reasonCode,
  reason_label: call.reasonCode === '' ? '' : endReasons[call.reasonCode].label,
  duration_seconds: call.durationSeconds,
  talk_seconds: call.talkSeconds,
  cost: formatMoney(call.cost),
  started_at: timestampOf(call.startedUnix),
  answered_at: timestampOf(call.answeredUnix),
  ended_at: timestampOf(call.endedUnix),
})

/** A call as `GET /calls/{uuid}` shows it. */
export const callView = (call: CallRecord) => ({
  ...callResource(call),
  problem_code: call.problemCode,
  tts_seconds: call.ttsSeconds,
  customPayload: call.customPayload,
  quality: call.quality?.map(qualityResource) ?? null,
  created_at: new Date(call.createdUnix).toISOString(),
})

/** `data` of the CALL events. */
export const callData = (call: CallRecord): Data =>
  call.endedUnix === null
    ? callResource(call)
    : { ...callResource(call), problem_code: call.problemCode, quality: call.quality?.map(qualityResource) ?? null }

/** A leg, or its row. */
interface ReportedLeg extends Pick<LegRecord, 'uuid' | 'direction' | 'trunkName' | 'startedUnix'> {
  readonly answeredUnix: number | null | undefined
  readonly endedUnix: number | null | undefined
  readonly reasonCode?: EndReason | ''
}

export interface DialledLeg {
  readonly dialSid: Sid
  readonly kind: DialKind
  readonly to: string
  readonly from: string
  readonly status: 'initiated' | 'ringing' | 'answered' | 'completed' | 'failed'
  readonly leg: ReportedLeg | undefined
  /** Why it has ended; empty before that. Default: what the leg's row says. */
  readonly reason?: EndReason | ''
  readonly talkSeconds: number
}

/** Which event reports what of a dialled leg. */
export const dialCodes = {
  initiated: 'DIAL.0100',
  ringing: 'DIAL.0180',
  answered: 'DIAL.0200',
  completed: 'DIAL.0300',
  failed: 'DIAL.0400',
} as const satisfies Record<DialledLeg['status'], EventCode>

/** `data` of the DIAL events: one leg that a Dial reaches for. */
export const dialData = (call: CallRecord, dialled: DialledLeg): Data => ({
  sid: call.sid,
  dial_sid: dialled.dialSid,
  leg_uuid: dialled.leg?.uuid ?? null,
  kind: dialled.kind,
  route: dialled.leg === undefined ? null : dialled.leg.direction === 'on-net' ? 'on-net' : 'trunk',
  trunk: dialled.leg?.trunkName ?? '',
  from_number: dialled.from,
  to_number: dialled.to,
  status: dialled.status,
  reason_code: dialled.reason ?? dialled.leg?.reasonCode ?? '',
  talk_seconds: dialled.talkSeconds,
  started_at: timestampOf(dialled.leg?.startedUnix ?? null),
  answered_at: timestampOf(dialled.leg?.answeredUnix ?? null),
  ended_at: timestampOf(dialled.leg?.endedUnix ?? null),
})

interface RoomVisit {
  readonly dialSid: Sid
  /** Name of the room. */
  readonly name: string
  readonly status: Exclude<DialledLeg['status'], 'ringing'>
  readonly reason: EndReason | ''
  readonly talkSeconds: number
  readonly sinceUnix: number | null
  readonly endedUnix: number | null
}

/** `data` of the DIAL events of a Dial that leads to a room. */
export const conferenceData = (call: CallRecord, visit: RoomVisit): Data => ({
  sid: call.sid,
  dial_sid: visit.dialSid,
  leg_uuid: null,
  kind: 'conference',
  route: null,
  trunk: '',
  from_number: call.fromNumber,
  to_number: visit.name,
  status: visit.status,
  reason_code: visit.reason,
  talk_seconds: visit.talkSeconds,
  started_at: timestampOf(visit.sinceUnix),
  answered_at: timestampOf(visit.sinceUnix),
  ended_at: timestampOf(visit.endedUnix),
})

/** The API's Recording (docs/api.md). */
export const recordingResource = (recording: RecordingRecord) => ({
  uuid: recording.uuid,
  call_uuid: recording.callUuid,
  call_sid: recording.callSid,
  duration_seconds: recording.durationMs === null ? null : Math.round(recording.durationMs / 1000),
  size_bytes: recording.sizeBytes,
  media_format: recording.mediaFormat,
  storage_backend: 'local',
  expires_at: timestampOf(recording.expiresUnix),
  created_at: new Date(recording.createdUnix).toISOString(),
})

/** `data` of the REC events. */
export const recordingData = (recording: RecordingRecord): Data => ({
  sid: recording.callSid,
  recording: recordingResource(recording),
})
