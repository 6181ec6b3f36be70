import type { SessionId } from './command.ts'
import type { SessionStats } from './session-stats.ts'

export type RecordingEnd = 'silence' | 'max-length' | 'stopped' | 'closed' | 'failed'

/** The one source that a session's media is taken from, and another of a known host from which packets were dropped. */
export interface AwaitedSource {
  readonly from: string
  readonly seen: string | undefined
}

export type EngineEvent =
  /** `ssrc`: what the session sends as; missing where its port was ready before the session was made. */
  | { readonly type: 'opened'; readonly session: SessionId; readonly port: number; readonly ssrc?: number }
  /** Answers `place`: the port that the next offer or answer names. */
  | { readonly type: 'placed'; readonly session: SessionId; readonly port: number }
  /**
   * Another session on the same shared port has that remote: its packets go to the one that has received from there
   * before, or to neither. The next offer has a port of its own.
   */
  | { readonly type: 'source-taken'; readonly session: SessionId; readonly address: string; readonly port: number }
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
      readonly fault?: 'unreadable' | 'unsupported' | 'no-room'
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
  /** A digit has gone down; its `digit` follows when it is up. Not of one that was reported in a single packet. */
  | { readonly type: 'key-down'; readonly session: SessionId; readonly digit: string }
  | { readonly type: 'digit'; readonly session: SessionId; readonly digit: string; readonly durationMs: number }
  /** A browser has shown neither media nor consent (RFC 7675) for some seconds: perhaps it is gone. */
  | { readonly type: 'quiet'; readonly session: SessionId }
  /** `fault`: a browser's leg that was never reached, or not by who its fingerprint names. */
  /** `onHold`: neither RTP nor RTCP has come, and no RTP was expected. */
  /** `awaited`: on a shared port, where nothing but the signalled address is taken. */
  | {
      readonly type: 'timeout'
      readonly session: SessionId
      readonly fault?: 'ice' | 'dtls'
      readonly onHold?: true
      readonly awaited?: AwaitedSource
    }
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
