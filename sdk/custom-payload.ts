import { PhoneError } from './base/errors.ts'

export const customPayloadHeader = 'X-Service-Custom-Payload'
/** Longest value, in characters. */
const customPayloadLimit = 500

export type CustomPayload = string | Readonly<Record<string, unknown>>

const forbidden = /[\u0000-\u001f\u007f]/

/** The header's value: a text as it is, an object as compact JSON. Throws a PhoneError for what cannot travel. */
export function formatCustomPayload(payload: CustomPayload): string {
  const refuse = (why: string) => new PhoneError('custom-payload.invalid', `customPayload ${why}.`)
  const isObject = typeof payload === 'object' && payload !== null && !Array.isArray(payload)
  if (typeof payload !== 'string' && !isObject) throw refuse('must be a string or an object')
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
  const length = [...text].length
  if (length > customPayloadLimit) throw refuse(`has ${length} characters; at most ${customPayloadLimit} travel`)
  if (/[\r\n]/.test(text)) throw refuse('must not contain newlines')
  if (forbidden.test(text)) throw refuse('must not contain control characters')
  if (text !== text.trim()) throw refuse('must not begin or end with a space, which a header would lose')
  return text
}
