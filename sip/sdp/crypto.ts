import type { Attribute, MediaDescription } from './session.ts'

/** Suites of RFC 4568 §6.2 that we speak; both take a master key and salt of 30 bytes. */
export type CryptoSuite = 'AES_CM_128_HMAC_SHA1_80' | 'AES_CM_128_HMAC_SHA1_32'

/** One `a=crypto` line: what its sender protects its packets with. */
export interface CryptoLine {
  readonly tag: string
  readonly suite: CryptoSuite
  /** Master key, then master salt. */
  readonly master: Uint8Array
}

/** Our side of a stream that is protected by keys in SDP. */
export interface CryptoLocal {
  /** Ours for the life of the session: 30 random bytes. */
  readonly master: Uint8Array
}

/** Whose packets are protected by what. */
export interface CryptoAgreed {
  readonly local: CryptoLine
  readonly remote: CryptoLine
}

export const cryptoProtocol = 'RTP/SAVP'
/** Every implementation has this one (RFC 4568 §6.2.1), and it is the safer. */
const offeredSuite: CryptoSuite = 'AES_CM_128_HMAC_SHA1_80'
const masterBytes = 30
/** Lines that are read. */
const mostLines = 16
const suites: ReadonlySet<string> = new Set(['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32'])
/** RFC 4568 §9.1. A key with an index (MKI) is one of several, which nobody needs for one call. */
const line = /^(\d{1,9})\s+([A-Z0-9_]+)\s+inline:([A-Za-z0-9+/]{40}=*)((?:\|[^|;\s]+){0,2})\s*$/
const lifetime = /^(\|(2\^)?\d{1,15})?$/

export const isCryptoStream = (media: MediaDescription): boolean =>
  media.media.toLowerCase() === 'audio' && media.protocol.toUpperCase() === cryptoProtocol && media.port !== 0

/**
 * The lines that we could take, in their order. One with a second key, a key index, or a session parameter (less
 * protection, another key derivation) is passed over, as RFC 4568 §6.3 and §7.1.2 want of what is not understood.
 */
export function cryptosOf(media: MediaDescription): readonly CryptoLine[] {
  return media.attributes
    .filter(({ name }) => name === 'crypto')
    .slice(0, mostLines)
    .flatMap(({ value }) => {
      const [, tag = '', suite = '', key = '', behind = ''] = line.exec(value ?? '') ?? []
      if (!isSuite(suite) || !lifetime.test(behind)) return []
      const master = Uint8Array.from(atob(key.replace(/=+$/, '')), character => character.charCodeAt(0))
      return master.length === masterBytes ? [{ tag, suite, master }] : []
    })
}

const isSuite = (suite: string): suite is CryptoSuite => suites.has(suite)

export const cryptoAttribute = ({ tag, suite, master }: CryptoLine): Attribute => ({
  name: 'crypto',
  value: `${tag} ${suite} inline:${btoa(String.fromCharCode(...master))}`,
})

export const offeredCrypto = ({ master }: CryptoLocal): CryptoLine => ({ tag: '1', suite: offeredSuite, master })

/** The best of an offer's lines, the first, and ours of the same tag and suite (RFC 4568 §5.1.2). */
export function answeredCrypto({ master }: CryptoLocal, media: MediaDescription): CryptoAgreed | undefined {
  const [remote] = cryptosOf(media)
  return remote && { remote, local: { tag: remote.tag, suite: remote.suite, master } }
}

/** The one line of an answer, which has to be the one that was offered (RFC 4568 §5.1.3). */
export function acceptedCrypto(local: CryptoLocal, media: MediaDescription): CryptoAgreed | undefined {
  const ours = offeredCrypto(local)
  const [remote] = cryptosOf(media)
  return remote?.tag === ours.tag && remote.suite === ours.suite ? { local: ours, remote } : undefined
}
