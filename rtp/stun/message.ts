import { HmacSha1 } from '../srtp/hmac-sha1.ts'
import {
  attributeHeaderLength,
  fingerprintXor,
  integrityLength,
  magicCookie,
  stunAttributes,
  stunHeaderLength,
} from './attributes.ts'
import { crc32 } from './crc32.ts'

// |0 0|     STUN message type     |         message length        |
// |                    magic cookie 0x2112A442                    |
// |                 transaction ID, 96 bits                       |   RFC 8489 §5

export type StunClass = 'request' | 'indication' | 'success' | 'error'
export const bindingMethod = 1
/** More are no message of ICE. */
export const mostAttributes = 128

const classes: readonly StunClass[] = ['request', 'indication', 'success', 'error']

interface StunAttribute {
  readonly type: number
  /** Where its value begins in the message. */
  readonly at: number
  readonly length: number
}

/** A message where it lies; valid as long as its buffer is. */
export interface StunMessage {
  readonly bytes: Uint8Array
  readonly length: number
  readonly class: StunClass
  readonly method: number
  /** In their order; what follows MESSAGE-INTEGRITY, but for FINGERPRINT, is left out (RFC 8489 §14.5). */
  readonly attributes: readonly StunAttribute[]
}

type StunFault = 'too-short' | 'bad-header' | 'bad-length' | 'bad-attribute' | 'too-many-attributes'

type ParsedStun =
  | { readonly ok: true; readonly value: StunMessage }
  | { readonly ok: false; readonly reason: StunFault }

const fault = (reason: StunFault): ParsedStun => ({ ok: false, reason })

export const parseStun = (bytes: Uint8Array, length = bytes.length): ParsedStun => {
  if (length < stunHeaderLength || length > bytes.length) return fault('too-short')
  const type = word16(bytes, 0)
  if (type >> 14 !== 0 || word32(bytes, 4) !== magicCookie) return fault('bad-header')
  const declared = word16(bytes, 2)
  if (declared % 4 !== 0 || stunHeaderLength + declared !== length) return fault('bad-length')
  const attributes: StunAttribute[] = []
  let isSealed = false
  for (let at = stunHeaderLength, count = 0; at < length; count++) {
    if (count === mostAttributes) return fault('too-many-attributes')
    if (at + attributeHeaderLength > length) return fault('bad-attribute')
    const attribute = { type: word16(bytes, at), at: at + attributeHeaderLength, length: word16(bytes, at + 2) }
    at = attribute.at + attribute.length + (-attribute.length & 3)
    if (at > length) return fault('bad-attribute')
    // FINGERPRINT is the last.
    if (attribute.type === stunAttributes.fingerprint && (at !== length || attribute.length !== 4)) {
      return fault('bad-attribute')
    }
    if (isSealed && attribute.type !== stunAttributes.fingerprint) continue
    attributes.push(attribute)
    if (attribute.type === stunAttributes.messageIntegrity) isSealed = true
  }
  // The class is in bits 8 and 4 of the type (RFC 8489 §5).
  const value: StunMessage = {
    bytes,
    length,
    class: classes[((type >> 7) & 2) | ((type >> 4) & 1)]!,
    method: (type & 0x000f) | ((type >> 1) & 0x0070) | ((type >> 2) & 0x0f80),
    attributes,
  }
  return { ok: true, value }
}

export const attributeOf = ({ attributes }: StunMessage, type: number): StunAttribute | undefined => {
  for (const attribute of attributes) if (attribute.type === type) return attribute
  return undefined
}

/** The user of a request as it stands; undefined when there is none. Characters beyond ASCII are none of ICE's. */
export const usernameOf = (message: StunMessage): string | undefined => {
  const attribute = attributeOf(message, stunAttributes.username)
  if (attribute === undefined) return undefined
  let name = ''
  for (let i = 0; i < attribute.length; i++) name += String.fromCharCode(message.bytes[attribute.at + i]!)
  return name
}

/** True when the message is whole by its FINGERPRINT; undefined without one. */
export const fingerprintFits = (message: StunMessage): boolean | undefined => {
  const attribute = attributeOf(message, stunAttributes.fingerprint)
  if (attribute === undefined) return undefined
  const expected = (crc32(message.bytes, attribute.at - attributeHeaderLength) ^ fingerprintXor) >>> 0
  return word32(message.bytes, attribute.at) === expected
}

/** True when MESSAGE-INTEGRITY was made with that key; undefined without one. `key`: the password, for ICE. */
export const integrityFits = (message: StunMessage, key: Uint8Array): boolean | undefined => {
  const attribute = attributeOf(message, stunAttributes.messageIntegrity)
  if (attribute === undefined) return undefined
  if (attribute.length !== integrityLength) return false
  // RFC 8489 §14.5: as if the message ended with this attribute.
  const end = attribute.at - attributeHeaderLength
  const sealed = message.bytes.slice(0, end)
  writeWord16(sealed, 2, attribute.at + integrityLength - stunHeaderLength)
  const hmac = new HmacSha1(key)
  hmac.take(sealed, end)
  return hmac.matches(message.bytes, attribute.at, integrityLength)
}

const word16 = (bytes: Uint8Array, at: number): number => (bytes[at]! << 8) | bytes[at + 1]!
export const word32 = (bytes: Uint8Array, at: number): number =>
  ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
export const writeWord16 = (bytes: Uint8Array, at: number, value: number): void => {
  bytes[at] = value >>> 8
  bytes[at + 1] = value
}
export const writeWord32 = (bytes: Uint8Array, at: number, value: number): void => {
  writeWord16(bytes, at, value >>> 16)
  writeWord16(bytes, at + 2, value & 0xffff)
}
