import { ntpFractionOf, ntpSecondsOf } from './ntp-time.ts'
import { type ExtendedBlock, packetTypes } from './packet.ts'
import { setHead, setUint16, setUint32, uint16, uint32 } from './words.ts'

/** Kinds of blocks (RFC 3611 §4) that are read and written here; others are passed over. */
const blockTypes = { receiverTime: 4, delaySinceReceiverTime: 5, voipMetrics: 7 } as const

const receiverTimeLength = 8
const delayLength = 12
const voipMetricsLength = 32
/** Sub-blocks of one DLRR block that are read: we are one source. */
const maxDelays = 31

/** A figure that is not known, in the fields that say so (RFC 3611 §4.7.4, §4.7.5). */
const unavailable = 127

/**
 * RFC 3611 §4.7: how well the stream of one source is received. Rates and densities are parts of one, durations milliseconds.
 * What the reporter does not know is undefined.
 */
export interface VoipMetrics {
  /** The source that this is about. */
  readonly ssrc: number
  readonly lossRate: number
  /** Came, but too late to be played. */
  readonly discardRate: number
  readonly burstDensity: number
  readonly gapDensity: number
  readonly burstMs: number
  readonly gapMs: number
  /** 0 = not known. */
  readonly roundTripMs: number
  /** Delay of packets, jitter buffer and codec, from the network's edge to the ear and back. */
  readonly endSystemMs: number
  /** Packets without loss that part one burst from the next. Default 16 (§4.7.2). */
  readonly gapMinimum: number
  /** 0 to 100. */
  readonly rFactor: number | undefined
  /** 1 to 5. */
  readonly listeningMos: number | undefined
  readonly conversationalMos: number | undefined
  readonly bufferMs: number
  readonly bufferMaximumMs: number
}

/** What an extended report may hold, as data. */
export type ExtendedContent =
  /** §4.4: when it was sent, the middle 32 bits of an NTP time. */
  | { readonly type: 'receiver-time'; readonly middle: number }
  /** §4.5: how long before this report the last `receiver-time` of each of these came, in 1/65536 s. */
  | {
      readonly type: 'delay-since-receiver-time'
      readonly delays: readonly { readonly ssrc: number; readonly lastTime: number; readonly delay: number }[]
    }
  | { readonly type: 'voip-metrics'; readonly metrics: VoipMetrics }

/** What a block of a parsed packet says; undefined: of another kind, or of another length than its kind has. */
export const readExtended = (
  bytes: Uint8Array,
  { blockType, from, length }: ExtendedBlock,
): ExtendedContent | undefined => {
  switch (blockType) {
    case blockTypes.receiverTime:
      if (length !== receiverTimeLength) return undefined
      return { type: 'receiver-time', middle: ((uint16(bytes, from + 2) << 16) | uint16(bytes, from + 4)) >>> 0 }
    case blockTypes.delaySinceReceiverTime: {
      if (length % delayLength !== 0) return undefined
      const count = Math.min(maxDelays, length / delayLength)
      const delays = Array.from({ length: count }, (_, i) => {
        const at = from + i * delayLength
        return { ssrc: uint32(bytes, at), lastTime: uint32(bytes, at + 4), delay: uint32(bytes, at + 8) }
      })
      return { type: 'delay-since-receiver-time', delays }
    }
    case blockTypes.voipMetrics:
      return length === voipMetricsLength ? { type: 'voip-metrics', metrics: metricsAt(bytes, from) } : undefined
    default:
      return undefined
  }
}

const metricsAt = (bytes: Uint8Array, at: number): VoipMetrics => ({
  ssrc: uint32(bytes, at),
  lossRate: bytes[at + 4]! / 256,
  discardRate: bytes[at + 5]! / 256,
  burstDensity: bytes[at + 6]! / 256,
  gapDensity: bytes[at + 7]! / 256,
  burstMs: uint16(bytes, at + 8),
  gapMs: uint16(bytes, at + 10),
  roundTripMs: uint16(bytes, at + 12),
  endSystemMs: uint16(bytes, at + 14),
  gapMinimum: bytes[at + 19]!,
  rFactor: known(bytes[at + 20]!, 0, 100, 1),
  listeningMos: known(bytes[at + 22]!, 10, 50, 10),
  conversationalMos: known(bytes[at + 23]!, 10, 50, 10),
  bufferMs: uint16(bytes, at + 26),
  bufferMaximumMs: uint16(bytes, at + 28),
})

/** Values outside of their range say as little as the one that is for "not known". */
const known = (value: number, least: number, most: number, per: number): number | undefined =>
  value < least || value > most ? undefined : value / per

// Each writes one block at `into[at]` and returns its length; `into` must have room.

const setBlockHead = (into: Uint8Array, at: number, blockType: number, length: number): void => {
  into[at] = blockType
  into[at + 1] = 0
  setUint16(into, at + 2, length / 4)
}

/** §4.4, of the wall clock at `unixMs`. */
export const writeReceiverTime = (into: Uint8Array, at: number, unixMs: number): number => {
  setBlockHead(into, at, blockTypes.receiverTime, receiverTimeLength)
  setUint32(into, at + 4, ntpSecondsOf(unixMs))
  setUint32(into, at + 8, ntpFractionOf(unixMs))
  return 4 + receiverTimeLength
}

/** §4.5, about one source. `delay` in 1/65536 s. */
export const writeDelaySince = (
  into: Uint8Array,
  at: number,
  ssrc: number,
  lastTime: number,
  delay: number,
): number => {
  setBlockHead(into, at, blockTypes.delaySinceReceiverTime, delayLength)
  setUint32(into, at + 4, ssrc)
  setUint32(into, at + 8, lastTime)
  setUint32(into, at + 12, delay)
  return 4 + delayLength
}

/** PLC standard, jitter buffer adaptive and of an unknown rate of adaptation (§4.7.6). */
const receiverConfig = 0b1111_0000

export const writeVoipMetrics = (into: Uint8Array, at: number, metrics: VoipMetrics): number => {
  setBlockHead(into, at, blockTypes.voipMetrics, voipMetricsLength)
  const from = at + 4
  setUint32(into, from, metrics.ssrc)
  into[from + 4] = partOf256(metrics.lossRate)
  into[from + 5] = partOf256(metrics.discardRate)
  into[from + 6] = partOf256(metrics.burstDensity)
  into[from + 7] = partOf256(metrics.gapDensity)
  setUint16(into, from + 8, wholeMs(metrics.burstMs))
  setUint16(into, from + 10, wholeMs(metrics.gapMs))
  setUint16(into, from + 12, wholeMs(metrics.roundTripMs))
  setUint16(into, from + 14, wholeMs(metrics.endSystemMs))
  // Levels of signal, noise and echo: not measured.
  into[from + 16] = unavailable
  into[from + 17] = unavailable
  into[from + 18] = unavailable
  into[from + 19] = metrics.gapMinimum
  into[from + 20] = orUnavailable(metrics.rFactor, 1)
  // R of a second network: there is none that we know of.
  into[from + 21] = unavailable
  into[from + 22] = orUnavailable(metrics.listeningMos, 10)
  into[from + 23] = orUnavailable(metrics.conversationalMos, 10)
  // Who passes packets on has neither concealment nor buffer.
  into[from + 24] = metrics.bufferMs > 0 ? receiverConfig : 0
  into[from + 25] = 0
  setUint16(into, from + 26, wholeMs(metrics.bufferMs))
  setUint16(into, from + 28, wholeMs(metrics.bufferMaximumMs))
  setUint16(into, from + 30, wholeMs(metrics.bufferMaximumMs))
  return 4 + voipMetricsLength
}

const partOf256 = (part: number): number => Math.max(0, Math.min(255, Math.floor(256 * part)))
const wholeMs = (ms: number): number => Math.max(0, Math.min(0xffff, Math.round(ms)))
const orUnavailable = (value: number | undefined, per: number): number =>
  value === undefined ? unavailable : Math.round(value * per)

/** Where the blocks of an extended report begin, after its head. */
export const extendedHeadLength = 8

/** Writes the head of an extended report (§2) whose blocks of `length` bytes stand after it. Returns the whole length. */
export const writeExtendedHead = (into: Uint8Array, at: number, ssrc: number, length: number): number => {
  setHead(into, at, packetTypes.extendedReport, 0, extendedHeadLength + length)
  setUint32(into, at + 4, ssrc)
  return extendedHeadLength + length
}
