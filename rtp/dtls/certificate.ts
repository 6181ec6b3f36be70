import { createHash, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { ascii, concat, uint } from './wire.ts'

/** Ours, as plain data: it is made once and given to every media thread. */
export interface DtlsCertificate {
  readonly der: Uint8Array
  /** PKCS #8, DER. */
  readonly privateKey: Uint8Array
  /** Value of SDP's `a=fingerprint:sha-256`. */
  readonly fingerprint: string
}

/** As SDP names it, RFC 8122 §5; the value in upper case with colons. */
export interface Fingerprint {
  readonly algorithm: string
  readonly value: string
}

/** By strength, the weakest first. MD5 and MD2 must not be used (RFC 8122 §5). */
const digests: Readonly<Record<string, string>> = {
  'sha-1': 'sha1',
  'sha-224': 'sha224',
  'sha-256': 'sha256',
  'sha-384': 'sha384',
  'sha-512': 'sha512',
}

/** Undefined for an algorithm that we do not trust or know. */
export const fingerprintOf = (der: Uint8Array, algorithm: string): string | undefined => {
  const digest = Object.hasOwn(digests, algorithm) ? digests[algorithm] : undefined
  if (digest === undefined) return undefined
  const hex = createHash(digest).update(der).digest('hex').toUpperCase()
  return (hex.match(/../g) ?? []).join(':')
}

const strengths = Object.keys(digests)
const strengthOf = ({ algorithm }: Fingerprint): number => strengths.indexOf(algorithm)

/**
 * The certificate is one of those that SDP named. Only fingerprints of the strongest algorithm among them count: for
 * a weaker one a collision may be known, so it proves nothing (RFC 8122 §5).
 */
export const isNamed = (der: Uint8Array, fingerprints: readonly Fingerprint[]): boolean => {
  const strongest = Math.max(-1, ...fingerprints.map(strengthOf))
  return fingerprints.some(
    named => strengthOf(named) === strongest && fingerprintOf(der, named.algorithm) === named.value,
  )
}

/** Days before now that it is valid from: clocks differ. */
const skewDays = 1
const validDays = 3650

/** A self-signed certificate of a new P-256 key (RFC 8827 §6.5), valid around `nowUnixMs`. It contains no name. */
export const selfSigned = (nowUnixMs: number, serial: Uint8Array): DtlsCertificate => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  })
  const name = sequence(set(sequence(oid(0x55, 0x04, 0x03), der(0x0c, ascii('sauti')))))
  // ecdsa-with-SHA256
  const algorithm = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
  const day = 86_400_000
  const toBeSigned = sequence(
    der(0xa0, der(0x02, uint(2, 1))),
    // A positive integer.
    der(0x02, concat(uint(1, 1), serial)),
    algorithm,
    name,
    sequence(time(nowUnixMs - skewDays * day), time(nowUnixMs + validDays * day)),
    name,
    publicKey,
  )
  const key = createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' })
  const signature = sign('sha256', toBeSigned, key)
  const whole = sequence(toBeSigned, algorithm, der(0x03, concat(uint(0, 1), signature)))
  return { der: whole, privateKey: new Uint8Array(privateKey), fingerprint: fingerprintOf(whole, 'sha-256') ?? '' }
}

/** A value of X.690 after its tag and length. */
const der = (tag: number, content: Uint8Array): Uint8Array => {
  const { length } = content
  const size = length < 0x80 ? uint(length, 1) : length < 0x100 ? concat(uint(0x81, 1), uint(length, 1)) : long(length)
  return concat(uint(tag, 1), size, content)
}
const long = (length: number): Uint8Array => concat(uint(0x82, 1), uint(length, 2))
const sequence = (...parts: readonly Uint8Array[]): Uint8Array => der(0x30, concat(...parts))
const set = (...parts: readonly Uint8Array[]): Uint8Array => der(0x31, concat(...parts))
const oid = (...bytes: readonly number[]): Uint8Array => der(0x06, Uint8Array.from(bytes))
/** RFC 5280 §4.1.2.5: UTCTime before 2050, then GeneralizedTime. */
const time = (unixMs: number): Uint8Array => {
  const text = new Date(unixMs).toISOString().replace(/[-:T]|\.\d+/g, '')
  return text < '2050' ? der(0x17, ascii(text.slice(2))) : der(0x18, ascii(text))
}
