import { type Step, stepMs } from '../jitter/clock-step.ts'
import { timestampDelta } from '../packet/sequence.ts'

/** Samples a second of a recording. */
const rate = 8000
/** The first packets say together where the source's time lies; so long they are listened to. */
const settleSamples = 0.2 * rate
/** A clock that runs fast or slow is looked for over this. */
const windowSamples = 4 * rate
/** The network's unrest is no drift. */
const toleratedSamples = 0.005 * rate
/**
 * So far what sounds may lie from its place until somebody pauses: only beyond it a sample is left out or said twice.
 * Two sides may be so far off each its own way, besides what a window of drift, and the network's unrest, add to it.
 */
const bearableSamples = 0.006 * rate
/** What comes so much later is no drift either: the far end's time has stood still. */
const jumpSamples = 0.2 * rate
/** A packet that is so far from where its timestamp says belongs to another time. */
const foreignSamples = rate
/** A clock that was set ahead lies so far before the fastest way. */
const aheadSamples = (stepMs * rate) / 1000

/**
 * Where the time of one source lies on the line of a recording. Of all packets the fastest tells it best; a source whose
 * clock is not ours drifts away, and is followed in its pauses, or when it never pauses by a sample now and then, so
 * that after hours its sound still lies where it was heard.
 */
export class SourceClock {
  /** Samples for a unit of the source's timestamp. */
  readonly #perUnit: number
  #hasBegun = false
  #lastTime = 0
  /** `#lastTime` counted on from the first, in samples. */
  #lastSamples = 0
  /** Place = samples + offset. */
  #offset = 0
  /** What the last window has measured. */
  #aim = 0
  #isCorrecting = false
  #settlesAt = 0
  #windowEnd = 0
  #fastest = Number.POSITIVE_INFINITY

  constructor(clockRate: number) {
    this.#perUnit = rate / clockRate
  }

  /** True for a packet that does not continue what came before: what waits is to be placed before it is heard. */
  isForeign(timestamp: number, place: number, step: Step): boolean {
    if (!this.#hasBegun) return false
    const late = place - this.#samplesOf(timestamp) - this.#offset
    return step === 'back' || (step === 'ahead' && late < -aheadSamples) || Math.abs(late) > foreignSamples
  }

  restart(): void {
    this.#hasBegun = false
    this.#isCorrecting = false
  }

  /** A packet has come; `place`: now, on the line of the recording. */
  hear(timestamp: number, place: number): void {
    if (!this.#hasBegun) this.#begin(timestamp, place)
    const samples = this.#samplesOf(timestamp)
    if (timestampDelta(timestamp, this.#lastTime) > 0) {
      this.#lastTime = timestamp
      this.#lastSamples = samples
    }
    const offset = place - samples
    if (place <= this.#settlesAt) {
      this.#offset = Math.min(this.#offset, offset)
      return
    }
    this.#fastest = Math.min(this.#fastest, offset)
    if (place >= this.#windowEnd) this.#judge(place)
  }

  /** The place of a timestamp. */
  placeOf(timestamp: number): number {
    return Math.round(this.#samplesOf(timestamp) + this.#offset)
  }

  /**
   * Once a frame: follows a drift by as much as may be left out or added, `quiet` samples in which nothing is heard, or
   * else by a sample. A jump is made at once, and only ahead: nothing said is left out.
   */
  follow(quiet: number): void {
    if (!this.#isCorrecting) return
    const error = this.#aim - this.#offset
    const size = Math.abs(error)
    if (size < 1 || size <= quiet || error > jumpSamples) {
      this.#offset = this.#aim
      this.#isCorrecting = false
    } else if (quiet > 0) {
      this.#offset += Math.sign(error) * quiet
    } else if (size > bearableSamples) {
      this.#offset += Math.sign(error)
    }
  }

  #begin(timestamp: number, place: number): void {
    this.#hasBegun = true
    this.#lastTime = timestamp
    this.#lastSamples = 0
    this.#offset = place
    this.#settlesAt = place + settleSamples
    this.#windowEnd = this.#settlesAt + windowSamples
    this.#fastest = Number.POSITIVE_INFINITY
  }

  #judge(place: number): void {
    this.#aim = this.#fastest
    this.#isCorrecting = Math.abs(this.#aim - this.#offset) > toleratedSamples
    this.#fastest = Number.POSITIVE_INFINITY
    this.#windowEnd = place + windowSamples
  }

  #samplesOf(timestamp: number): number {
    return this.#lastSamples + timestampDelta(timestamp, this.#lastTime) * this.#perUnit
  }
}
