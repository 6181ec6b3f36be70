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
import { type Codec, sameCodec } from './codec.ts'
import { connectionOf, mediaAddress } from './media-address.ts'
import type { MediaDescription, SessionDescription } from './session.ts'

/** A codec that both sides know, at the payload type of each. */
export interface AgreedCodec {
  readonly name: string
  readonly rate: number
  readonly channels: number
  /** What we write: the far end's number. */
  readonly sendPayloadType: number
  /** What we read: ours. */
  readonly receivePayloadType: number
  /** The far end's `a=fmtp`. */
  readonly fmtp: string | undefined
}

export interface RemoteMedia {
  readonly address: string
  readonly port: number
  /** Undefined: no RTCP to them. */
  readonly rtcpPort: number | undefined
}

/** What offer and answer agreed on for the one audio stream (RFC 3264 §6, §7). */
export interface Negotiated {
  /** Undefined while the far end holds by a zero address: nothing may be sent. */
  readonly remote: RemoteMedia | undefined
  /** What we send. */
  readonly codec: AgreedCodec
  /** All that may come in, the sending one first. */
  readonly codecs: readonly AgreedCodec[]
  /** RFC 4733 payload types; undefined = digits go in band or not at all. */
  readonly telephoneEvent: { readonly sendPayloadType: number; readonly receivePayloadType: number } | undefined
  /** Of the packets that we send. 10 to 60, a multiple of 10. */
  readonly ptimeMs: number
  /** From our view. */
  readonly direction: Direction
  readonly rtcpMux: boolean
  /** Which `m=` line. */
  readonly mediaIndex: number
}

export type NegotiationFault =
  /** No audio stream over RTP/AVP, or every one switched off. */
  | 'no-audio'
  | 'no-common-codec'
  | 'no-connection'
  /** Multicast, broadcast, or a name. */
  | 'bad-address'
  /** The answer does not fit the offer. */
  | 'bad-answer'

/** Default 20, and what a peer may ask for. */
export const ptimeRange = { least: 10, most: 60 } as const

/** What the far end asks for, else our own wish, within what is possible; a peer's maxptime under 10 is nonsense. */
export function ptimeFor(media: MediaDescription, wishMs: number): number {
  const { least, most } = ptimeRange
  const limit = Math.min(most, Math.max(maxPtimeOf(media) ?? most, least))
  const wanted = Math.min(Math.max(ptimeOf(media) ?? wishMs, least), limit)
  return Math.floor(wanted / 10) * 10
}

/** Where the far end wants RTP, and whether it is there to hear it. */
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
      const rtcpPort = rtcpMux ? media.port : rtcpPortOf(media)
      return { remote: { address: connection.address, port: media.port, rtcpPort } }
    }
  }
}

/** Our view of a stream: what we are willing to do, less what the far end leaves us. */
export function directionFrom(
  ours: Direction,
  theirSession: SessionDescription,
  theirMedia: MediaDescription,
  remote: RemoteMedia | undefined,
): Direction {
  const theirs = directionOf(theirSession, theirMedia)
  return directionFor(sends(ours) && receives(theirs) && remote !== undefined, receives(ours) && sends(theirs))
}

/** The far end's codecs that we know too, in its order, with the numbers of each side. */
export const agreedCodecs = (theirs: readonly Codec[], ours: readonly Codec[]): readonly AgreedCodec[] =>
  theirs.flatMap(codec => {
    const own = ours.find(known => sameCodec(known, codec))
    return own === undefined || isTelephoneEvent(codec) ? [] : [agreed(codec, own)]
  })

const agreed = (theirs: Codec, ours: Codec): AgreedCodec => ({
  name: ours.name,
  rate: ours.rate,
  channels: ours.channels ?? 1,
  sendPayloadType: theirs.payloadType,
  receivePayloadType: ours.payloadType,
  fmtp: theirs.fmtp,
})

/** Events count in the clock of the codec beside them (RFC 4733 §2.1). */
export function telephoneEventOf(codecs: readonly Codec[], rate: number): Codec | undefined {
  return codecs.find(codec => isTelephoneEvent(codec) && codec.rate === rate)
}

const isTelephoneEvent = (codec: Codec): boolean => codec.name.toLowerCase() === 'telephone-event'

/** The streams that we could take: audio over plain RTP, switched on. */
export const isOurs = (media: MediaDescription): boolean =>
  media.media.toLowerCase() === 'audio' && media.protocol.toUpperCase() === 'RTP/AVP' && media.port !== 0
