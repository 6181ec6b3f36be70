import {
  type Direction,
  directionFor,
  directionOf,
  maxPtimeOf,
  ptimeOf,
  receives,
  rtcpPortOf,
  sends,
} from './attributes.ts'
import { type BrowserAgreed, isBrowserStream } from './browser.ts'
import { type Codec, comfortNoise, sameCodec } from './codec.ts'
import { type CryptoAgreed, isCryptoStream } from './crypto.ts'
import type { ExtendedReports } from './extended-reports.ts'
import { connectionOf, mediaAddress } from './media-address.ts'
import type { MediaDescription, SessionDescription } from './session.ts'

/** A codec that both sides know, at the payload type of each. */
export interface AgreedCodec {
  readonly name: string
  readonly rate: number
  readonly channels: number
  /** What we write: the remote's number. */
  readonly sendPayloadType: number
  /** What we read: ours. */
  readonly receivePayloadType: number
  /** The remote's `a=fmtp`. */
  readonly fmtp: string | undefined
}

/** Where media goes to: an IP address and UDP ports. */
export interface RemoteMedia {
  readonly address: string
  readonly port: number
  /** Undefined: no RTCP to them. */
  readonly rtcpPort: number | undefined
}

/** What offer and answer agreed on for the one audio stream (RFC 3264 §6, §7). */
export interface Negotiated {
  /** Undefined while the remote holds by a zero address: nothing may be sent. */
  readonly remote: RemoteMedia | undefined
  /** What we send. */
  readonly codec: AgreedCodec
  /** All that may come in, the sending one first. */
  readonly codecs: readonly AgreedCodec[]
  /** RFC 4733 payload types; undefined = digits go in band or not at all. */
  readonly telephoneEvent: { readonly sendPayloadType: number; readonly receivePayloadType: number } | undefined
  /** What durations in those are counted in: the codec's clock, or 8,000 Hz when the remote has no others. */
  readonly eventClockRate: number
  /** More telephone-events that may come in, as browsers send them beside Opus. */
  readonly moreEvents: readonly { readonly receivePayloadType: number; readonly clockRate: number }[]
  /** RFC 3389. */
  readonly comfortNoise: { readonly sendPayloadType: number; readonly receivePayloadType: number } | undefined
  /** Length of the packets that we send. 10 to 60, a multiple of 10. */
  readonly ptimeMs: number
  /** From our view. */
  readonly direction: Direction
  readonly rtcpMux: boolean
  /** The extended RTCP reports that both name; undefined = there are none. */
  readonly extendedReports: ExtendedReports | undefined
  /** The remote is a browser; `remote` means nothing then: ICE finds its address. */
  readonly browser?: BrowserAgreed
  /** What protects the packets of each side. */
  readonly crypto?: CryptoAgreed
  /** Which `m=` line. */
  readonly mediaIndex: number
}

/** Why no audio can be agreed on. */
export type NegotiationFault =
  /** No audio stream over the transport that is ours, or every one switched off. */
  | 'no-audio'
  | 'no-common-codec'
  | 'no-connection'
  /** Multicast, broadcast, or a name. */
  | 'bad-address'
  /** A browser without ICE, valid fingerprint or rtcp-mux; SRTP without a key that we can use. */
  | 'bad-transport'
  /** The answer does not fit the offer. */
  | 'bad-answer'

/** Default 20, and what a remote may ask for. */
export const ptimeRange = { least: 10, most: 60 } as const

/** What the remote asks for, else our own wish, within what is possible; a remote's maxptime under 10 is nonsense. */
export function ptimeFor(media: MediaDescription, wishMs: number): number {
  const { least, most } = ptimeRange
  const limit = Math.min(most, Math.max(maxPtimeOf(media) ?? most, least))
  const wanted = Math.min(Math.max(ptimeOf(media) ?? wishMs, least), limit)
  return Math.floor(wanted / 10) * 10
}

/** Where the remote wants RTP, and whether it receives any. */
export function remoteOf(
  session: SessionDescription,
  media: MediaDescription,
  rtcpMux: boolean,
): { readonly remote: RemoteMedia | undefined } | Extract<NegotiationFault, 'no-connection' | 'bad-address'> {
  const connection = connectionOf(session, media)
  if (connection === undefined) return 'no-connection'
  switch (mediaAddress(connection)) {
    case 'refused':
      return 'bad-address'
    case 'hold':
      return { remote: undefined }
    case 'unicast': {
      const rtcpPort = rtcpPortOf(media, rtcpMux)
      return { remote: { address: connection.address, port: media.port, rtcpPort } }
    }
  }
}

/** Where the remote of a plain leg wants RTP: its first audio stream that is no other's; undefined = nowhere for now. */
export function audioRemoteOf(session: SessionDescription): RemoteMedia | undefined {
  const media = session.media.find(stream => isOurs(stream, {}))
  const found = media && remoteOf(session, media, false)
  return typeof found === 'object' ? found.remote : undefined
}

/** Our view of a stream: what we are willing to do, less what the remote leaves us. */
export function directionFrom(
  ours: Direction,
  theirSession: SessionDescription,
  theirMedia: MediaDescription,
  remote: RemoteMedia | undefined,
): Direction {
  const theirs = directionOf(theirSession, theirMedia)
  return directionFor(sends(ours) && receives(theirs) && remote !== undefined, receives(ours) && sends(theirs))
}

/** The remote's codecs that we know too, in its order, with the numbers of each side. */
export function agreedCodecs(theirs: readonly Codec[], ours: readonly Codec[]): readonly AgreedCodec[] {
  const codecs: AgreedCodec[] = []
  for (const codec of theirs) {
    const own = isSpeech(codec) ? ours.find(known => sameCodec(known, codec)) : undefined
    if (own !== undefined) codecs.push(agreed(codec, own))
  }
  return codecs
}

/** One that can be agreed on: digits and comfort noise go beside it. */
export const isSpeech = (codec: Codec): boolean => !isTelephoneEvent(codec) && !sameCodec(codec, comfortNoise)

export const agreed = (theirs: Codec, ours: Codec): AgreedCodec => ({
  name: ours.name,
  rate: ours.rate,
  channels: ours.channels ?? 1,
  sendPayloadType: theirs.payloadType,
  receivePayloadType: ours.payloadType,
  fmtp: theirs.fmtp,
})

/** What every telephone can count in. */
const usualEventRate = 8000

/**
 * The telephone-events that go beside a codec of that clock, the best first: those that count in it too (RFC 4733 §2.1),
 * then those of 8,000 Hz, which browsers send whatever the codec is.
 */
export function telephoneEventsOf(codecs: readonly Codec[], rate: number): readonly Codec[] {
  const own = telephoneEventOf(codecs, rate)
  const usual = rate === usualEventRate ? undefined : telephoneEventOf(codecs, usualEventRate)
  if (own === undefined) return usual === undefined ? [] : [usual]
  return usual === undefined ? [own] : [own, usual]
}

/** The telephone-event that counts in that clock. */
export const telephoneEventOf = (codecs: readonly Codec[], rate: number): Codec | undefined =>
  codecs.find(codec => codec.rate === rate && isTelephoneEvent(codec))

/** Comfort noise beside a codec of that clock. */
export const comfortNoiseOf = (codecs: readonly Codec[], rate: number): Codec | undefined =>
  rate === comfortNoise.rate ? codecs.find(codec => sameCodec(codec, comfortNoise)) : undefined

const isTelephoneEvent = ({ name }: Codec): boolean =>
  name.length === 'telephone-event'.length && name.toLowerCase() === 'telephone-event'

/** Where a browser's description points: nowhere, before ICE. */
export const browserRemote: RemoteMedia = { address: '0.0.0.0', port: 9, rtcpPort: 9 }

/** What is spoken: plain RTP, RTP that keys in SDP protect, or what browsers speak. */
interface OurTransport {
  readonly browser?: unknown
  readonly crypto?: unknown
}

/** The streams that we could take: audio, switched on, over the transport that is ours. */
export function isOurs(media: MediaDescription, { browser, crypto }: OurTransport): boolean {
  if (browser !== undefined) return isBrowserStream(media)
  if (crypto !== undefined) return isCryptoStream(media)
  return media.media.toLowerCase() === 'audio' && media.protocol.toUpperCase() === 'RTP/AVP' && media.port !== 0
}
