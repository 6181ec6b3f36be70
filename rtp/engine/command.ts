import type { BrowserOpening, BrowserTerms } from '../browser/terms.ts'
import type { AudioCodecName } from '../codec/codec-name.ts'
import type { OpusWishes } from '../codec/stream-encoder.ts'
import type { SharedRoom } from '../mix/room-link.ts'
import type { RoomTone } from '../mix/room-notices.ts'
import type { MediaSources } from '../session/known-hosts.ts'
import type { ExtendedTerms } from '../session/reporter.ts'
import type { SessionStats } from '../session/session-stats.ts'
import type { MediaKeys } from '../srtp/protected-pair.ts'

/** Names of sessions, plays and recordings are the asker's; the engine only compares them. */
export type SessionId = string

export type EngineCodec = AudioCodecName

/** A payload type of telephone-events, and what their durations are counted in. */
export interface EventFormat {
  readonly payloadType: number
  readonly clockRate: number
}

/** What offer and answer agreed on, as plain data. Addresses are dotted quads. */
export interface Agreement {
  /** Where the far end wants RTP; undefined = nowhere for now (hold by `0.0.0.0`, RFC 3264 §8.4). */
  readonly remote: { readonly address: string; readonly port: number; readonly rtcpPort: number } | undefined
  /** We may send: the far end receives. */
  readonly send: boolean
  /** The far end may send: it is missed when it does not. */
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
  /** What the far end said about the Opus that it takes. */
  readonly opus?: OpusWishes
  /** Audio in a packet of ours, 10 to 60 ms; Opus' frames last 20 ms, and its packets hold as many as fit, at least one. */
  readonly ptimeMs: number
  /** The far end asked for that ptime: a relayed stream of another one is packed anew. */
  readonly ptimeAsked: boolean
  /** The longest packets that it takes: a relayed stream of longer ones is packed anew. Default any. */
  readonly maxPtimeMs?: number
  /** Extended reports (RFC 3611); undefined = not agreed on. */
  readonly extendedReports?: ExtendedTerms
}

export type PlaySource =
  /** `isGrowing`: a WAV that is still written; it is whole when its head tells its length. */
  | { readonly kind: 'file'; readonly path: string; readonly isGrowing?: true }
  | { readonly kind: 'tone'; readonly tone: string }

export interface RecordRules {
  /** 0 = never. */
  readonly silenceMs: number
  readonly maxLengthMs: number
  readonly trimSilence: boolean
}

/** A recording of both sides, as the session's far end lives it. */
export interface SessionRules {
  /** `dual`: the far end on the left, what it hears on the right. `mono`: both mixed. */
  readonly channels: 'dual' | 'mono'
  /** `inbound`: only what the far end says. `outbound`: only what it hears. The other side is silent. */
  readonly track: 'both' | 'inbound' | 'outbound'
  readonly maxLengthMs: number
}

export type EngineCommand =
  /** Takes a pair of ports: `opened` or `failed` follows. */
  /** `browser`: on the port of the browser legs, where checks are addressed to these names. */
  /** `keyed`: packets may be protected by keys in SDP; nothing flows before `agree` says whether they are. */
  | { readonly type: 'open'; readonly session: SessionId; readonly browser?: BrowserOpening; readonly keyed?: boolean }
  /**
   * From now on media flows as agreed; comes again after each offer and answer. `talk`: send silence when there is
   * nothing else, from the first agreement on and not only from the first play, bridge or recording on.
   */
  | {
      readonly type: 'agree'
      readonly session: SessionId
      readonly agreement: Agreement
      readonly talk: boolean
      /** Of a session that was opened for a browser: nothing flows, or plays, before there are keys. */
      readonly browser?: BrowserTerms
      /** Of a session that was opened `keyed`; missing: packets are plain. */
      readonly keys?: MediaKeys
    }
  /** `loop` 0 = until stopped. A play that runs is replaced. */
  | {
      readonly type: 'play'
      readonly session: SessionId
      readonly play: string
      readonly source: PlaySource
      readonly loop: number
      /** Its end is told as soon as its last frame is out, while it still sounds. */
      readonly isFollowed?: true
    }
  | { readonly type: 'stop'; readonly session: SessionId; readonly play: string }
  | {
      readonly type: 'record'
      readonly session: SessionId
      readonly recording: string
      readonly path: string
      readonly rules: RecordRules
    }
  /** Beside a `record`, and beside others of its kind; `recorded` tells its end too. */
  | {
      readonly type: 'record-session'
      readonly session: SessionId
      readonly recording: string
      readonly path: string
      readonly rules: SessionRules
    }
  /** From now on silence is recorded. Only of a `record-session`. */
  | { readonly type: 'pause-record'; readonly session: SessionId; readonly recording: string }
  | { readonly type: 'resume-record'; readonly session: SessionId; readonly recording: string }
  | { readonly type: 'stop-record'; readonly session: SessionId; readonly recording: string }
  | { readonly type: 'bridge'; readonly session: SessionId; readonly other: SessionId }
  | { readonly type: 'unbridge'; readonly session: SessionId }
  /**
   * The session hears the others in a room, and they hear it unless it is muted; again, to change that. A room is there
   * while it has members; who was bridged or elsewhere is so no more. `shared`: what threads share of it.
   */
  | {
      readonly type: 'join'
      readonly session: SessionId
      readonly room: string
      readonly muted: boolean
      readonly shared?: SharedRoom
    }
  | { readonly type: 'leave'; readonly session: SessionId }
  /** All in the session's room hear it. */
  | { readonly type: 'room-tone'; readonly session: SessionId; readonly tone: RoomTone }
  | { readonly type: 'send-digits'; readonly session: SessionId; readonly digitsId: string; readonly digits: string }
  /** `closed` follows, after the ends of what still runs. */
  | { readonly type: 'close'; readonly session: SessionId }

export type RecordingEnd = 'silence' | 'max-length' | 'stopped' | 'closed' | 'failed'

export type EngineEvent =
  | { readonly type: 'opened'; readonly session: SessionId; readonly port: number; readonly ssrc: number }
  /** There is no session, or no more; with `internal`, `closed` still follows. */
  | {
      readonly type: 'failed'
      readonly session: SessionId
      readonly fault: 'no-ports' | 'internal'
      readonly detail: string
    }
  | {
      readonly type: 'played'
      readonly session: SessionId
      readonly play: string
      readonly completed: boolean
      readonly fault?: 'unreadable' | 'unsupported'
    }
  | {
      readonly type: 'recorded'
      readonly session: SessionId
      readonly recording: string
      readonly durationMs: number
      readonly sizeBytes: number
      readonly endedBy: RecordingEnd
    }
  | { readonly type: 'digits-sent'; readonly session: SessionId; readonly digitsId: string }
  /** A key has gone down; its `digit` follows when it is up. Not of one that was told in a single packet. */
  | { readonly type: 'key-down'; readonly session: SessionId; readonly digit: string }
  | { readonly type: 'digit'; readonly session: SessionId; readonly digit: string; readonly durationMs: number }
  /** A browser has shown neither media nor consent (RFC 7675) for some seconds: perhaps it is gone. */
  | { readonly type: 'quiet'; readonly session: SessionId }
  /** `fault`: a browser's leg that was never reached, or not by who its fingerprint names. */
  /** `onHold`: neither RTP nor RTCP has come, and no RTP was expected. */
  | { readonly type: 'timeout'; readonly session: SessionId; readonly fault?: 'ice' | 'dtls'; readonly onHold?: true }
  /**
   * Media comes from, and goes to, another address than before, without an offer or answer. `learned`: symmetric RTP.
   * `returned`: the signalled address has sent after all.
   */
  | {
      readonly type: 'source'
      readonly session: SessionId
      readonly by: 'learned' | 'returned'
      readonly address: string
      readonly port: number
    }
  /** Every five seconds, of a session that was agreed on. */
  | { readonly type: 'stats'; readonly session: SessionId; readonly stats: SessionStats }
  | { readonly type: 'closed'; readonly session: SessionId; readonly stats: SessionStats }
