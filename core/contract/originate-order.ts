import type { CapRefusal } from '../caps/caps.ts'
import type { CallRecord } from '../model/call-record.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { AccountUuid } from '../model/ids.ts'
import type { OrderFieldSentence, OrderSentence } from './order-sentences.ts'

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
  /** The new call is kept under this key of the account, in the same transaction. */
  readonly idempotencyKey?: string | undefined
}

export type OriginateCode =
  | 'BILL.0402'
  | 'BILL.0403'
  | 'BILL.0404'
  | CapRefusal
  /** By load. */
  | 'LIMIT.0503'
  | Extract<EndReason, 'END.0403' | 'END.4433' | 'END.5500' | 'END.5503'>

/** Why a call is not placed: a field of the order that cannot be right, or a rule. `sentence`: for people, without the code. */
export type OriginateRefusal =
  | {
      readonly ok: false
      readonly kind: 'field'
      readonly field: 'to' | 'from' | 'url' | 'timeout' | 'customPayload'
      readonly sentence: OrderFieldSentence
    }
  | { readonly ok: false; readonly kind: 'rule'; readonly code: OriginateCode; readonly sentence: OrderSentence }

/** A refused call leaves no row and no charge. */
export type OriginateResult = { readonly ok: true; readonly call: CallRecord } | OriginateRefusal

/** The code of the rule, or the name of the field. */
export const causeOfRefusal = (refused: OriginateRefusal): string =>
  refused.kind === 'rule' ? refused.code : refused.field

export const refusedField = (
  field: Extract<OriginateRefusal, { kind: 'field' }>['field'],
  sentence: OrderFieldSentence,
): OriginateRefusal => ({ ok: false, kind: 'field', field, sentence })

export const refusedBy = (code: OriginateCode, sentence: OrderSentence): OriginateRefusal => ({
  ok: false,
  kind: 'rule',
  code,
  sentence,
})
