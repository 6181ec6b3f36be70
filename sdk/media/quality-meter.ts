import { type CallQuality, type QualitySample, qualityBetween, sampleOf } from './quality.ts'

const everyMs = 2_000

/** Asks the connection for its counters every two seconds and reports what became of the audio between. */
export class QualityMeter {
  readonly #stats: () => Promise<RTCStatsReport>
  readonly #report: (quality: CallQuality) => void
  #timer: ReturnType<typeof setInterval> | undefined
  #before: QualitySample | undefined

  constructor(stats: () => Promise<RTCStatsReport>, report: (quality: CallQuality) => void) {
    this.#stats = stats
    this.#report = report
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#measure(), everyMs)
    this.#measure()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #measure(): Promise<void> {
    const report = await this.#stats().catch(() => undefined)
    if (report === undefined || this.#timer === undefined) return
    const sample = sampleOf(report, performance.now())
    const before = this.#before
    this.#before = sample
    if (before !== undefined) this.#report(qualityBetween(before, sample))
  }
}
