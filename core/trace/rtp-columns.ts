import type { RtpPoint } from './rtp-point.ts'
import type { TraceRtp } from './trace.ts'

const rounded = (value: number): number => Math.round(value * 100) / 100
const roundedOrNull = (value: number | null): number | null => (value === null ? null : rounded(value))

/** Points of a leg's RTP as columns. */
export class RtpColumns {
  readonly #points: RtpPoint[] = []
  readonly #ms: number[] = []
  #codec: string | null = null

  add(point: RtpPoint, ms: number, isShown: boolean): void {
    this.#codec = point.codec ?? this.#codec
    if (!isShown) return
    this.#points.push(point)
    this.#ms.push(Math.round(ms))
  }

  read(leg: string): TraceRtp {
    const column = <T>(pick: (point: RtpPoint) => T): T[] => this.#points.map(pick)
    return {
      leg,
      codec: this.#codec,
      ms: this.#ms,
      seconds: column(point => point.seconds),
      packets_received: column(point => point.received),
      packets_sent: column(point => point.sent),
      packets_lost: column(point => point.lost),
      loss_percent: column(({ received, lost }) =>
        received + lost === 0 ? 0 : rounded((100 * lost) / (received + lost)),
      ),
      jitter_ms: column(point => point.jitterMs),
      delay_ms: column(point => point.delayMs),
      round_trip_ms: column(point => point.roundTripMs),
      mos: column(point => roundedOrNull(point.mos)),
      level_dbov: column(point => point.levelDbov),
      concealed_ms: column(point => point.concealedMs),
      remote_loss_percent: column(point => roundedOrNull(point.remoteLossPercent)),
    }
  }
}
