import type { AudioCodecName } from '../codec/codec-name.ts'
import type { OpusWishes } from '../codec/stream-encoder.ts'

export type EngineCodec = AudioCodecName

/** Hosts that the media of a leg may come from, besides the address in SDP. */
export interface MediaSources {
  /** The address that its SIP comes from; undefined = not known. */
  readonly sip: string | undefined
  /** Addresses or CIDR ranges that the operator lists for the trunk. */
  readonly hosts: readonly string[]
}

/** Where a remote takes RTP and RTCP; 0 = no RTCP. The address is an IP literal. */
export interface RemoteAddress {
  readonly address: string
  readonly port: number
  readonly rtcpPort: number
}

/** Which extended reports were agreed on (RFC 3611 §5). */
export interface ExtendedTerms {
  /** The remote wants reports on how it is received. */
  readonly voipMetrics: boolean
  /** Both measure the round trip though only one of them may send (§4.4, §4.5). */
  readonly receiverTime: boolean
}

/** A payload type of telephone-events, and what their durations are counted in. */
interface EventFormat {
  readonly payloadType: number
  readonly clockRate: number
}

/** What offer and answer agreed on, as plain data. */
export interface Agreement {
  /** Where the remote wants RTP; undefined = nowhere for now (hold by `0.0.0.0`, RFC 3264 §8.4). */
  readonly remote: RemoteAddress | undefined
  /** We may send: the remote receives. */
  readonly send: boolean
  /** The remote may send: it is missed when it does not. */
  readonly receive: boolean
  /** One side is on hold: the direction is not `sendrecv`, or there is no address. */
  readonly onHold?: boolean
  /** Where media may come from beside `remote`. */
  readonly sources?: MediaSources
  /** What we send, and the payload type that says so. */
  readonly codec: EngineCodec
  readonly payloadType: number
  /** What we take, by payload type. */
  readonly accept: readonly { readonly payloadType: number; readonly codec: EngineCodec }[]
  /** Telephone-events: the payload types to send and to take; undefined = not agreed on. */
  readonly sendEvents: number | undefined
  readonly acceptEvents: number | undefined
  /** What durations in both are counted in, Hz. Default the codec's clock (RFC 4733 §2.1). */
  readonly eventClockRate?: number
  /** More telephone-events that may come in: browsers send those of 8,000 Hz beside Opus. */
  readonly moreEvents?: readonly EventFormat[]
  /** Comfort noise (RFC 3389): the payload types to send and to take; undefined = not agreed on. */
  readonly sendNoise?: number
  readonly acceptNoise?: number
  /** What the remote said about the Opus that it takes. */
  readonly opus?: OpusWishes
  /** Audio in a packet of ours, 10 to 60 ms; Opus' frames last 20 ms, and its packets hold as many as fit, at least one. */
  readonly ptimeMs: number
  /** The remote asked for that ptime: a relayed stream of another one is repacked. */
  readonly ptimeAsked: boolean
  /** The longest packets that it takes: a relayed stream of longer ones is repacked. Default any. */
  readonly maxPtimeMs?: number
  /** Extended reports (RFC 3611); undefined = not agreed on. */
  readonly extendedReports?: ExtendedTerms
}
