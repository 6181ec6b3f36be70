import type { Direction } from './attributes.ts'
import {
  type BrowserLocal,
  type BrowserSetup,
  browserAttributes,
  browserProtocol,
  browserSessionAttributes,
} from './browser.ts'
import { type Codec, codecsOf, formatRtpmap, sameCodec } from './codec.ts'
import {
  type CryptoLine,
  type CryptoLocal,
  cryptoAttribute,
  cryptoProtocol,
  isCryptoStream,
  offeredCryptos,
} from './crypto.ts'
import { type ExtendedReports, extendedReportsAttribute } from './extended-reports.ts'
import { formatSdp } from './format.ts'
import { ptimeRange } from './negotiated.ts'
import type { Attribute, MediaDescription, SessionDescription } from './session.ts'

/** Our side of the one audio stream. */
export interface LocalMedia {
  /** Where we receive: an IPv4 or IPv6 address, and an RTP port. */
  readonly address: string
  readonly port: number
  /** What may be used, in our order of preference. */
  readonly codecs: readonly Codec[]
  /**
   * Side whose order decides in an answer. Default `ours`; `offer` is what RFC 3264 §6.1 recommends where we have no
   * wish.
   */
  readonly codecOrder?: 'ours' | 'offer'
  /** The payload type that an offer gives to telephone-event; undefined = we take none. */
  readonly telephoneEvent: number | undefined
  /** Take comfort noise (RFC 3389) where an offer has it; our own never has. Default false. */
  readonly comfortNoise?: boolean
  /** Wished for, 10 to 60. */
  readonly ptimeMs: number
  /** Default `sendrecv`. */
  readonly direction?: Direction
  /** Default false. */
  readonly rtcpMux?: boolean
  /** Offer extended RTCP reports, and take up what an offer names of them. Default false. */
  readonly extendedReports?: boolean
  /** The remote is a browser: ICE, DTLS and one port for everything. Default: plain RTP. */
  readonly browser?: BrowserLocal
  /** Packets are protected by keys in SDP (SRTP, RFC 4568). Default: they are plain. */
  readonly crypto?: CryptoLocal
  /** Digits; one for the life of the session (RFC 8866 §5.2). */
  readonly sessionId: string
  /**
   * What we sent last in this session, offer or answer. Its origin stays, its version moves on when something changed,
   * its streams keep their places and its codecs their numbers (RFC 3264 §8).
   */
  readonly previous?: SessionDescription | undefined
}

/** DTMF 0–9 * # A–D (RFC 4733 §3.2). */
const telephoneEvents = '0-15'

export const telephoneEventCodec = (payloadType: number, rate: number): Codec => ({
  name: 'telephone-event',
  rate,
  payloadType,
  fmtp: telephoneEvents,
})

/** How the packets of the line go. Defaults: as in an offer. */
interface DescribedMeans {
  readonly setup?: BrowserSetup
  /** What it answers, or, in an offer, continues. */
  readonly offered?: MediaDescription | undefined
  /** The line that was chosen. */
  readonly crypto?: CryptoLine | undefined
  /** Undefined: the stream names none. */
  readonly extendedReports?: ExtendedReports | undefined
}

const none: readonly never[] = []

/** Our audio line with these codecs. */
export function describeAudio(
  local: LocalMedia,
  codecs: readonly Codec[],
  ptimeMs: number,
  direction: Direction,
  rtcpMux: boolean,
  { setup = 'actpass', offered, crypto, extendedReports }: DescribedMeans,
): MediaDescription {
  const attributes: Attribute[] = []
  for (const codec of codecs) {
    attributes.push({ name: 'rtpmap', value: formatRtpmap(codec) })
    if (codec.fmtp !== undefined) attributes.push({ name: 'fmtp', value: `${codec.payloadType} ${codec.fmtp}` })
  }
  attributes.push({ name: 'ptime', value: String(ptimeMs) }, { name: direction, value: undefined })
  const { browser } = local
  const cryptos = crypto === undefined ? local.crypto && offeredCryptos(local.crypto) : [crypto]
  if (browser !== undefined) attributes.push(...browserAttributes(browser, local.address, local.port, setup, offered))
  else if (rtcpMux) attributes.push({ name: 'rtcp-mux', value: undefined })
  if (cryptos !== undefined) attributes.push(...cryptos.map(cryptoAttribute))
  if (extendedReports !== undefined) attributes.push(extendedReportsAttribute(extendedReports))
  return described(
    'audio',
    local.port,
    protocolOf(local, offered),
    codecs.map(codec => String(codec.payloadType)),
    attributes,
  )
}

/** A line of ours: what it does not name, none of ours has. */
const described = (
  media: string,
  port: number,
  protocol: string,
  formats: readonly string[],
  attributes: readonly Attribute[],
): MediaDescription => ({
  media,
  port,
  portCount: undefined,
  protocol,
  formats: formats.length === 0 ? ['0'] : formats,
  title: undefined,
  connections: none,
  bandwidths: none,
  key: undefined,
  attributes,
})

function protocolOf({ browser, crypto }: LocalMedia, offered: MediaDescription | undefined): string {
  if (browser !== undefined) return offered?.protocol ?? browserProtocol
  if (crypto === undefined) return 'RTP/AVP'
  return offered !== undefined && isCryptoStream(offered) ? offered.protocol : cryptoProtocol
}

/** RFC 3264 §6: a stream that is not taken keeps its place, with port 0. */
export const switchedOff = ({ media, protocol, formats }: MediaDescription): MediaDescription =>
  described(media, 0, protocol, formats, none)

/** The session around the streams, with the origin that continues the previous one. */
export function describeSession(
  local: LocalMedia,
  media: readonly MediaDescription[],
  audio: MediaDescription,
  offer?: SessionDescription,
): SessionDescription {
  const addressType = local.address.includes(':') ? 'IP6' : 'IP4'
  const previous = local.previous?.origin
  const session: SessionDescription = {
    origin: previous ?? {
      username: '-',
      sessionId: local.sessionId,
      sessionVersion: '1',
      addressType,
      address: local.address,
    },
    name: '-',
    information: undefined,
    uri: undefined,
    emails: none,
    phones: none,
    connection: { addressType, address: local.address, scope: undefined },
    bandwidths: none,
    timing: ['t=0 0'],
    key: undefined,
    attributes: local.browser === undefined ? none : browserSessionAttributes(audio, offer),
    media,
  }
  if (local.previous === undefined || previous === undefined) return session
  if (formatSdp(session) === formatSdp(local.previous)) return session
  return { ...session, origin: { ...previous, sessionVersion: String(Number(previous.sessionVersion) + 1) } }
}

/** RFC 3264 §8.3.2: a payload type keeps its meaning for the whole session. */
export function withPreviousNumbers(
  codecs: readonly Codec[],
  previous: MediaDescription | undefined,
): readonly Codec[] {
  if (previous === undefined) return codecs
  const known = codecsOf(previous)
  return codecs.map(codec => {
    const before = known.find(other => sameCodec(other, codec))
    return before === undefined ? codec : { ...codec, payloadType: before.payloadType }
  })
}

export const clampPtime = (ptimeMs: number): number =>
  Math.floor(Math.min(Math.max(ptimeMs, ptimeRange.least), ptimeRange.most) / 10) * 10
