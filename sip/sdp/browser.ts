import { attributeOf, hasRtcpMux } from './attributes.ts'
import { isCryptoStream } from './crypto.ts'
import type { Attribute, MediaDescription, SessionDescription } from './session.ts'

/** Our side of media for a browser: a host candidate at the stream's address and port, and more of them. */
export interface BrowserLocal {
  readonly ufrag: string
  readonly password: string
  /** SHA-256 of our certificate, upper case with colons. */
  readonly fingerprint: string
  /** The part that we had in the handshake; it stays (RFC 8842 §5.5). Undefined before the first. */
  readonly role?: BrowserRole | undefined
  /** Other addresses of the same port, the best first. Default none. */
  readonly moreAddresses?: readonly string[]
  /** SHA-1 is believed where nothing stronger is offered. Default false. */
  readonly weakFingerprints?: boolean
  /** SSRC of our stream; some clients need it (RFC 5576 §4.1). */
  readonly ssrc?: number | undefined
}

/** In the DTLS handshake: `client` says hello first (`a=setup:active`). */
type BrowserRole = 'client' | 'server'

interface BrowserFingerprint {
  /** `sha-1` to `sha-512`. */
  readonly algorithm: string
  readonly value: string
}

/** The remote's side, and what follows for ours. */
export interface BrowserAgreed {
  readonly ufrag: string
  readonly fingerprints: readonly BrowserFingerprint[]
  readonly role: BrowserRole
}

/** What browsers write, and what older clients wrote for the same. */
const protocols = new Set(['UDP/TLS/RTP/SAVPF', 'UDP/TLS/RTP/SAVP', 'RTP/SAVPF'])
export const browserProtocol = 'UDP/TLS/RTP/SAVPF'
/**
 * RFC 8445 §5.1.2.1: host, the best address, RTP; each further address is less by one local preference. §5.2 would have
 * one IPv4 candidate of a lite agent; but browsers check every address that they are given, and only they know which networks they
 * share with us.
 */
const candidatePriority = 2_130_706_431
const localPreference = 256
const midExtension = 'urn:ietf:params:rtp-hdrext:sdes:mid'
const iceName = /^[A-Za-z0-9+/]{4,256}$/
/** RFC 8122 §5: MD5 and MD2 must not be used. SHA-1 has collisions. */
const weakAlgorithm = 'sha-1'
const fingerprint = /^(sha-(?:1|224|256|384|512))\s+((?:[0-9a-f]{2}:)+[0-9a-f]{2})\s*$/i
/** Fingerprints that are read. */
const mostFingerprints = 8

export const isBrowserStream = (media: MediaDescription): boolean =>
  media.media.toLowerCase() === 'audio' &&
  protocols.has(media.protocol.toUpperCase()) &&
  media.port !== 0 &&
  !isCryptoStream(media)

/** Undefined when it lacks ICE, a fingerprint that proves something, or rtcp-mux. `answers`: it answers our offer. */
export function browserAgreed(
  session: SessionDescription,
  media: MediaDescription,
  local: BrowserLocal,
  answers: boolean,
): BrowserAgreed | undefined {
  const of = (name: string) => attributeOf(media.attributes, name) ?? attributeOf(session.attributes, name)
  const ufrag = of('ice-ufrag')?.trim() ?? ''
  const own = fingerprintsOf(media.attributes)
  const named = own.length > 0 ? own : fingerprintsOf(session.attributes)
  const fingerprints = named.filter(({ algorithm }) => local.weakFingerprints === true || algorithm !== weakAlgorithm)
  const role = roleFor(of('setup')?.trim().toLowerCase(), local, answers)
  if (!iceName.test(ufrag) || fingerprints.length === 0 || !hasRtcpMux(media) || role === undefined) return undefined
  return { ufrag, fingerprints, role }
}

/** RFC 8842 §5: the side that is offered the choice keeps its role, otherwise it waits. */
function roleFor(setup: string | undefined, { role }: BrowserLocal, answers: boolean): BrowserRole | undefined {
  switch (setup) {
    case 'active':
    case undefined:
      return 'server'
    case 'passive':
      return 'client'
    case 'actpass':
      return answers ? undefined : (role ?? 'server')
    default:
      return undefined
  }
}

const fingerprintsOf = (attributes: readonly Attribute[]): readonly BrowserFingerprint[] =>
  attributes
    .flatMap(({ name, value = '' }) => {
      const match = name === 'fingerprint' ? fingerprint.exec(value.trim()) : null
      return match === null
        ? []
        : [{ algorithm: (match[1] ?? '').toLowerCase(), value: (match[2] ?? '').toUpperCase() }]
    })
    .slice(0, mostFingerprints)

export type BrowserSetup = 'actpass' | 'active' | 'passive'

/** What stands below our audio line. `offered`: the line that it answers. */
export function browserAttributes(
  local: BrowserLocal,
  address: string,
  port: number,
  setup: BrowserSetup,
  offered: MediaDescription | undefined,
): Attribute[] {
  const mid = offered === undefined ? '0' : attributeOf(offered.attributes, 'mid')
  const extension = offered === undefined ? undefined : midExtensionOf(offered)
  const pairs: readonly (readonly [name: string, value: string | undefined])[] = [
    ...(mid === undefined ? [] : [['mid', mid] as const]),
    ['rtcp-mux', undefined],
    ['msid', 'sauti audio'],
    ...(local.ssrc === undefined ? [] : [['ssrc', `${local.ssrc} cname:sauti`] as const]),
    ['ice-ufrag', local.ufrag],
    ['ice-pwd', local.password],
    ['ice-options', 'ice2'],
    ['fingerprint', `sha-256 ${local.fingerprint}`],
    ['setup', setup],
    ...(extension === undefined ? [] : [['extmap', extension] as const]),
    ...[address, ...(local.moreAddresses ?? [])].map(
      (own, at) =>
        ['candidate', `${at + 1} 1 udp ${candidatePriority - at * localPreference} ${own} ${port} typ host`] as const,
    ),
    ['end-of-candidates', undefined],
  ]
  return pairs.map(([name, value]) => ({ name, value }))
}

/** What stands above it: we are the lite side (RFC 8839 §5.3), and the bundle is the one stream (RFC 9143 §7.3). */
export const browserSessionAttributes = (
  audio: MediaDescription,
  offer: SessionDescription | undefined,
): Attribute[] => {
  const mid = attributeOf(audio.attributes, 'mid')
  const isBundled = offer === undefined || offer.attributes.some(isBundle)
  const lite: Attribute = { name: 'ice-lite', value: undefined }
  return mid !== undefined && isBundled ? [lite, { name: 'group', value: `BUNDLE ${mid}` }] : [lite]
}

const isBundle = ({ name, value = '' }: Attribute): boolean => name === 'group' && /^BUNDLE(?:\s|$)/i.test(value)

const midExtensionOf = ({ attributes }: MediaDescription): string | undefined =>
  attributes.find(({ name, value = '' }) => name === 'extmap' && value.trim().split(/\s+/)[1] === midExtension)?.value
