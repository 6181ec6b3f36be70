import { parseContact } from '../header/contact.ts'
import { parseMediaType } from '../header/content-type.ts'
import { isUsualAddress, uriOfUsual } from '../header/name-addr.ts'
import { q850CauseOf } from '../header/reason.ts'
import { parseSessionExpires, type SessionExpires } from '../header/session-expires.ts'
import { includesToken, parseTokens } from '../header/token-list.ts'
import { formatUri } from '../uri/format.ts'
import { firstOf, headerOf, headersOf } from './headers.ts'
import type { SipMessage } from './message.ts'
import { isMultipart, sessionPartOf } from './multipart.ts'

const utf8 = new TextDecoder()

export const bodyText = (message: SipMessage): string => utf8.decode(message.body)

/** `type/subtype` of the body in lower case; '' without a body, or with one that says nothing readable. */
export function bodyType(message: SipMessage): string {
  if (message.body.length === 0) return ''
  const written = headerOf(message, 'Content-Type') ?? ''
  if (written === 'application/sdp') return written
  const type = parseMediaType(written)
  return type.ok ? `${type.value.type}/${type.value.subtype}` : ''
}

/** The session description that a message carries, alone or among the parts of its body; undefined for none. */
export function sdpOf(message: SipMessage): string | undefined {
  if (message.body.length === 0) return undefined
  const written = headerOf(message, 'Content-Type') ?? ''
  if (written === 'application/sdp') return bodyText(message)
  const type = parseMediaType(written)
  if (!type.ok) return undefined
  if (isMultipart(type.value)) return sessionPartOf(type.value, bodyText(message))
  return type.value.type === 'application' && type.value.subtype === 'sdp' ? bodyText(message) : undefined
}

const holds = (message: SipMessage, header: string, token: string): boolean => {
  const values = headersOf(message, header)
  return values.length > 0 && includesToken(parseTokens(values), token)
}

export const requires = (message: SipMessage, extension: string): boolean => holds(message, 'Require', extension)

export const supports = (message: SipMessage, extension: string): boolean =>
  holds(message, 'Supported', extension) || requires(message, extension)

export const allowsMethod = (message: SipMessage, method: string): boolean => holds(message, 'Allow', method)

/** RFC 3326: the Q.850 cause. */
export const q850Of = (message: SipMessage): number | undefined => q850CauseOf(headersOf(message, 'Reason'))

export function sessionExpiresOf(message: SipMessage): SessionExpires | undefined {
  const value = headerOf(message, 'Session-Expires')
  const parsed = value === undefined ? undefined : parseSessionExpires(value)
  return parsed?.ok ? parsed.value : undefined
}

/** URI of the Contact, without the header fields that a URI may carry: a peer must not choose them. */
export function contactUriOf(message: SipMessage): string | undefined {
  const value = firstOf(message, 'Contact')
  if (value === undefined) return undefined
  if (isUsualAddress(value)) return uriOfUsual(value)
  const contact = parseContact(value)
  if (!contact.ok || contact.value === '*' || contact.value.uri.kind !== 'sip') return undefined
  return formatUri({ ...contact.value.uri, headers: [] })
}
