import type { AccountUuid, Sid } from '../model/ids.ts'
import { type EventCode, eventCatalogue } from './catalogue.ts'
import type { VoiceEvent } from './voice-event.ts'

/** What the stream sends. */
export interface StreamEnvelope {
  readonly code: EventCode
  readonly event: string
  /** Empty for an event that is about no call. */
  readonly sid: Sid | ''
  readonly customPayload?: Readonly<Record<string, unknown>>
  readonly createdAt: string
  readonly data: Readonly<Record<string, unknown>>
}

/** What a status callback carries: the same, and whose it is. */
interface CallbackEnvelope extends StreamEnvelope {
  /** Identical across retries. */
  readonly id: string
  readonly accountId: AccountUuid
}

export const streamEnvelope = (event: VoiceEvent): StreamEnvelope => ({
  code: event.code,
  event: eventCatalogue[event.code].event,
  sid: event.sid ?? '',
  ...(event.customPayload === null ? {} : { customPayload: event.customPayload }),
  createdAt: new Date(event.createdUnix).toISOString(),
  data: event.data,
})

/** One message of the stream: the envelope of the event, and its place for `after`. No line break stands in it. */
export const streamMessage = (seq: number, event: VoiceEvent): string =>
  JSON.stringify({ seq, ...streamEnvelope(event) })

/** An event as the API lists it. */
export function eventView(seq: number, event: VoiceEvent) {
  const { code, event: name, sid, createdAt, data } = streamEnvelope(event)
  return { seq, id: event.uuid, code, event: name, sid, created_at: createdAt, data }
}

export const callbackEnvelope = (event: VoiceEvent): CallbackEnvelope => ({
  id: event.uuid,
  accountId: event.accountUuid,
  ...streamEnvelope(event),
})
