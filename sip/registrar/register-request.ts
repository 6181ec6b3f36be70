import { parameterOf } from '../grammar/parameters.ts'
import { contactExpiresOf, parseContact } from '../header/contact.ts'
import { parseExpires } from '../header/expires.ts'
import { parseNameAddr } from '../header/name-addr.ts'
import { headerOf, headersOf } from '../message/headers.ts'
import type { SipRequest } from '../message/message.ts'
import { userOf } from '../uri/format.ts'
import type { SipUri } from '../uri/uri.ts'

/** One Contact of a REGISTER; `seconds` undefined = the registrar's default. */
export interface WantedBinding {
  readonly uri: SipUri
  readonly instance: string | undefined
  readonly regId: number | undefined
  readonly seconds: number | undefined
}

/** What a REGISTER asks for (RFC 3261 §10.3). No contacts at all is a question. */
export type RegisterRequest =
  | { readonly kind: 'update'; readonly user: string; readonly wanted: readonly WantedBinding[] }
  | { readonly kind: 'remove-all'; readonly user: string }
  | { readonly kind: 'bad' }

const mostContacts = 10
/** Octets of a Contact, which is kept as long as it is registered; those of phones have some 200. */
const longestContact = 1_024
const longestCallId = 256
const bad: RegisterRequest = { kind: 'bad' }

export function readRegister(message: SipRequest): RegisterRequest {
  const to = parseNameAddr(headerOf(message, 'To') ?? '')
  if (!to.ok) return bad
  const user = userOf(to.value.uri) ?? ''
  const header = headerOf(message, 'Expires')
  const expires = header === undefined ? undefined : parseExpires(header)
  const general = expires?.ok ? expires.value : undefined
  const values = headersOf(message, 'Contact')
  if (values.some(value => value.trim() === '*'))
    return values.length === 1 && general === 0 ? { kind: 'remove-all', user } : bad
  if (values.length > mostContacts || values.some(value => value.length > longestContact)) return bad
  if ((headerOf(message, 'Call-ID') ?? '').length > longestCallId) return bad
  const wanted: WantedBinding[] = []
  for (const value of values) {
    const contact = parseContact(value)
    if (!contact.ok || contact.value === '*' || contact.value.uri.kind !== 'sip') return bad
    const { uri, parameters } = contact.value
    const regId = parameterOf(parameters, 'reg-id')
    const instance = parameters.find(({ name }) => name.toLowerCase() === '+sip.instance')?.value
    wanted.push({
      uri: { ...uri, headers: [] },
      instance,
      // RFC 5626 §4.2: 1 to 2^31 − 1.
      regId: regId !== undefined && /^[1-9]\d{0,8}$/.test(regId) ? Number(regId) : undefined,
      seconds: contactExpiresOf(contact.value) ?? general,
    })
  }
  return { kind: 'update', user, wanted }
}
