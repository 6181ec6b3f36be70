import { assertNever } from '../base/assert-never.ts'
import type { ExtendedTerms } from '../contract/agreement.ts'
import type { RemoteReport } from '../contract/session-stats.ts'
import type { OutgoingStream } from '../packetize/outgoing-stream.ts'
import {
  extendedHeadLength,
  readExtended,
  type VoipMetrics,
  writeDelaySince,
  writeExtendedHead,
  writeReceiverTime,
  writeVoipMetrics,
} from '../rtcp/extended-report.ts'
import { middleOf, ntpFractionOf, ntpSecondsOf, roundTripMs, unitsAgoOf } from '../rtcp/ntp-time.ts'
import type { ExtendedBlock, ReportBlock } from '../rtcp/packet.ts'
import { parseRtcp } from '../rtcp/parse.ts'
import type { ReceptionStatistics } from '../rtcp/reception-statistics.ts'
import { RtcpSchedule } from '../rtcp/schedule.ts'
import { writeBye, writeReceiverReport, writeSdes, writeSenderReport } from '../rtcp/write.ts'

const noReports: readonly ReportBlock[] = []

/** What the reporter asks about its session. */
interface ReportSource {
  /** In [0, 1). */
  random(): number
  /** The wall clock at a monotonic time. */
  unixMs(now: number): number
  /** How well the remote is received; undefined before its first packet. */
  metrics(): VoipMetrics | undefined
}

/**
 * The RTCP of one session: a report every five seconds or so (RFC 3550 §6.2), extended where that was agreed on
 * (RFC 3611), goodbye at the end, round trips.
 */
export class Reporter {
  /** The last round-trip time, from a report of the remote; undefined before one. */
  roundTripMs: number | undefined = undefined
  /** What the remote's last report said it lost of our stream, 0 to 100. */
  lossPercent = 0
  /** Datagrams that were no RTCP. */
  malformed = 0
  readonly #stream: OutgoingStream
  readonly #cname: string
  readonly #schedule: RtcpSchedule
  readonly #source: ReportSource
  #extended: ExtendedTerms | undefined
  #packetsBefore = 0
  /** The last report block about our stream, and how many packets we had sent then. */
  #lastReport: ReportBlock | undefined
  #packetsAtReport = 0
  /** The remote's last VoIP metrics about our stream. */
  #farMetrics: VoipMetrics | undefined
  /** The remote's last receiver time, and when it came; `at` < 0 = none. */
  readonly #farTime = { ssrc: 0, middle: 0, at: -1 }

  constructor(stream: OutgoingStream, cname: string, now: number, source: ReportSource) {
    this.#stream = stream
    this.#cname = cname
    this.#source = source
    this.#schedule = new RtcpSchedule(now, () => source.random())
  }

  /** What the remote reports about our stream, whose timestamps count `clockRate` a second; undefined before it did. */
  far(clockRate: number): RemoteReport | undefined {
    const report = this.#lastReport
    if (report === undefined) return undefined
    const lossPercent = (100 * report.cumulativeLost) / Math.max(1, this.#packetsAtReport)
    const { conversationalMos, listeningMos } = this.#farMetrics ?? {}
    return {
      lossPercent: Math.min(100, Math.max(0, lossPercent)),
      jitterMs: (1000 * report.jitter) / clockRate,
      mos: conversationalMos ?? listeningMos,
    }
  }

  /** What was agreed on; undefined = no extended reports. */
  agree(extended: ExtendedTerms | undefined): void {
    this.#extended = extended
  }

  deadline(): number {
    return this.#schedule.deadline()
  }

  /** Writes a report, with a goodbye when `bye`. `rtpTime`: where our stream stands now. Returns its length. */
  writeInto(
    into: Uint8Array,
    reception: ReceptionStatistics | undefined,
    rtpTime: number,
    now: number,
    bye = false,
  ): number {
    const { ssrc, packets, octets } = this.#stream
    const reports = reception === undefined ? noReports : [reception.takeReport(now)]
    let length: number
    // RFC 3550 §6.4: a sender report from those who sent since the report before.
    if (packets !== this.#packetsBefore && !bye) {
      const unix = this.#source.unixMs(now)
      const sender = {
        ntpSeconds: ntpSecondsOf(unix),
        ntpFraction: ntpFractionOf(unix),
        rtpTime,
        packetCount: packets >>> 0,
        octetCount: octets,
      }
      length = writeSenderReport(into, 0, ssrc, sender, reports)
    } else length = writeReceiverReport(into, 0, ssrc, reports)
    this.#packetsBefore = packets
    length += writeSdes(into, length, ssrc, this.#cname)
    length += this.#writeExtended(into, length, now)
    if (bye) length += writeBye(into, length, ssrc)
    this.#schedule.sent(length, now)
    return length
  }

  /** There was no address to send to: ask again after the usual time. */
  skip(now: number): void {
    this.#schedule.sent(0, now)
  }

  /** Takes a datagram from the remote's RTCP address. Returns false for what is no RTCP. */
  receive(packet: Uint8Array, length: number, reception: ReceptionStatistics | undefined, now: number): boolean {
    const parsed = parseRtcp(packet, length, false)
    if (!parsed.ok) {
      this.malformed++
      return false
    }
    this.#schedule.received(length)
    for (const part of parsed.value) {
      switch (part.type) {
        case 'sender-report':
          if (part.ssrc === reception?.ssrc) reception.senderReport(part.sender, now)
          this.#takeReports(part.reports, now)
          break
        case 'receiver-report':
          this.#takeReports(part.reports, now)
          break
        case 'extended-report':
          if (this.#extended !== undefined) this.#takeExtended(packet, part.ssrc, part.blocks, now)
          break
        default:
          break
      }
    }
    return true
  }

  #takeReports(reports: readonly ReportBlock[], now: number): void {
    for (const report of reports) {
      if (report.ssrc !== this.#stream.ssrc) continue
      this.#lastReport = report
      this.#packetsAtReport = this.#stream.packets
      this.lossPercent = (report.fractionLost * 100) / 256
      this.#measure(report.lastSr, report.delaySinceLastSr, now)
    }
  }

  #takeExtended(packet: Uint8Array, ssrc: number, blocks: readonly ExtendedBlock[], now: number): void {
    for (const block of blocks) {
      const content = readExtended(packet, block)
      switch (content?.type) {
        case 'receiver-time':
          this.#farTime.ssrc = ssrc
          this.#farTime.middle = content.middle
          this.#farTime.at = now
          break
        case 'delay-since-receiver-time':
          for (const { ssrc: of, lastTime, delay } of content.delays) {
            if (of === this.#stream.ssrc) this.#measure(lastTime, delay, now)
          }
          break
        case 'voip-metrics':
          if (content.metrics.ssrc === this.#stream.ssrc) this.#farMetrics = content.metrics
          break
        case undefined:
          break
        default:
          assertNever(content)
      }
    }
  }

  /** From a time of ours that the remote returns in its report. */
  #measure(lastTime: number, delay: number, now: number): void {
    const unix = this.#source.unixMs(now)
    const arrival = middleOf(ntpSecondsOf(unix), ntpFractionOf(unix))
    this.roundTripMs = roundTripMs(lastTime, delay, arrival) ?? this.roundTripMs
  }

  #writeExtended(into: Uint8Array, at: number, now: number): number {
    const terms = this.#extended
    if (terms === undefined) return 0
    const from = at + extendedHeadLength
    let end = from
    if (terms.receiverTime) {
      end += writeReceiverTime(into, end, this.#source.unixMs(now))
      const { ssrc, middle, at: cameAt } = this.#farTime
      const delay = cameAt < 0 ? undefined : unitsAgoOf(now - cameAt)
      if (delay !== undefined) end += writeDelaySince(into, end, ssrc, middle, delay)
    }
    const metrics = terms.voipMetrics ? this.#source.metrics() : undefined
    if (metrics !== undefined) end += writeVoipMetrics(into, end, metrics)
    return end === from ? 0 : writeExtendedHead(into, at, this.#stream.ssrc, end - from)
  }
}
