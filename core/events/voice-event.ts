import type { AccountUuid, CallUuid, Sid } from '../model/ids.ts'
import type { EventCode } from './catalogue.ts'

/** One event: the same shape in the store, on the stream and in the status callback. */
export interface VoiceEvent {
  readonly uuid: string
  readonly code: EventCode
  readonly accountUuid: AccountUuid
  readonly callUuid: CallUuid | null
  readonly sid: Sid | null
  /** The owned number of the call, whose `status` override wins over the account's default. */
  readonly number: string | null
  readonly customPayload: Readonly<Record<string, unknown>> | null
  readonly createdUnix: number
  readonly data: Readonly<Record<string, unknown>>
}
