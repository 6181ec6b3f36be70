import { codecFacts } from '../codec/codec-name.ts'
import type { Agreement } from '../contract/agreement.ts'
import type { SessionStats } from '../contract/session-stats.ts'
import type { OutgoingStream } from '../packetize/outgoing-stream.ts'
import type { Ingress } from '../receive/ingress.ts'
import type { Receiver } from '../receive/receiver.ts'
import type { Recordings } from '../record/recordings.ts'
import type { VoipMetrics } from '../rtcp/extended-report.ts'
import type { TapePoint } from './media-tape.ts'
import type { Reporter } from './reporter.ts'
import { type ReceiveQuality, scoreOf } from './score.ts'
import { voipMetricsOf } from './voip-metrics.ts'

const usualPacketMs = 20

interface FigureSources {
  readonly stream: OutgoingStream
  readonly ingress: Ingress
  readonly receiver: Receiver
  readonly recordings: Recordings
  readonly reporter: Reporter
}

/** What a session has counted, and how well it received its remote, gathered from where it is counted. */
export class SessionFigures {
  readonly #from: FigureSources
  #agreement: Agreement | undefined
  /** Counts of a second ago. */
  #before = { received: 0, lost: 0, late: 0 }

  constructor(from: FigureSources) {
    this.#from = from
  }

  agree(agreement: Agreement): void {
    this.#agreement = agreement
  }

  get stats(): Omit<SessionStats, 'source'> {
    const { stream, ingress, receiver, recordings, reporter } = this.#from
    const quality = this.#listened
    return {
      codec: quality.codec,
      packetsReceived: quality.received,
      packetsSent: stream.packetsBefore + stream.packets,
      packetsLost: quality.lost,
      packetsLate: recordings.late + quality.late,
      packetsDropped: ingress.dropped,
      jitterMs: quality.jitterMs,
      roundTripMs: quality.roundTripMs,
      ...scoreOf(quality),
      far: reporter.far(codecFacts[quality.codec ?? 'PCMU'].clockRate),
      playout: receiver.inband.playout,
    }
  }

  /** Counts until now, and how well the last second was received; undefined before anything is agreed on. */
  second(): Omit<TapePoint, 'levelDbov'> | undefined {
    if (this.#agreement === undefined) return undefined
    const { stream, receiver, reporter } = this.#from
    const quality = this.#listened
    const { received, lost, late, jitterMs, roundTripMs, codec } = quality
    const before = this.#before
    this.#before = { received, lost, late }
    const { mos, oneWayMs } = scoreOf({
      ...quality,
      received: Math.max(0, received - before.received),
      lost: Math.max(0, lost - before.lost),
      late: Math.max(0, late - before.late),
    })
    const far = reporter.far(codecFacts[codec ?? 'PCMU'].clockRate)
    return {
      codec,
      received,
      sent: stream.packetsBefore + stream.packets,
      lost,
      jitterMs,
      delayMs: oneWayMs,
      roundTripMs: roundTripMs ?? Number.NaN,
      mos: mos ?? Number.NaN,
      remoteLossPercent: far?.lossPercent ?? Number.NaN,
      concealedMs: receiver.inband.bufferMs === undefined ? Number.NaN : receiver.inband.playout.concealedMs,
    }
  }

  /** For extended reports; undefined before anything was received. */
  get voipMetrics(): VoipMetrics | undefined {
    const { present } = this.#from.receiver.source
    return present && voipMetricsOf(present, this.#listened)
  }

  get #listened(): ReceiveQuality {
    const { receiver, reporter } = this.#from
    const { source, inband } = receiver
    return {
      codec: this.#agreement?.codec,
      received: receiver.received,
      lost: source.lost,
      late: inband.playout.late,
      burstRatio: source.present?.losses.burstRatio ?? 1,
      jitterMs: source.present?.jitter.ms ?? 0,
      roundTripMs: reporter.roundTripMs,
      bufferMs: inband.bufferMs,
      packetMs: this.#agreement?.ptimeMs ?? usualPacketMs,
    }
  }
}
