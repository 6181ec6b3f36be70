/** What one source reports about another (RFC 3550 §6.4.1), as on the wire. */
export interface ReportBlock {
  /** The source that this is about. */
  readonly ssrc: number
  /** Loss since the report before, in 1/256. */
  readonly fractionLost: number
  /** Packets lost since the beginning; negative when repeats outnumber losses. 24 bits with sign. */
  readonly cumulativeLost: number
  /** Highest sequence number with its cycles, 32 bits. */
  readonly highestSequence: number
  /** In timestamp units. */
  readonly jitter: number
  /** Middle 32 bits of the NTP time in the last sender report; 0 = none came. */
  readonly lastSr: number
  /** Since that report came, in 1/65536 s. */
  readonly delaySinceLastSr: number
}

/** What a sender report says of its sender: one instant in two clocks, and what was sent until then. */
export interface SenderInfo {
  readonly ntpSeconds: number
  readonly ntpFraction: number
  readonly rtpTime: number
  readonly packetCount: number
  readonly octetCount: number
}

/** A block of an extended report (RFC 3611 §3): its content lies in the datagram from `from` on. */
export interface ExtendedBlock {
  readonly blockType: number
  readonly typeSpecific: number
  readonly from: number
  readonly length: number
}

/** One packet of a compound; `type` tells which. */
export type RtcpPacket =
  | {
      readonly type: 'sender-report'
      readonly ssrc: number
      readonly sender: SenderInfo
      readonly reports: readonly ReportBlock[]
    }
  | { readonly type: 'receiver-report'; readonly ssrc: number; readonly reports: readonly ReportBlock[] }
  /** Names by source; a chunk without CNAME is left out. */
  | { readonly type: 'sdes'; readonly names: readonly { readonly ssrc: number; readonly cname: string }[] }
  /** Anybody can forge it: a hint for the statistics, never the end of a call. */
  | { readonly type: 'bye'; readonly ssrcs: readonly number[]; readonly reason: string }
  | { readonly type: 'extended-report'; readonly ssrc: number; readonly blocks: readonly ExtendedBlock[] }
  /** Feedback, application-defined and what we do not know: passed over. */
  | { readonly type: 'other'; readonly packetType: number; readonly count: number }

export const packetTypes = {
  senderReport: 200,
  receiverReport: 201,
  sdes: 202,
  bye: 203,
  app: 204,
  transportFeedback: 205,
  payloadFeedback: 206,
  extendedReport: 207,
} as const

export const reportBlockLength = 24
/** The count field has five bits. */
export const maxReportBlocks = 31
export const sdesCname = 1
/** A text's length is one byte. */
export const maxTextLength = 255
