import { createECDH, createPrivateKey, type ECDH, type KeyObject, sign, verify, X509Certificate } from 'node:crypto'
import { type SrtpKeys, type SrtpProfile, srtpFacts } from '../srtp/profile.ts'
import type { DtlsCertificate } from './certificate.ts'
import { acceptedSchemes, signatureSchemes } from './hello.ts'
import { prf, sha256 } from './prf.ts'
import { RecordCipher } from './record-cipher.ts'
import { concat } from './wire.ts'

const masterSecretLength = 48
const verifyLength = 12
const keyLength = 16
const saltLength = 4

export interface Randoms {
  readonly client: Uint8Array
  readonly server: Uint8Array
}

/** A key pair of one handshake on P-256. */
export class KeyShare {
  readonly #ecdh: ECDH = createECDH('prime256v1')
  /** Uncompressed point. */
  readonly point: Uint8Array = this.#ecdh.generateKeys()

  /** The premaster secret; undefined for what is no point of the curve. */
  agree(point: Uint8Array): Uint8Array | undefined {
    try {
      return this.#ecdh.computeSecret(point)
    } catch {
      return undefined
    }
  }
}

/** RFC 7627 §4. `transcript`: up to the ClientKeyExchange. */
export const masterSecretOf = (premaster: Uint8Array, transcript: readonly Uint8Array[]): Uint8Array =>
  prf(premaster, 'extended master secret', sha256(...transcript), masterSecretLength)

export const verifyDataOf = (
  side: 'client' | 'server',
  master: Uint8Array,
  transcript: readonly Uint8Array[],
): Uint8Array => prf(master, `${side} finished`, sha256(...transcript), verifyLength)

/** RFC 5246 §6.3. */
export const recordCiphersOf = (
  master: Uint8Array,
  { client, server }: Randoms,
): Readonly<Record<'client' | 'server', RecordCipher>> => {
  const block = prf(master, 'key expansion', concat(server, client), 2 * (keyLength + saltLength))
  const key = (at: number) => block.subarray(at * keyLength, (at + 1) * keyLength)
  const salt = (at: number) => block.subarray(2 * keyLength + at * saltLength, 2 * keyLength + (at + 1) * saltLength)
  return { client: new RecordCipher(key(0), salt(0)), server: new RecordCipher(key(1), salt(1)) }
}

/** RFC 5764 §4.2: by who writes with them. */
export const srtpKeysOf = (
  master: Uint8Array,
  { client, server }: Randoms,
  profile: SrtpProfile,
): Readonly<Record<'client' | 'server', SrtpKeys>> => {
  const { keyLength: key, saltLength: salt } = srtpFacts[profile]
  const block = prf(master, 'EXTRACTOR-dtls_srtp', concat(client, server), 2 * (key + salt))
  const keys = (at: number): SrtpKeys => ({
    profile,
    key: block.slice(at * key, (at + 1) * key),
    salt: block.slice(2 * key + at * salt, 2 * key + (at + 1) * salt),
  })
  return { client: keys(0), server: keys(1) }
}

/** ecdsa_secp256r1_sha256, by our certificate. */
export const signed = ({ privateKey }: DtlsCertificate, ...parts: readonly Uint8Array[]): Uint8Array =>
  sign('sha256', concat(...parts), createPrivateKey({ key: Buffer.from(privateKey), format: 'der', type: 'pkcs8' }))

/** The curves of TLS that are strong enough (RFC 8422 §5.1.1, RFC 9325 §4.5). */
const signingCurves: readonly (string | undefined)[] = ['prime256v1', 'secp384r1', 'secp521r1']
/** RFC 9325 §4.5; longer ones than the second cost more than a handshake may. */
const [leastRsaBits, mostRsaBits] = [2048, 8192]
/** All that is made today has this one or a smaller; one as long as the modulus makes a signature cost 20 ms to verify. */
const mostRsaExponent = 65_537n

const canSign = ({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean => {
  if (type === 'ec') return signingCurves.includes(details?.namedCurve)
  const bits = type === 'rsa' ? (details?.modulusLength ?? 0) : 0
  const exponent = details?.publicExponent ?? 0n
  return bits >= leastRsaBits && bits <= mostRsaBits && exponent <= mostRsaExponent
}

/**
 * Undefined for what is no certificate with a key that can sign for the remote side. Who signed the certificate and until
 * when it is valid mean nothing here: the fingerprint names it (RFC 8827 §6.5).
 */
export const readCertificate = (der: Uint8Array): X509Certificate | undefined => {
  try {
    const certificate = new X509Certificate(der)
    return canSign(certificate.publicKey) ? certificate : undefined
  } catch {
    return undefined
  }
}

export const isSignedBy = (
  certificate: X509Certificate,
  scheme: number,
  signature: Uint8Array,
  ...parts: readonly Uint8Array[]
): boolean => {
  const { publicKey } = certificate
  const isRsa = scheme === signatureSchemes.rsaSha256
  if (!acceptedSchemes.includes(scheme) || isRsa !== (publicKey.asymmetricKeyType === 'rsa')) return false
  const hash = scheme === signatureSchemes.ecdsaSha384 ? 'sha384' : 'sha256'
  try {
    return verify(hash, concat(...parts), publicKey, signature)
  } catch {
    return false
  }
}
