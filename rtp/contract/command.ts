import type { SharedRoom } from '../mix/room-link.ts'
import type { RoomTone } from '../mix/room-notices.ts'
import type { MediaKeys } from '../srtp/media-keys.ts'
import type { Agreement, MediaSources, RemoteAddress } from './agreement.ts'
import type { BrowserOpening, BrowserTerms } from './browser-terms.ts'

/** Names of sessions, plays and recordings are the asker's; the engine only compares them. */
export type SessionId = string

export type PlaySource =
  /** `isGrowing`: a WAV that is still written; it is whole when its head gives its length. */
  | { readonly kind: 'file'; readonly path: string; readonly isGrowing?: true }
  | { readonly kind: 'tone'; readonly tone: string }

export interface RecordRules {
  /** 0 = never. */
  readonly silenceMs: number
  readonly maxLengthMs: number
  readonly trimSilence: boolean
}

/** A recording of both sides, as the session's remote lives it. */
export interface SessionRules {
  /** `dual`: the remote on the left, what it is sent on the right. `mono`: both mixed. */
  readonly channels: 'dual' | 'mono'
  /** `inbound`: only what the remote says. `outbound`: only what it is sent. The other side is silent. */
  readonly track: 'both' | 'inbound' | 'outbound'
  readonly maxLengthMs: number
}

/** What an offer says about where a leg's media will come from. Without `remote`: that comes with the answer to ours. */
export interface SharedOpening {
  readonly remote?: RemoteAddress
  readonly sources?: MediaSources
}

export type EngineCommand =
  /** Takes a pair of ports: `opened` or `failed` follows. */
  /** `browser`: on the port of the browser legs, where checks are addressed to these names. */
  /** `keyed`: packets may be protected by keys in SDP; nothing flows before `agree` says whether they are. */
  /** `shared`: its media comes from the address in SDP and nowhere else: a port that it shares with others will do. */
  /** `port`: one that was reported as ready; no `opened` follows. */
  /** `ipv6`: on ports of its own of IPv6; default: of IPv4. */
  | {
      readonly type: 'open'
      readonly session: SessionId
      readonly browser?: BrowserOpening
      readonly keyed?: boolean
      readonly shared?: SharedOpening
      readonly port?: number
      readonly ipv6?: boolean
    }
  /**
   * Of a session that was opened `shared`, before a later offer of its remote is answered, or one of ours is made: `placed`
   * follows. It gets ports of its own where nothing came from the signalled address, or `remote` cannot be distinguished.
   */
  | ({ readonly type: 'place'; readonly session: SessionId } & SharedOpening)
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
      /** Its end is reported as soon as its last frame is out, while it still sounds. */
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
  /** Beside a `record`, and beside others of its kind; `recorded` reports its end too. */
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
   * The session receives the others in a room, and they receive it unless it is muted; again, to change that. A room is there
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
  /** All in the session's room receive it. */
  | { readonly type: 'room-tone'; readonly session: SessionId; readonly tone: RoomTone }
  /** Whole packets of both directions go to the thread's tape, as they are before protection, for so long; 0 = no longer. */
  | { readonly type: 'capture'; readonly session: SessionId; readonly forMs: number }
  | { readonly type: 'send-digits'; readonly session: SessionId; readonly digitsId: string; readonly digits: string }
  /** `closed` follows, after the ends of what still runs. */
  | { readonly type: 'close'; readonly session: SessionId }
