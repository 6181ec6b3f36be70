import {
  maxReportBlocks,
  maxTextLength,
  packetTypes,
  type ReportBlock,
  reportBlockLength,
  type SenderInfo,
  sdesCname,
} from './packet.ts'
import { setHead, setUint32 } from './words.ts'

const encoder = new TextEncoder()

/** A report whose blocks begin at `blocksAt`; what lies before them is the caller's. Returns its length. */
const writeReport = (
  into: Uint8Array,
  at: number,
  packetType: number,
  ssrc: number,
  blocksAt: number,
  reports: readonly ReportBlock[],
): number => {
  const count = Math.min(reports.length, maxReportBlocks)
  const length = blocksAt + count * reportBlockLength
  setHead(into, at, packetType, count, length)
  setUint32(into, at + 4, ssrc)
  for (let i = 0; i < count; i++) {
    const report = reports[i]!
    const from = at + blocksAt + i * reportBlockLength
    setUint32(into, from, report.ssrc)
    setUint32(into, from + 4, (report.fractionLost << 24) | (report.cumulativeLost & 0xff_ffff))
    setUint32(into, from + 8, report.highestSequence)
    setUint32(into, from + 12, report.jitter)
    setUint32(into, from + 16, report.lastSr)
    setUint32(into, from + 20, report.delaySinceLastSr)
  }
  return length
}

// Each writes one packet at `into[at]` and returns its length; `into` must have room. A compound packet is a report,
// an SDES with CNAME, and perhaps a BYE, one after the other (RFC 3550 §6.1). At most 31 reports are taken.

/** Writes a sender report with at most 31 blocks (RFC 3550 §6.4.1) from `at` on; returns its length in bytes. */
export const writeSenderReport = (
  into: Uint8Array,
  at: number,
  ssrc: number,
  sender: SenderInfo,
  reports: readonly ReportBlock[],
): number => {
  setUint32(into, at + 8, sender.ntpSeconds)
  setUint32(into, at + 12, sender.ntpFraction)
  setUint32(into, at + 16, sender.rtpTime)
  setUint32(into, at + 20, sender.packetCount)
  setUint32(into, at + 24, sender.octetCount)
  return writeReport(into, at, packetTypes.senderReport, ssrc, 28, reports)
}

/** Writes a receiver report with at most 31 blocks (RFC 3550 §6.4.2) from `at` on; returns its length in bytes. */
export const writeReceiverReport = (
  into: Uint8Array,
  at: number,
  ssrc: number,
  reports: readonly ReportBlock[],
): number => writeReport(into, at, packetTypes.receiverReport, ssrc, 8, reports)

/** One chunk with the CNAME, cut to 255 bytes. */
export const writeSdes = (into: Uint8Array, at: number, ssrc: number, cname: string): number => {
  const { written } = encoder.encodeInto(cname, into.subarray(at + 10, at + 10 + maxTextLength))
  // At least one null ends the chunk, and nulls fill it up to a word.
  const length = (10 + written + 4) & ~3
  into.fill(0, at + 10 + written, at + length)
  setHead(into, at, packetTypes.sdes, 1, length)
  setUint32(into, at + 4, ssrc)
  into[at + 8] = sdesCname
  into[at + 9] = written
  return length
}

/** With a reason in at most 255 bytes; none when empty. */
export const writeBye = (into: Uint8Array, at: number, ssrc: number, reason = ''): number => {
  setUint32(into, at + 4, ssrc)
  let length = 8
  if (reason !== '') {
    const { written } = encoder.encodeInto(reason, into.subarray(at + 9, at + 9 + maxTextLength))
    into[at + 8] = written
    length = (9 + written + 3) & ~3
    into.fill(0, at + 9 + written, at + length)
  }
  setHead(into, at, packetTypes.bye, 1, length)
  return length
}
