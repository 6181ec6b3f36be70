import { type SrtpProfile, srtpFacts } from '../srtp/profile.ts'
import { concat, uint, vector, WireReader } from './wire.ts'

export const dtls12 = 0xfefd
export const randomLength = 32
const noCompression = 0
/** RFC 5246 §7.4.1.2. We resume no session. */
const longestSession = 32
/** The only curve of ours; everybody has it (RFC 8827 §6.5). */
export const secp256r1 = 23

const cipherSuites = { ecdheEcdsaAes128Gcm: 0xc02b, ecdheRsaAes128Gcm: 0xc02f } as const

const extensionTypes = {
  supportedGroups: 10,
  pointFormats: 11,
  signatureAlgorithms: 13,
  useSrtp: 14,
  extendedMasterSecret: 23,
  renegotiationInfo: 0xff01,
} as const

/** RFC 5246 §7.4.1.4.1: hash and signature. */
export const signatureSchemes = { rsaSha256: 0x0401, ecdsaSha256: 0x0403, ecdsaSha384: 0x0503 } as const
export const acceptedSchemes: readonly number[] = [
  signatureSchemes.ecdsaSha256,
  signatureSchemes.rsaSha256,
  signatureSchemes.ecdsaSha384,
]

export interface ClientHello {
  readonly random: Uint8Array
  /** The first of ours that it has. */
  readonly profile: SrtpProfile
}

export interface ServerHello {
  readonly random: Uint8Array
  readonly suite: number
  readonly profile: SrtpProfile
}

interface Extensions {
  groups?: readonly number[]
  schemes?: readonly number[]
  srtp?: readonly number[]
  /** The master key identifier of use_srtp has bytes (RFC 5764 §4.1.3). */
  hasKeyIdentifier: boolean
  extendedMasterSecret: boolean
}

/**
 * DTLS 1.2 or newer: versions count downwards (RFC 6347 §4.1). Who knows only DTLS 1.0 gets nothing (RFC 8996 §5).
 */
const isNewEnough = (version: number): boolean => version >> 8 === 0xfe && version <= dtls12

/**
 * Undefined for a hello with which there is no handshake: nothing in common, or no hello. `profiles`: ours, best first.
 * A hello without the extended master secret is refused (RFC 7627 §5.3): the keys for media are exported from it (§5.4).
 */
export const readClientHello = (body: Uint8Array, profiles: readonly SrtpProfile[]): ClientHello | undefined => {
  const reader = new WireReader(body)
  const version = reader.number(2)
  const random = reader.take(randomLength)
  const session = reader.vector(1)
  reader.vector(1)
  const suites = reader.numbers(2)
  const compressions = reader.vector(1)
  const { groups, schemes, srtp = [], extendedMasterSecret } = readExtensions(reader)
  const profile = profiles.find(known => srtp.includes(srtpFacts[known].dtlsId))
  if (reader.isBroken || session.length > longestSession || !isNewEnough(version) || !extendedMasterSecret) {
    return undefined
  }
  if (profile === undefined || !compressions.includes(noCompression)) return undefined
  if (!suites.includes(cipherSuites.ecdheEcdsaAes128Gcm)) return undefined
  if (groups !== undefined && !groups.includes(secp256r1)) return undefined
  if (schemes !== undefined && !schemes.includes(signatureSchemes.ecdsaSha256)) return undefined
  return { random: random.slice(), profile }
}

/** The cookie of a hello, of which this is at least the beginning; empty when there is none. */
export const cookieOf = (body: Uint8Array): Uint8Array => {
  const reader = new WireReader(body)
  reader.take(2 + randomLength)
  reader.vector(1)
  const cookie = reader.vector(1)
  return reader.isBroken ? cookie.subarray(0, 0) : cookie
}

export const readServerHello = (body: Uint8Array, profiles: readonly SrtpProfile[]): ServerHello | undefined => {
  const reader = new WireReader(body)
  const version = reader.number(2)
  const random = reader.take(randomLength)
  const session = reader.vector(1)
  const suite = reader.number(2)
  const compression = reader.number(1)
  const { srtp = [], hasKeyIdentifier, extendedMasterSecret } = readExtensions(reader)
  // RFC 5764 §4.1.1: exactly one, of those that were offered, and no other identifier than ours, which is empty (§4.1.3).
  const profile = srtp.length === 1 ? profiles.find(known => srtpFacts[known].dtlsId === srtp[0]) : undefined
  if (reader.isBroken || session.length > longestSession || version !== dtls12 || !extendedMasterSecret)
    return undefined
  if (profile === undefined || hasKeyIdentifier || compression !== noCompression) return undefined
  if (!Object.values<number>(cipherSuites).includes(suite)) return undefined
  return { random: random.slice(), suite, profile }
}

export const writeClientHello = (
  random: Uint8Array,
  cookie: Uint8Array,
  profiles: readonly SrtpProfile[],
): Uint8Array =>
  concat(
    uint(dtls12, 2),
    random,
    vector(1),
    vector(1, cookie),
    vector(2, ...Object.values(cipherSuites).map(suite => uint(suite, 2))),
    vector(1, uint(noCompression, 1)),
    vector(
      2,
      extension(extensionTypes.supportedGroups, vector(2, uint(secp256r1, 2))),
      extension(extensionTypes.pointFormats, vector(1, uint(0, 1))),
      extension(extensionTypes.signatureAlgorithms, vector(2, ...acceptedSchemes.map(scheme => uint(scheme, 2)))),
      useSrtp(profiles),
      extension(extensionTypes.extendedMasterSecret),
      extension(extensionTypes.renegotiationInfo, vector(1)),
    ),
  )

export const writeServerHello = (random: Uint8Array, { profile }: ClientHello): Uint8Array =>
  concat(
    uint(dtls12, 2),
    random,
    vector(1),
    uint(cipherSuites.ecdheEcdsaAes128Gcm, 2),
    uint(noCompression, 1),
    vector(
      2,
      useSrtp([profile]),
      extension(extensionTypes.extendedMasterSecret),
      extension(extensionTypes.renegotiationInfo, vector(1)),
    ),
  )

const extension = (type: number, ...content: readonly Uint8Array[]): Uint8Array =>
  concat(uint(type, 2), vector(2, ...content))

/** RFC 5764 §4.1.1, without a master key identifier. */
const useSrtp = (profiles: readonly SrtpProfile[]): Uint8Array =>
  extension(
    extensionTypes.useSrtp,
    vector(2, ...profiles.map(profile => uint(srtpFacts[profile].dtlsId, 2))),
    vector(1),
  )

/** The end of a hello; bytes after it, and an extension that comes twice (RFC 5246 §7.4.1.4), break the reader. */
const readExtensions = (reader: WireReader): Extensions => {
  const found: Extensions = { hasKeyIdentifier: false, extendedMasterSecret: false }
  if (reader.isAtEnd) return found
  const list = new WireReader(reader.vector(2))
  if (!reader.isAtEnd) reader.isBroken = true
  const seen = new Set<number>()
  while (!list.isAtEnd) {
    const type = list.number(2)
    const content = new WireReader(list.vector(2))
    if (seen.has(type)) reader.isBroken = true
    seen.add(type)
    switch (type) {
      case extensionTypes.supportedGroups:
        found.groups = content.numbers(2)
        break
      case extensionTypes.signatureAlgorithms:
        found.schemes = content.numbers(2)
        break
      case extensionTypes.useSrtp:
        found.srtp = content.numbers(2)
        found.hasKeyIdentifier = content.vector(1).length > 0
        break
      case extensionTypes.extendedMasterSecret:
        found.extendedMasterSecret = true
        break
      case extensionTypes.renegotiationInfo:
        // RFC 5746 §3.4, §3.6: the first handshake renegotiates nothing.
        if (content.vector(1).length > 0) reader.isBroken = true
        break
      default:
      // An extension that is not asked for is passed over (RFC 5246 §7.4.1.4).
    }
    if (content.isBroken) reader.isBroken = true
  }
  if (list.isBroken) reader.isBroken = true
  return found
}
