import type { SessionId } from './command.ts'
import type { SessionStats, SourceState } from './session-stats.ts'

/** Offer and answer, as far as media follows them. */
interface AgreementDump {
  readonly codec: string
  readonly payloadType: number
  readonly ptimeMs: number
  /** We may send, the remote may send. */
  readonly send: boolean
  readonly receive: boolean
  readonly onHold: boolean
  /** Where the remote wants RTP, `192.0.2.1:40000`; empty = nowhere for now. */
  readonly remote: string
  /** Payload types of telephone-events; undefined = not agreed on. */
  readonly sendEvents: number | undefined
  readonly acceptEvents: number | undefined
}

/** The source whose packets are accepted (symmetric RTP). */
interface SourceDump {
  readonly state: SourceState
  /** The address in SDP; empty = none. */
  readonly signalled: string
  /** Where media comes from and goes to; empty = nowhere for now. */
  readonly address: string
  /** Packets that the candidate, a source that is not learned yet, has sent so far. */
  readonly candidatePackets: number
}

/** What waits in the jitter buffer. */
interface JitterBufferDump {
  readonly packets: number
  /** By how much the last frame was played later than the fastest packet could have been. */
  readonly delayMs: number
  /** The delay that it aims at. */
  readonly aimMs: number
}

/** `waits`: nothing goes in or out before keys, or plain packets, are agreed on. Of keys only the suite is shown. */
export interface SrtpDump {
  readonly state: 'plain' | 'waits' | 'protected'
  readonly suite: string | undefined
}

/** The way to a browser. */
export interface BrowserDump {
  /** The address that ICE has selected; empty = no valid check has come, or consent has run out. */
  readonly selected: string
  /** Pairs of addresses that checks came through. */
  readonly paths: number
  readonly checks: number
  readonly dropped: number
  readonly dtls: 'waits' | 'handshaking' | 'connected' | 'failed' | 'closed'
}

/** A session as it is now, for support. Each field is listed by name: keys and passwords are none of them. */
export interface SessionDump {
  readonly session: SessionId
  readonly localPort: number
  readonly ssrc: number
  /** `dtmf | prompt | bridge(forward PCMU) → packetize(20 ms) → srtp → udp:10002` */
  readonly sendPipeline: string
  /** The source in it whose turn it is. */
  readonly sendSource: 'dtmf' | 'prompt' | 'bridge' | 'silence' | 'nothing'
  /** `udp:10002 → srtp → PCMU → forward | record` */
  readonly receivePipeline: string
  readonly agreement: AgreementDump | undefined
  readonly source: SourceDump
  /** Undefined while packets are only forwarded, or nothing is received. */
  readonly jitterBuffer: JitterBufferDump | undefined
  readonly srtp: SrtpDump
  /** Undefined: the remote is no browser. */
  readonly browser: BrowserDump | undefined
  /** The session that it is bridged with. */
  readonly bridgedWith: SessionId | undefined
  readonly stats: SessionStats
}
