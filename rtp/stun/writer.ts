import { ipv6Addresses, isIpv6 } from '../address/address.ts'
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
import { type StunClass, type StunMessage, word32, writeWord16, writeWord32 } from './message.ts'

const classBits: Readonly<Record<StunClass, number>> = { request: 0, indication: 0x10, success: 0x100, error: 0x110 }
const ipv4 = 1
const ipv6 = 2

/** Builds one message in `into`, which has room for it; `length` is where it stands. */
export class StunWriter {
  length = stunHeaderLength
  readonly #into: Uint8Array

  /** `transactionId`: twelve bytes at `from` of `id`. */
  constructor(into: Uint8Array, kind: StunClass, method: number, id: Uint8Array, from = 0) {
    this.#into = into
    const bits = (method & 0x000f) | ((method & 0x0070) << 1) | ((method & 0x0f80) << 2)
    writeWord16(into, 0, bits | classBits[kind])
    writeWord16(into, 2, 0)
    writeWord32(into, 4, magicCookie)
    for (let i = 0; i < 12; i++) into[8 + i] = id[from + i]!
  }

  /** The answer to a request. */
  static answer(into: Uint8Array, kind: 'success' | 'error', request: StunMessage): StunWriter {
    return new StunWriter(into, kind, request.method, request.bytes, 8)
  }

  bytes(type: number, value: Uint8Array): this {
    const at = this.#begin(type, value.length)
    this.#into.set(value, at)
    return this
  }

  text(type: number, value: string): this {
    const at = this.#begin(type, value.length)
    for (let i = 0; i < value.length; i++) this.#into[at + i] = value.charCodeAt(i)
    return this
  }

  word(type: number, value: number): this {
    writeWord32(this.#into, this.#begin(type, 4), value)
    return this
  }

  /** XOR-MAPPED-ADDRESS (RFC 8489 §14.2). */
  mapped(address: number, port: number): this {
    const words = isIpv6(address) ? ipv6Addresses.wordsOf(address) : undefined
    const at = this.#begin(stunAttributes.xorMappedAddress, words === undefined ? 8 : 20)
    this.#into[at] = 0
    this.#into[at + 1] = words === undefined ? ipv4 : ipv6
    writeWord16(this.#into, at + 2, port ^ (magicCookie >>> 16))
    if (words === undefined) writeWord32(this.#into, at + 4, (address ^ magicCookie) >>> 0)
    // The cookie and the transaction's identity stand in the header.
    else
      for (let word = 0; word < 4; word++)
        writeWord32(this.#into, at + 4 + 4 * word, (words[word]! ^ word32(this.#into, 4 + 4 * word)) >>> 0)
    return this
  }

  error(code: number, reason: string): this {
    const at = this.#begin(stunAttributes.errorCode, 4 + reason.length)
    writeWord16(this.#into, at, 0)
    this.#into[at + 2] = Math.floor(code / 100)
    this.#into[at + 3] = code % 100
    for (let i = 0; i < reason.length; i++) this.#into[at + 4 + i] = reason.charCodeAt(i)
    return this
  }

  unknown(types: readonly number[]): this {
    const at = this.#begin(stunAttributes.unknownAttributes, 2 * types.length)
    types.forEach((type, i) => {
      writeWord16(this.#into, at + 2 * i, type)
    })
    return this
  }

  /** MESSAGE-INTEGRITY and FINGERPRINT, the last two. Returns the message's length. */
  seal(key: Uint8Array): number {
    const end = this.length
    const at = this.#begin(stunAttributes.messageIntegrity, integrityLength)
    this.#into.set(new HmacSha1(key).take(this.#into, end), at)
    return this.fingerprint()
  }

  fingerprint(): number {
    const end = this.length
    const at = this.#begin(stunAttributes.fingerprint, 4)
    writeWord32(this.#into, at, (crc32(this.#into, end) ^ fingerprintXor) >>> 0)
    return this.length
  }

  /** The header's length counts the attribute from here on, as the two seals want it. */
  #begin(type: number, length: number): number {
    const at = this.length + attributeHeaderLength
    writeWord16(this.#into, this.length, type)
    writeWord16(this.#into, this.length + 2, length)
    this.length = at + length + (-length & 3)
    this.#into.fill(0, at + length, this.length)
    writeWord16(this.#into, 2, this.length - stunHeaderLength)
    return at
  }
}

/** The IPv4 address and port of XOR-MAPPED-ADDRESS; undefined for another family. */
export const mappedOf = (
  { bytes }: StunMessage,
  { at, length }: { readonly at: number; readonly length: number },
): { readonly address: number; readonly port: number } | undefined =>
  length === 8 && bytes[at + 1] === ipv4
    ? {
        address: (word32(bytes, at + 4) ^ magicCookie) | 0,
        port: ((bytes[at + 2]! << 8) | bytes[at + 3]!) ^ (magicCookie >>> 16),
      }
    : undefined
