import { acceptsType } from '../../header/accept.ts'
import { parseContact } from '../../header/contact.ts'
import { isUsualAddress } from '../../header/name-addr.ts'
import { parseTokens } from '../../header/token-list.ts'
import { countOf, headerOf, headersOf } from '../../message/headers.ts'
import type { HeaderField, SipRequest } from '../../message/message.ts'
import { knownMethods } from '../../message/method.ts'
import { bodyType, sdpOf } from '../../message/typed-fields.ts'
import type { ReadRequest } from '../../transaction/read-incoming.ts'
import { acceptedBody, acceptField, allowedMethods, allowField, supportedExtensions } from '../services/settings.ts'

/** Why a request is refused before its meaning is examined. */
export interface Refusal {
  readonly status: number
  readonly fields: readonly HeaderField[]
}

const refuse = (status: number, ...fields: HeaderField[]): Refusal => ({ status, fields })
const takesOffers: ReadonlySet<string> = new Set(['INVITE', 'UPDATE', 'PRACK'])
const dtmfTypes: ReadonlySet<string> = new Set(['application/dtmf-relay', 'application/dtmf'])

/** RFC 3261 §8.2.1 to §8.2.3, in that order: method, header fields, Request-URI, Require, body. */
export function screen({ request, refusal }: ReadRequest): Refusal | undefined {
  const { message, uri } = request
  const { method } = message
  if (!knownMethods.has(method)) return refuse(501, allowField)
  if (method !== 'REGISTER' && !allowedMethods.includes(method)) return refuse(405, allowField)
  if (refusal !== undefined) return refuse(refusal.status)
  if (uri === undefined || uri.kind === 'other') return refuse(416)
  if (method === 'ACK' || method === 'CANCEL') return undefined
  return contactRefusal(message) ?? contentRefusal(message)
}

function contactRefusal(message: SipRequest): Refusal | undefined {
  const isReadable = (value: string) => isUsualAddress(value) || parseContact(value).ok
  return headersOf(message, 'Contact').every(isReadable) ? undefined : refuse(400)
}

const unsupportedOf = (required: readonly string[]): readonly string[] =>
  parseTokens(required).filter(tag => !supportedExtensions.has(tag.toLowerCase()))

function contentRefusal(message: SipRequest): Refusal | undefined {
  const required = headersOf(message, 'Require')
  const unsupported = required.length === 0 ? [] : unsupportedOf(required)
  if (unsupported.length > 0) return refuse(420, { name: 'Unsupported', value: unsupported.join(', ') })
  if (message.body.length > 0) {
    const type = bodyType(message)
    const encoding = headerOf(message, 'Content-Encoding')
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
      return refuse(415, { name: 'Accept-Encoding', value: 'identity' })
    if (takesOffers.has(message.method) && type !== acceptedBody && sdpOf(message) === undefined)
      return refuse(415, acceptField)
    if (message.method === 'INFO' && !dtmfTypes.has(type))
      return refuse(415, { name: 'Accept', value: [...dtmfTypes].join(', ') })
  }
  if (takesOffers.has(message.method) && countOf(message, 'Accept') > 0)
    if (!acceptsType(headersOf(message, 'Accept'), acceptedBody)) return refuse(406)
  return undefined
}
