import type { RtpSample } from './rtp-sample.ts'
import type { TraceRtp } from './trace.ts'

const rounded = (value: number): number => Math.round(value * 100) / 100

/** Samples of what was counted until then, as columns of what each second brought. */
export class RtpColumns {
  readonly #ms: number[] = []
  readonly #received: number[] = []
  readonly #sent: number[] = []
  readonly #loss: number[] = []
  readonly #samples: RtpSample[] = []
  readonly #concealed: (number | null)[] = []
  #before: RtpSample | undefined

  add(sample: RtpSample, ms: number, isShown: boolean): void {
    const before = this.#before
    this.#before = sample
    if (!isShown) return
    const received = Math.max(0, sample.received - (before?.received ?? 0))
    const lost = Math.max(0, sample.lost - (before?.lost ?? 0))
    this.#ms.push(Math.round(ms))
    this.#received.push(received)
    this.#sent.push(Math.max(0, sample.sent - (before?.sent ?? 0)))
    this.#loss.push(received + lost === 0 ? 0 : rounded((100 * lost) / (received + lost)))
    const concealed = sample.concealedMs
    this.#concealed.push(concealed === null ? null : Math.max(0, rounded(concealed - (before?.concealedMs ?? 0))))
    this.#samples.push(sample)
  }

  read(leg: string): TraceRtp {
    const column = <T>(pick: (sample: RtpSample) => T): T[] => this.#samples.map(pick)
    return {
      leg,
      codec: this.#before?.codec ?? null,
      ms: this.#ms,
      packets_received: this.#received,
      packets_sent: this.#sent,
      loss_percent: this.#loss,
      jitter_ms: column(sample => sample.jitterMs),
      delay_ms: column(sample => sample.delayMs),
      round_trip_ms: column(sample => sample.roundTripMs),
      mos: column(sample => sample.mos),
      concealed_ms: this.#concealed,
      remote_loss_percent: column(sample => sample.remoteLossPercent),
    }
  }
}
