import { headerOf, headersOf, parseReason, parseRetryAfter, type SipMessage } from '../../sip/index.ts'
import type { EndedBy, EndReason } from '../end-reason.ts'

/** What a final response, a BYE or a CANCEL says about why. */
export function reasonOf(message: SipMessage, by: EndedBy): EndReason {
  let text: string | undefined
  let q850: number | undefined
  let sip: number | undefined
  for (const value of headersOf(message, 'Reason')) {
    const reason = parseReason(value)
    if (!reason.ok) continue
    text ??= reason.value.text
    const protocol = reason.value.protocol.toUpperCase()
    if (protocol === 'Q.850') q850 ??= reason.value.cause
    if (protocol === 'SIP') sip ??= reason.value.cause
  }
  const code = headerOf(message, 'X-Voice-Reason-Code')?.trim()
  const retry = message.kind === 'response' ? parseRetryAfter(headerOf(message, 'Retry-After') ?? '') : undefined
  return {
    cause: causeOf(message, sip),
    by,
    ...(message.kind === 'response' ? { status: message.status } : {}),
    ...(code ? { code } : {}),
    ...(text ? { text } : {}),
    ...(q850 === undefined ? {} : { q850 }),
    ...(retry?.ok ? { retryAfterSeconds: retry.value } : {}),
  }
}

function causeOf(message: SipMessage, sip: number | undefined): string {
  if (message.kind === 'response') return `${message.status} ${message.reason}`.trim()
  if (message.method === 'BYE') return 'Hung up'
  // RFC 3326 §2: the CANCEL of a fork whose brother answered.
  return sip === 200 ? 'Answered elsewhere' : 'Cancelled'
}
