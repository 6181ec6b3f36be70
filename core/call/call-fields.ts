import type { EndUserProfile } from '../model/account.ts'
import type { CallRecord } from '../model/call-record.ts'
import { hasRoundedNumber } from '../model/json-number.ts'

type Fields = Readonly<Record<string, unknown>>

/** Attached metadata in its two forms (docs/api.md). */
export interface CustomPayload {
  /** For records and events. */
  readonly object: Readonly<Record<string, unknown>> | null
  /** For webhooks: the string as it came, or the object as compact JSON. */
  readonly text: string | undefined
}

/** Bytes of JSON or of text that a call may carry. */
export const maxCustomPayloadBytes = 8192

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parsedObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) && !hasRoundedNumber(value) ? value : undefined
  } catch {
    return undefined
  }
}

export function customPayloadOf(given: string | Readonly<Record<string, unknown>> | undefined): CustomPayload {
  if (given === undefined) return { object: null, text: undefined }
  if (typeof given === 'string') return { object: parsedObject(given) ?? { value: given }, text: given }
  return { object: given, text: JSON.stringify(given) }
}

const callStatus = (call: CallRecord): string => {
  switch (call.status) {
    case 'initiated':
    case 'ringing':
      return 'ringing'
    case 'answered':
      return 'in-progress'
    case 'completed':
    case 'failed':
      return 'completed'
  }
}

/** The fields that every call-control request carries (contract, "Calls into the customer's server"). */
export const callFields = (call: CallRecord, payloadText: string | undefined): Fields => ({
  CallSid: call.sid,
  AccountSid: call.accountUuid,
  Direction: call.direction === 'inbound' ? 'inbound' : 'outbound',
  From: call.fromNumber,
  To: call.toNumber,
  CallStatus: callStatus(call),
  ...(payloadText === undefined ? {} : { customPayload: payloadText }),
})

/**
 * What a softphone's call says besides. It is `in-progress` from its first request on; what an action callback reports is
 * as it is then.
 */
export const softphoneFields = (
  { uuid, email, displayName, extensionNumber }: EndUserProfile,
  isAction: boolean,
): Fields => ({
  ...(isAction ? {} : { CallStatus: 'in-progress' }),
  endUser: { uuid, email, display_name: displayName, extension_number: extensionNumber },
})
