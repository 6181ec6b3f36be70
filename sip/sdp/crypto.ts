import type { Attribute, MediaDescription } from './session.ts'

/** Suites that we support of RFC 4568 §6.2 and RFC 7714 §14.2, the best first: the common ones before the rare ones. */
const cryptoSuites = ['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32', 'AEAD_AES_128_GCM'] as const
/** A crypto suite of SDES by its name (RFC 4568 §6.2, RFC 7714 §14.2). */
export type CryptoSuite = (typeof cryptoSuites)[number]

/** Bytes of master key and master salt, one after the other. */
export const masterLengths: Readonly<Record<CryptoSuite, number>> = {
  AES_CM_128_HMAC_SHA1_80: 30,
  AES_CM_128_HMAC_SHA1_32: 30,
  AEAD_AES_128_GCM: 28,
}

/** One `a=crypto` line: what its sender protects its packets with. */
export interface CryptoLine {
  readonly tag: string
  readonly suite: CryptoSuite
  /** Master key, then master salt. */
  readonly master: Uint8Array
}

/** Our side of a stream that is protected by keys in SDP. */
export interface CryptoLocal {
  /**
   * Random, and ours for the life of the session: as long as the remote keeps its key too, streams go on as they were.
   * One for each suite, since two suites under one key may give one keystream twice.
   */
  readonly masters: Readonly<Record<CryptoSuite, Uint8Array>>
}

/** Keys of each direction. */
export interface CryptoAgreed {
  readonly local: CryptoLine
  readonly remote: CryptoLine
}

export const cryptoProtocol = 'RTP/SAVP'
const feedbackProtocol = 'RTP/SAVPF'
/** Lines that are read. */
const mostLines = 16
/** RFC 4568 §9.1: one key; its lifetime and its index may follow, and parameters of the session. */
const line =
  /^(\d{1,9})[ \t]+([A-Za-z0-9_]+)[ \t]+inline:([A-Za-z0-9+/]{1,64})={0,2}((?:\|[^|;\s]+){0,2})((?:[ \t]+\S+)*)[ \t]*$/
/** A key with an index (MKI) is one of several, which one call never needs: such a line is not taken. */
const lifetime = /^(?:\|(?:2\^)?\d{1,15})?$/
/** RFC 4568 §6.3: a hint that changes nothing for us, and what may be passed over; all others are to be understood. */
const harmless = /^(?:WSH=\d{1,9}|-\S+)$/
/** `UNENCRYPTED_SRTP` and the like are upper case, names of suites too (§9.2). */
const isSuite = (suite: string): suite is CryptoSuite => cryptoSuites.some(known => known === suite)

const has = (media: MediaDescription, name: string): boolean =>
  media.attributes.some(attribute => attribute.name === name)

/** Audio, switched on, whose packets keys in SDP protect. With feedback it may be a browser's, which has a fingerprint. */
export function isCryptoStream(media: MediaDescription): boolean {
  if (media.media.toLowerCase() !== 'audio' || media.port === 0) return false
  const protocol = media.protocol.toUpperCase()
  return (
    protocol === cryptoProtocol || (protocol === feedbackProtocol && has(media, 'crypto') && !has(media, 'fingerprint'))
  )
}

/**
 * The lines that we could take, in their order. One with a second key, a key index, or a session parameter that means
 * less protection or another key derivation is passed over, as RFC 4568 §6.3 and §7.1.2 want of what is not understood.
 */
export function cryptosOf(media: MediaDescription): readonly CryptoLine[] {
  return media.attributes
    .filter(({ name }) => name === 'crypto')
    .slice(0, mostLines)
    .flatMap(({ value }) => readLine(value ?? '') ?? [])
}

function readLine(value: string): CryptoLine | undefined {
  const [, tag = '', suite = '', key = '', life = '', parameters = ''] = line.exec(value) ?? []
  if (!isSuite(suite) || !lifetime.test(life)) return undefined
  if (key.length !== Math.ceil((masterLengths[suite] * 8) / 6)) return undefined
  if (!parameters.split(/[ \t]+/).every(parameter => parameter === '' || harmless.test(parameter))) return undefined
  return { tag, suite, master: Uint8Array.from(atob(key), character => character.charCodeAt(0)) }
}

export const cryptoAttribute = ({ tag, suite, master }: CryptoLine): Attribute => ({
  name: 'crypto',
  value: `${tag} ${suite} inline:${btoa(String.fromCharCode(...master))}`,
})

/** All that we speak, tags from 1 on. */
export const offeredCryptos = ({ masters }: CryptoLocal): readonly CryptoLine[] =>
  cryptoSuites.map((suite, at) => ({ tag: String(at + 1), suite, master: masters[suite] }))

/** The best of an offer's lines, the first, and ours of the same tag and suite (RFC 4568 §5.1.2). */
export function answeredCrypto({ masters }: CryptoLocal, media: MediaDescription): CryptoAgreed | undefined {
  const [remote] = cryptosOf(media)
  return remote && { remote, local: { tag: remote.tag, suite: remote.suite, master: masters[remote.suite] } }
}

/** The one line of an answer, which has to be one of those that were offered (RFC 4568 §5.1.3). */
export function acceptedCrypto(local: CryptoLocal, media: MediaDescription): CryptoAgreed | undefined {
  const [remote] = cryptosOf(media)
  const ours = offeredCryptos(local).find(({ tag, suite }) => tag === remote?.tag && suite === remote.suite)
  return remote && ours && { local: ours, remote }
}
