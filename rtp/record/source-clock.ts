import { type Step, stepMs } from '../jitter/clock-step.ts'
import { timestampDelta } from '../packet/sequence.ts'
import { MinTransit, type TransitBounds } from './min-transit.ts'
import { ShortestTransits } from './shortest-transits.ts'

/** Samples a second of a recording. */
const rate = 8000
/** Time over which the first packets are measured, to find where the source's time lies. */
const settleSamples = 0.2 * rate
/** With fewer packets a single one proves nothing. */
const leastPackets = 4
/** Audio that is not placed yet may lie so far back; older audio would come too late for the file. */
const longestHeld = 0.5 * rate
/** Less than this is network jitter, not clock drift. */
const toleratedSamples = 0.005 * rate
/**
 * With our own clock, audio may stay this far from its place while the remote never pauses: only slow first packets can
 * have put it there.
 */
const misplacedSamples = 0.016 * rate
/**
 * A transit time that differs by more than this shows clock drift, or another network path. It is more than a tick of
 * 5 ms: packets that arrive just after a tick, and after a stall just before it, have the same clock.
 */
const driftSamples = 0.006 * rate
/**
 * With a clock that is not ours, audio may be this far from its place; beyond it a sample is dropped or duplicated. Two
 * sides may be off by this much in opposite directions, plus what drifts before it is detected.
 */
const followedSamples = 0.003 * rate
/** A delay larger than this is no drift: the remote's time has stood still. */
const jumpSamples = 0.2 * rate
/** A packet this far from the place of its timestamp belongs to another clock. */
const foreignSamples = rate
/** A clock that was set ahead lies so far before the fastest transit time. */
const aheadSamples = (stepMs * rate) / 1000

/**
 * Maps the time of one source to the time line of a recording. The packets with the shortest transit time show it best. A source whose
 * clock is not ours drifts away, and is followed in its pauses, or when it never pauses by a sample now and then, so
 * that after hours its sound still lies where it was received. Whose clock is ours loses no sample, however unevenly its
 * packets come.
 */
export class SourceClock {
  /** Samples for a unit of the source's timestamp. */
  readonly #perUnit: number
  readonly #firstPackets = new ShortestTransits()
  readonly #transits = new MinTransit()
  #hasBegun = false
  #lastTime = 0
  /** `#lastTime` counted on from the first, in samples. */
  #lastSamples = 0
  /** Place = samples + offset. */
  #offset = 0
  /** Where the offset should be, by what was measured last. */
  #aim = 0
  #isCorrecting = false
  #settlesAt = 0
  /** The first transit times that are known well; later ones show against them how the clocks differ. */
  #first: TransitBounds | undefined
  #isFollowed = false

  constructor(clockRate: number) {
    this.#perUnit = rate / clockRate
  }

  /** True for a packet that does not continue the stream: waiting audio is placed before it. */
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
  packetArrived(timestamp: number, place: number): void {
    if (!this.#hasBegun) this.#begin(timestamp, place)
    const samples = this.#samplesOf(timestamp)
    if (timestampDelta(timestamp, this.#lastTime) > 0) {
      this.#lastTime = timestamp
      this.#lastSamples = samples
    }
    const transit = place - samples
    if (place <= this.#settlesAt) {
      this.#firstPackets.take(transit)
      this.#offset = firstPlaceOf(this.#firstPackets)
    } else if (this.#transits.take(transit, place)) this.#judge(place)
  }

  /**
   * True once the place of the first packets is known, or they cannot be held any longer: they stay there from then
   * on.
   */
  settles(place: number): boolean {
    if (place <= this.#settlesAt && place - this.#offset < longestHeld) return false
    this.settle()
    return true
  }

  /** Places the held audio now. */
  settle(): void {
    this.#settlesAt = Number.NEGATIVE_INFINITY
  }

  /** The place of a timestamp. */
  placeOf(timestamp: number): number {
    return Math.round(this.#samplesOf(timestamp) + this.#offset)
  }

  /**
   * Called once a frame: follows drift by at most the `quiet` samples that are inaudible, or else by one sample. A
   * jump is made at once, and only forward: no audio is lost.
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
    } else if (this.#isFollowed && size > followedSamples) {
      this.#offset += Math.sign(error)
    }
  }

  #begin(timestamp: number, place: number): void {
    this.#hasBegun = true
    this.#lastTime = timestamp
    this.#lastSamples = 0
    this.#offset = place
    this.#settlesAt = place + settleSamples
    this.#first = undefined
    this.#isFollowed = false
    this.#firstPackets.restart()
    this.#transits.restart(this.#settlesAt)
  }

  /** A window of transit times is over. */
  #judge(place: number): void {
    const transits = this.#transits.since(place)
    const { shorter, longer, present } = transits
    if (present - this.#offset > jumpSamples) {
      this.#aim = present
      this.#isCorrecting = true
      this.#first = undefined
      this.#transits.restart(place)
      return
    }
    this.#aim = Math.min(shorter, Math.max(longer, this.#offset))
    const size = Math.abs(this.#aim - this.#offset)
    if (transits.isKnown) this.#first ??= transits
    const first = this.#first
    const hasMoved =
      first !== undefined && (shorter < first.least - driftSamples || longer > first.longer + driftSamples)
    this.#isFollowed ||= hasMoved || size > misplacedSamples
    this.#isCorrecting = size > (this.#isFollowed ? followedSamples : toleratedSamples)
  }

  #samplesOf(timestamp: number): number {
    return this.#lastSamples + timestampDelta(timestamp, this.#lastTime) * this.#perUnit
  }
}

/**
 * The place that the first packets show: the fastest's, unless it stands alone, further before the second than that before
 * the middle of all: a sender whose timer is coarse has sent it a frame early.
 */
function firstPlaceOf(packets: ShortestTransits): number {
  const fastest = packets.at(0)
  const second = packets.at(1)
  const ahead = second - fastest
  const isAlone = ahead > toleratedSamples && ahead > packets.at(packets.count >> 1) - second
  return isAlone && packets.count >= leastPackets ? second : fastest
}
