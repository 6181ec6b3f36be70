import { noPlayout, type PlayoutCounters } from '../jitter/playout-counters.ts'

/**
 * - `closed`: no offer or answer has named an address
 * - `waiting`: an address is signalled, and nothing has come from it
 * - `confirmed`: media has come from the signalled address
 * - `learned`: another source was a candidate, and is accepted now
 * - `resumed`: the same after another offer or answer that named the same address
 */
export type SourceState = 'closed' | 'waiting' | 'confirmed' | 'learned' | 'resumed'

/** What the remote reports of the stream that we send. */
export interface RemoteReport {
  /** Loss of what was sent until its last report, 0 to 100. */
  readonly lossPercent: number
  readonly jitterMs: number
  /** MOS of its VoIP metrics (RFC 3611 §4.7), where it sends them: conversational, else listening quality. */
  readonly mos: number | undefined
}

/** Where media comes from, and what was done about other sources. */
export interface SourceFigures {
  /** `192.0.2.1:40000`; empty = nowhere for now. */
  readonly address: string
  readonly state: SourceState
  /** How often it became another one without an offer or answer. */
  readonly changes: number
  /** Packets of sources that are not accepted, RTCP included. */
  readonly refused: number
  /** Packets that were not sent, since their destination never answered (reflection). */
  readonly withheld: number
}

/** What a session has counted, and how well it received its remote. */
export interface SessionStats {
  /** The codec that was last sent; undefined = never agreed on one. */
  readonly codec: string | undefined
  readonly packetsReceived: number
  readonly packetsSent: number
  readonly packetsLost: number
  /** Came after their place was given up. */
  readonly packetsLate: number
  /** Refused: malformed, of an unknown payload type, from a source that is not accepted. */
  readonly packetsDropped: number
  readonly jitterMs: number
  readonly roundTripMs: number | undefined
  /** Loss on the network, 0 to 100. */
  readonly lossPercent: number
  /** Mean run of losses against that of random loss; 1 = random. */
  readonly burstRatio: number
  /** From its mouth to an ear here, estimated. */
  readonly oneWayMs: number
  /** By the E-model, of what was received; undefined before the first packet. */
  readonly rFactor: number | undefined
  readonly mos: number | undefined
  /** Undefined until it has reported. */
  readonly far: RemoteReport | undefined
  readonly playout: PlayoutCounters
  readonly source: SourceFigures
}

export const noStats: SessionStats = {
  codec: undefined,
  packetsReceived: 0,
  packetsSent: 0,
  packetsLost: 0,
  packetsLate: 0,
  packetsDropped: 0,
  jitterMs: 0,
  roundTripMs: undefined,
  lossPercent: 0,
  burstRatio: 1,
  oneWayMs: 0,
  rFactor: undefined,
  mos: undefined,
  far: undefined,
  playout: noPlayout,
  source: { address: '', state: 'closed', changes: 0, refused: 0, withheld: 0 },
}
