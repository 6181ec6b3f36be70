import { parseNameAddr } from '../../header/name-addr.ts'
import { headerOf } from '../../message/headers.ts'
import type { PhoneIdentity } from '../../registrar/phone.ts'
import type { IncomingRequest } from '../../transaction/incoming.ts'
import { formatUri, subscriberOf } from '../../uri/format.ts'
import { isIpv4, isIpv6 } from '../../uri/host.ts'
import { parseUri } from '../../uri/parse.ts'
import type { PhoneOffer } from '../services/call-event.ts'

/** What a softphone attaches to a call (docs/phones.md, "Calls"). */
export const customPayloadHeader = 'X-Service-Custom-Payload'

const hostOf = (nameAddr: string): string | undefined => {
  const parsed = parseNameAddr(nameAddr)
  return parsed.ok && parsed.value.uri.kind === 'sip' ? parsed.value.uri.host.toLowerCase() : undefined
}

/**
 * The destination that a softphone dials. A user at our own domain is meant by its name alone; so is one at a host
 * that the phone calls its own domain. Any other URI is kept as it is.
 */
export function dialledBy(request: IncomingRequest, realm: string): string {
  const parsed = parseUri(request.message.uri)
  if (!parsed.ok) return ''
  const uri = parsed.value
  const user = subscriberOf(uri) ?? ''
  if (uri.kind !== 'sip') return user
  const host = uri.host.toLowerCase()
  const isOurs =
    host === realm.toLowerCase() ||
    host === 'localhost' ||
    host === hostOf(request.from) ||
    host.endsWith('.invalid') ||
    isIpv4(host) ||
    isIpv6(host)
  return isOurs ? user : formatUri({ ...uri, password: undefined, parameters: [], headers: [] })
}

export function phoneOfferOf(request: IncomingRequest, phone: PhoneIdentity): PhoneOffer {
  const customPayload = headerOf(request.message, customPayloadHeader)
  const { userId, tokenId } = phone
  return { userId, tokenId, ...(customPayload === undefined ? {} : { customPayload }) }
}
