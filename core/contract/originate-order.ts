import type { CapRefusal } from '../caps/caps.ts'
import type { CallRecord } from '../model/call-record.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { AccountUuid } from '../model/ids.ts'
import type { Change } from '../ports/store.ts'

/** A call placed by API. */
export interface OriginateOrder {
  readonly accountId: AccountUuid
  /** E.164, or an extension of the account. */
  readonly to: string
  /** A number that the account owns. */
  readonly from: string
  /** Webhook that returns verbs for the answered call. */
  readonly url: string
  /** How long it may ring: 1 to 300. Default 30. */
  readonly timeoutSeconds?: number
  /** Attached metadata: a string reaches the webhooks verbatim, an object as compact JSON. */
  readonly customPayload?: string | Readonly<Record<string, unknown>>
  /** What is to be stored in the same transaction as the new call, such as the answer under an Idempotency-Key. */
  readonly alongWith?: (call: CallRecord) => readonly Change[]
}

export type OriginateCode =
  | 'BILL.0402'
  | 'BILL.0403'
  | 'BILL.0404'
  | CapRefusal
  /** By load. */
  | 'LIMIT.0503'
  | Extract<EndReason, 'END.0403' | 'END.4433' | 'END.5500' | 'END.5503'>

/** A refused call leaves no row and no charge. `status` is the HTTP status; a 422 carries no code. */
export type OriginateResult =
  | { readonly ok: true; readonly call: CallRecord }
  | {
      readonly ok: false
      readonly status: 402 | 403 | 422 | 429 | 500 | 503
      readonly code: OriginateCode | ''
      readonly detail: string
    }
