import { createSocket, type Socket } from 'node:dgram'
import {
  extendedHeadLength,
  readExtended,
  type VoipMetrics,
  writeDelaySince,
  writeExtendedHead,
} from '../../../rtp/rtcp/extended-report.ts'
import { middleOf } from '../../../rtp/rtcp/ntp-time.ts'
import type { RtcpPacket } from '../../../rtp/rtcp/packet.ts'
import { parseRtcp } from '../../../rtp/rtcp/parse.ts'
import { writeReceiverReport } from '../../../rtp/rtcp/write.ts'
import { freePort } from '../probes/ports.ts'
import { seeded } from '../probes/seeded.ts'

export interface LinkConditions {
  /** Of the packets towards the switch, 0 to 1. */
  readonly lossRatio: number
  /** Delay of every packet towards it, with up to `spreadMs` more. */
  readonly delayMs: number
  readonly spreadMs: number
  readonly seed: number
}

/**
 * A network between a test's RTP endpoint and the switch: seeded loss and delay towards the switch, none on the way
 * back. At the port above it answers RTCP as a remote would, with the same delay.
 */
export class LossyRelay {
  /** What the peer's SDP names, and where its endpoint sends to. */
  readonly port: number
  /** Towards the switch. */
  sent = 0
  dropped = 0
  /** The jitter of RFC 3550 §A.8 as it was made. */
  jitterMs = 0
  /** VoIP metrics that the switch has sent. */
  readonly metrics: VoipMetrics[] = []
  /** Kinds of RTCP packets that it has sent. */
  readonly kinds = new Set<RtcpPacket['type']>()
  readonly #media: Socket
  readonly #reports: Socket
  readonly #conditions: LinkConditions
  readonly #random: () => number
  #switchPort = 0
  #endpointPort = 0
  #transit: number | undefined

  private constructor(port: number, media: Socket, reports: Socket, conditions: LinkConditions) {
    this.port = port
    this.#media = media
    this.#reports = reports
    this.#conditions = conditions
    this.#random = seeded(conditions.seed)
    media.on('message', (packet, from) => {
      if (this.#switchPort === 0) return
      if (from.port === this.#switchPort) media.send(packet, this.#endpointPort, '127.0.0.1')
      else this.#forward(packet)
    })
    reports.on('message', packet => {
      if (this.#switchPort !== 0) this.#answer(packet)
    })
  }

  static async open(conditions: LinkConditions): Promise<LossyRelay> {
    const port = await freePort()
    return new LossyRelay(port, await bound(port), await bound(port + 1), conditions)
  }

  /** Where the switch's media is, and the endpoint's own. What comes before is lost. */
  join(switchPort: number, endpointPort: number): void {
    this.#switchPort = switchPort
    this.#endpointPort = endpointPort
  }

  close(): void {
    this.#media.close()
    this.#reports.close()
  }

  #forward(packet: Buffer): void {
    const { lossRatio, delayMs, spreadMs } = this.#conditions
    this.sent++
    const wait = delayMs + this.#random() * spreadMs
    if (this.sent > 2 && this.#random() < lossRatio) {
      this.dropped++
      return
    }
    setTimeout(() => {
      const now = performance.now()
      const transit = now - packet.readUInt32BE(4) / 8
      if (this.#transit !== undefined) this.jitterMs += (Math.abs(transit - this.#transit) - this.jitterMs) / 16
      this.#transit = transit
      this.#media.send(packet, this.#switchPort, '127.0.0.1')
    }, wait)
  }

  /** A receiver report that names the switch's last sender report, and its receiver time where it reported one. */
  #answer(packet: Buffer): void {
    const parsed = parseRtcp(packet)
    if (!parsed.ok) return
    const bytes = new Uint8Array(300)
    for (const part of parsed.value) this.kinds.add(part.type)
    const report = parsed.value.find(part => part.type === 'sender-report')
    const ssrc = report?.ssrc ?? 0
    const lastSr = report === undefined ? 0 : middleOf(report.sender.ntpSeconds, report.sender.ntpFraction)
    const block = { ssrc, fractionLost: 0, cumulativeLost: 0, highestSequence: 0, jitter: 40 }
    let length = writeReceiverReport(bytes, 0, 7, [{ ...block, lastSr, delaySinceLastSr: 0 }])
    const from = length + extendedHeadLength
    let end = from
    for (const part of parsed.value) {
      if (part.type !== 'extended-report') continue
      for (const content of part.blocks.flatMap(each => readExtended(packet, each) ?? [])) {
        if (content.type === 'voip-metrics') this.metrics.push(content.metrics)
        if (content.type === 'receiver-time') end += writeDelaySince(bytes, end, part.ssrc, content.middle, 0)
      }
    }
    if (end > from) length += writeExtendedHead(bytes, length, 7, end - from)
    setTimeout(
      () => this.#reports.send(bytes.subarray(0, length), this.#switchPort + 1, '127.0.0.1'),
      this.#conditions.delayMs,
    )
  }
}

async function bound(port: number): Promise<Socket> {
  const socket = createSocket('udp4')
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.bind(port, '127.0.0.1', resolve)
  })
  return socket
}
