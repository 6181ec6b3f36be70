import { middleOf, ntpFractionOf, ntpSecondsOf, roundTripMs } from '../rtcp/ntp-time.ts'
import type { ReportBlock } from '../rtcp/packet.ts'
import { parseRtcp } from '../rtcp/parse.ts'
import type { Reception } from '../rtcp/reception.ts'
import { RtcpSchedule } from '../rtcp/schedule.ts'
import { writeBye, writeReceiverReport, writeSdes, writeSenderReport } from '../rtcp/write.ts'
import type { OutStream } from './out-stream.ts'

const noReports: readonly ReportBlock[] = []

/** The RTCP of one session: a report every five seconds or so (RFC 3550 §6.2), goodbye at the end, round trips. */
export class Reporter {
  /** The last that a report of the far end told; undefined before. */
  roundTripMs: number | undefined = undefined
  /** What the far end's last report said it lost of our stream, 0 to 100. */
  lossPercent = 0
  /** Datagrams that were no RTCP. */
  malformed = 0
  readonly #stream: OutStream
  readonly #cname: string
  readonly #schedule: RtcpSchedule
  readonly #unixMs: (now: number) => number
  #packetsBefore = 0

  /** `unixMs`: the wall clock at a monotonic time. */
  constructor(stream: OutStream, cname: string, now: number, random: () => number, unixMs: (now: number) => number) {
    this.#stream = stream
    this.#cname = cname
    this.#schedule = new RtcpSchedule(now, random)
    this.#unixMs = unixMs
  }

  deadline(): number {
    return this.#schedule.deadline()
  }

  /** Writes a report, with a goodbye when `bye`. `rtpTime`: where our stream stands now. Returns its length. */
  writeInto(into: Uint8Array, heard: Reception | undefined, rtpTime: number, now: number, bye = false): number {
    const { ssrc, packets, octets } = this.#stream
    const reports = heard === undefined ? noReports : [heard.takeReport(now)]
    let length: number
    // RFC 3550 §6.4: a sender report from those who sent since the report before.
    if (packets !== this.#packetsBefore && !bye) {
      const unix = this.#unixMs(now)
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
    if (bye) length += writeBye(into, length, ssrc)
    this.#schedule.sent(length, now)
    return length
  }

  /** There was nobody to send to: ask again after the usual time. */
  skip(now: number): void {
    this.#schedule.sent(0, now)
  }

  /** Takes a datagram from the far end's RTCP address. Returns false for what is no RTCP. */
  receive(packet: Uint8Array, length: number, heard: Reception | undefined, now: number): boolean {
    const parsed = parseRtcp(packet, length)
    if (!parsed.ok) {
      this.malformed++
      return false
    }
    this.#schedule.received(length)
    for (const part of parsed.value) {
      if (part.type !== 'sender-report' && part.type !== 'receiver-report') continue
      if (part.type === 'sender-report' && part.ssrc === heard?.ssrc) heard.senderReport(part.sender, now)
      for (const report of part.reports) {
        if (report.ssrc !== this.#stream.ssrc) continue
        this.lossPercent = (report.fractionLost * 100) / 256
        const unix = this.#unixMs(now)
        const arrival = middleOf(ntpSecondsOf(unix), ntpFractionOf(unix))
        this.roundTripMs = roundTripMs(report.lastSr, report.delaySinceLastSr, arrival) ?? this.roundTripMs
      }
    }
    return true
  }
}
