import { headerOf, headersOf, type SipMessage } from '../../sip/index.ts'
import type { EndedBy, EndReason } from '../base/end-reason.ts'
import { numberOf } from './read.ts'

/** What a final response, a BYE or a CANCEL says about why. */
export function reasonOf(message: SipMessage, by: EndedBy): EndReason {
  // RFC 3326: Q.850;cause=17;text="User busy"
  const reasons = headersOf(message, 'Reason')
  const causeIn = (protocol: RegExp) => {
    const digits = reasons.map(value => (protocol.test(value) ? /;\s*cause=(\d{1,3})/i.exec(value)?.[1] : undefined))
    return digits.find(found => found !== undefined)
  }
  const text = /;\s*text="((?:\\.|[^"\\])*)"/i.exec(reasons.join(','))?.[1]?.replace(/\\(.)/g, '$1')
  const q850 = causeIn(/^Q\.850/i)
  const code = headerOf(message, 'X-Voice-Reason-Code')?.trim()
  const retryAfterSeconds = numberOf(message, 'Retry-After')
  return {
    cause: causeOf(message, causeIn(/^SIP/i)),
    by,
    ...(message.kind === 'response' ? { status: message.status } : {}),
    ...(code ? { code } : {}),
    ...(text ? { text } : {}),
    ...(q850 === undefined ? {} : { q850: Number(q850) }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
}

function causeOf(message: SipMessage, sip: string | undefined): string {
  if (message.kind === 'response') return `${message.status} ${message.reason}`.trim()
  if (message.method === 'BYE') return 'Hung up'
  // RFC 3326 §2: the CANCEL of a fork whose brother answered.
  return sip === '200' ? 'Answered elsewhere' : 'Cancelled'
}
