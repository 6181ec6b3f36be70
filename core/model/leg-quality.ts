import type { LegRecord } from './call-record.ts'
import type { LegUuid } from './ids.ts'
import type { CodecName } from './trunk.ts'

/** What a far end reports of the stream that it gets from us. */
export interface FarReport {
  /** 0 to 100. */
  readonly lossPercent: number
  readonly jitterMs: number
  /** Where it sends extended reports. */
  readonly mos?: number | undefined
}

/** What media has counted of one leg, and how well it hears its far end. */
export interface LegMediaStats {
  readonly codec: CodecName | undefined
  readonly packetsReceived: number
  readonly packetsSent: number
  readonly packetsLost: number
  readonly packetsLate: number
  readonly packetsDropped: number
  readonly jitterMs: number
  readonly roundTripMs: number | undefined
  /** Of the network, 0 to 100. */
  readonly lossPercent: number
  /** Mean run of losses against that of random loss; 1 = random. */
  readonly burstRatio: number
  /** From mouth to ear, estimated. */
  readonly oneWayMs: number
  /** By the E-model; undefined where nothing was heard. */
  readonly rFactor: number | undefined
  readonly mos: number | undefined
  /** Undefined where it sent no reports. */
  readonly far: FarReport | undefined
}

/** How one leg of a call was heard; kept with the call. */
export interface LegQuality {
  readonly legUuid: LegUuid
  readonly role: LegRecord['role']
  readonly number: string
  readonly media: LegMediaStats
}
