import { type CallQuality, type QualitySample, qualityBetween, sampleOf } from './quality.ts'

const everyMs = 2_000

/** Asks the connection for its counters every two seconds and tells what became of the audio between. */
export class QualityMeter {
  readonly #stats: () => Promise<RTCStatsReport>
  readonly #tell: (quality: CallQuality) => void
  #timer: ReturnType<typeof setInterval> | undefined
  #before: QualitySample | undefined

  constructor(stats: () => Promise<RTCStatsReport>, tell: (quality: CallQuality) => void) {
    this.#stats = stats
    this.#tell = tell
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
    if (before !== undefined) this.#tell(qualityBetween(before, sample))
  }
}
