import type { VoiceEvent } from '../../events/voice-event.ts'
import { parseObject } from './call-rows.ts'
import type { Row } from './schema.ts'

export const eventOf = (row: Row<'events'>): VoiceEvent => ({
  uuid: row.uuid,
  code: row.code,
  accountUuid: row.account_uuid,
  callUuid: row.call_uuid,
  sid: row.sid,
  number: row.number,
  customPayload: parseObject(row.custom_payload),
  createdUnix: row.created_unix,
  data: parseObject(row.data) ?? {},
})
