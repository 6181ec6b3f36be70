import { maxPacketLength } from '../packet/header.ts'
import {
  type ExtendedBlock,
  packetTypes,
  type ReportBlock,
  type RtcpPacket,
  reportBlockLength,
  type SenderInfo,
  sdesCname,
} from './packet.ts'
import { uint16, uint32 } from './words.ts'

/** What is wrong with a datagram of RTCP. */
export type RtcpFault =
  | 'too-short'
  | 'too-long'
  | 'bad-version'
  /** RFC 3550 §6.1: a compound packet begins with a report. */
  | 'bad-first'
  /** A packet's length, or the count of its parts, runs past its end. */
  | 'bad-length'
  /** Padding on another packet than the last, or more than there is. */
  | 'bad-padding'
  | 'bad-sdes'

/** The packets of a datagram, or what is wrong with it and at which byte. */
export type ParsedRtcp =
  | { readonly ok: true; readonly value: readonly RtcpPacket[] }
  | { readonly ok: false; readonly reason: RtcpFault; readonly at: number }

const fault = (reason: RtcpFault, at: number): ParsedRtcp => ({ ok: false, reason, at })
const text = new TextDecoder()

/**
 * Parses a compound packet by the checks of RFC 3550 §A.2, whole or not at all. The datagram's length bounds the
 * work; nothing in it can make a loop longer. Without `withTexts` names and reasons are stepped over: they stay empty.
 */
export const parseRtcp = (bytes: Uint8Array, length = bytes.length, withTexts = true): ParsedRtcp => {
  if (length < 8 || length > bytes.length) return fault('too-short', 0)
  if (length > maxPacketLength) return fault('too-long', 0)
  const packets: RtcpPacket[] = []
  for (let at = 0; at < length; ) {
    //  |V=2|P|  count  |      PT       |   length in words − 1   |   RFC 3550 §6.4
    if (at + 4 > length) return fault('bad-length', at)
    const first = bytes[at]!
    const packetType = bytes[at + 1]!
    if (first >> 6 !== 2) return fault('bad-version', at)
    const isReport = packetType === packetTypes.senderReport || packetType === packetTypes.receiverReport
    if (at === 0 && !isReport) return fault('bad-first', at)
    const next = at + 4 + 4 * uint16(bytes, at + 2)
    if (next > length) return fault('bad-length', at)
    let end = next
    if (first & 0x20) {
      const padding = bytes[next - 1]!
      if (next !== length || padding === 0 || padding % 4 !== 0 || padding > next - at - 4) {
        return fault('bad-padding', at)
      }
      end -= padding
    }
    const packet = parseOne(bytes, at + 4, end, packetType, first & 0x1f, withTexts)
    if (typeof packet === 'string') return fault(packet, at)
    packets.push(packet)
    at = next
  }
  return { ok: true, value: packets }
}

/** One packet's content between `at` and `end`. */
const parseOne = (
  bytes: Uint8Array,
  at: number,
  end: number,
  packetType: number,
  count: number,
  withTexts: boolean,
): RtcpPacket | RtcpFault => {
  switch (packetType) {
    case packetTypes.senderReport: {
      if (at + 24 + count * reportBlockLength > end) return 'bad-length'
      const reports = reportsAt(bytes, at + 24, count)
      return { type: 'sender-report', ssrc: uint32(bytes, at), sender: senderAt(bytes, at + 4), reports }
    }
    case packetTypes.receiverReport:
      if (at + 4 + count * reportBlockLength > end) return 'bad-length'
      return { type: 'receiver-report', ssrc: uint32(bytes, at), reports: reportsAt(bytes, at + 4, count) }
    case packetTypes.sdes:
      return parseSdes(bytes, at, end, count, withTexts)
    case packetTypes.bye: {
      const reasonAt = at + 4 * count
      if (reasonAt > end) return 'bad-length'
      const ssrcs = Array.from({ length: count }, (_, i) => uint32(bytes, at + 4 * i))
      if (reasonAt === end) return { type: 'bye', ssrcs, reason: '' }
      const reasonEnd = reasonAt + 1 + bytes[reasonAt]!
      if (reasonEnd > end) return 'bad-length'
      return { type: 'bye', ssrcs, reason: withTexts ? text.decode(bytes.subarray(reasonAt + 1, reasonEnd)) : '' }
    }
    case packetTypes.extendedReport:
      if (at + 4 > end) return 'bad-length'
      return { type: 'extended-report', ssrc: uint32(bytes, at), blocks: extendedBlocks(bytes, at + 4, end) }
    default:
      return { type: 'other', packetType, count }
  }
}

const senderAt = (bytes: Uint8Array, at: number): SenderInfo => ({
  ntpSeconds: uint32(bytes, at),
  ntpFraction: uint32(bytes, at + 4),
  rtpTime: uint32(bytes, at + 8),
  packetCount: uint32(bytes, at + 12),
  octetCount: uint32(bytes, at + 16),
})

const reportsAt = (bytes: Uint8Array, from: number, count: number): ReportBlock[] =>
  Array.from({ length: count }, (_, i) => {
    const at = from + i * reportBlockLength
    return {
      ssrc: uint32(bytes, at),
      fractionLost: bytes[at + 4]!,
      cumulativeLost: (uint32(bytes, at + 4) << 8) >> 8,
      highestSequence: uint32(bytes, at + 8),
      jitter: uint32(bytes, at + 12),
      lastSr: uint32(bytes, at + 16),
      delaySinceLastSr: uint32(bytes, at + 20),
    }
  })

/** RFC 3550 §6.5: chunks of items, each chunk ended by a null and filled up to a word. */
const parseSdes = (
  bytes: Uint8Array,
  from: number,
  end: number,
  count: number,
  withTexts: boolean,
): RtcpPacket | RtcpFault => {
  const names: { ssrc: number; cname: string }[] = []
  let at = from
  for (let chunk = 0; chunk < count; chunk++) {
    if (at + 8 > end) return 'bad-sdes'
    const ssrc = uint32(bytes, at)
    at += 4
    for (;;) {
      if (at >= end) return 'bad-sdes'
      const item = bytes[at]!
      if (item === 0) break
      const itemEnd = at + 2 + (bytes[at + 1] ?? 0)
      if (itemEnd > end) return 'bad-sdes'
      if (withTexts && item === sdesCname) names.push({ ssrc, cname: text.decode(bytes.subarray(at + 2, itemEnd)) })
      at = itemEnd
    }
    // Each packet begins on a word, counted from where its content begins.
    at = from + ((at - from) & ~3) + 4
    if (at > end) return 'bad-sdes'
  }
  return { type: 'sdes', names }
}

/** RFC 3611 §3. Tolerant: a block that runs past the end closes the list. */
const extendedBlocks = (bytes: Uint8Array, from: number, end: number): ExtendedBlock[] => {
  const blocks: ExtendedBlock[] = []
  for (let at = from; at + 4 <= end; ) {
    const length = 4 * uint16(bytes, at + 2)
    if (at + 4 + length > end) break
    blocks.push({ blockType: bytes[at]!, typeSpecific: bytes[at + 1]!, from: at + 4, length })
    at += 4 + length
  }
  return blocks
}
