import type { LegUuid } from './ids.ts'
import type { CodecName } from './trunk.ts'

/** What the remote reports about the stream that we send. */
interface FarReport {
  /** 0 to 100. */
  readonly lossPercent: number
  readonly jitterMs: number
  /** Where it sends extended reports. */
  readonly mos?: number | undefined
}

/** Where a leg's media comes from, and what was done about other sources. */
export interface MediaSource {
  /** `192.0.2.1:40000`; empty = nowhere for now. */
  readonly address: string
  /**
   * `waiting`: nothing has come. `confirmed`: it comes from the address in SDP. `learned`: from another, by symmetric RTP;
   * `resumed`: that too, since before the last offer or answer. `closed`: no SDP yet.
   */
  readonly state: 'closed' | 'waiting' | 'confirmed' | 'learned' | 'resumed'
  /** How often it moved without an offer or answer. */
  readonly changes: number
  /** Packets from sources that are not accepted, RTCP included. */
  readonly refused: number
  /** Packets that were not sent to an address that never answered. */
  readonly withheld: number
}

/** What media has counted of one leg, and how well it receives. */
export interface LegMediaStats {
  readonly codec: CodecName | undefined
  readonly packetsReceived: number
  readonly packetsSent: number
  readonly packetsLost: number
  readonly packetsLate: number
  readonly packetsDropped: number
  readonly jitterMs: number
  readonly roundTripMs: number | undefined
  /** Loss on the network, 0 to 100. */
  readonly lossPercent: number
  /** Mean run of losses against that of random loss; 1 = random. */
  readonly burstRatio: number
  /** From mouth to ear, estimated. */
  readonly oneWayMs: number
  /** By the E-model; undefined where no audio was received. */
  readonly rFactor: number | undefined
  readonly mos: number | undefined
  /** Undefined where it sent no reports. */
  readonly far: FarReport | undefined
  readonly source: MediaSource
  /** Where a jitter buffer played it out: audio that was concealed. */
  readonly playout?: { readonly concealedMs: number }
}

/** Media quality of one leg of a call; kept with the call. */
export interface LegQuality {
  readonly legUuid: LegUuid
  readonly role: 'caller' | 'callee'
  readonly number: string
  readonly media: LegMediaStats
}
