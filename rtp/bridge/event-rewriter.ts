import { durationOf, eventOf, isEnd, maxEventDuration } from '../dtmf/event-payload.ts'
import { markerOf, ssrcOf, timestampOf } from '../packet/header.ts'
import { timestampAfter, timestampDelta } from '../packet/sequence.ts'

/** How far from a whole segment the next one's timestamp may lie; some senders count 65,536. */
const segmentSlack = 0x100
/** Ended digits that are remembered, so that their late packets begin no new ones. */
const rememberedDigits = 4
/** How far a timestamp that runs may be ahead of its duration in the packets that end a digit, ms. */
const runMs = 60

/**
 * A digit of another leg, from packet to packet, as it goes out in the time of ours: one digit in is one digit out,
 * whatever comes late or twice, and whatever clocks both count in (RFC 4733 §2.5.1.2, §2.5.1.3).
 */
export class EventRewriter {
  // The incoming digit, its segment, and the time of the one before. −1 = none yet.
  #event = -1
  #ssrc = -1
  #segment = 0
  #earlier = 0
  #duration = 0
  #origin = 0
  #hasEnded = false
  // A ring of digits that others have followed: event, timestamp of the last segment, and origin.
  readonly #pastEvents = new Int16Array(rememberedDigits).fill(-1)
  readonly #pastSegments = new Uint32Array(rememberedDigits)
  readonly #pastOrigins = new Uint32Array(rememberedDigits)
  #pastNext = 0
  // What goes out.
  #isFirst = false
  #timestamp = 0
  #passed = 0
  #length = 0

  /** The packet that was followed last is the first of its digit. */
  get isFirst(): boolean {
    return this.#isFirst
  }
  /** Timestamp of the digit, or of its present segment. */
  get timestamp(): number {
    return this.#timestamp
  }
  /** In units of our clock. */
  get duration(): number {
    return this.#length
  }

  /**
   * The next packet of the other leg's, its payload from `packet[from]` on, its duration counted in `clockRate`; ours is
   * counted in `ownRate`, and stands at `ownTime`. False: it is of an earlier digit, and is not to be passed on.
   */
  follow(packet: Uint8Array, from: number, clockRate: number, ownRate: number, ownTime: number): boolean {
    const timestamp = timestampOf(packet)
    const event = eventOf(packet, from)
    const duration = durationOf(packet, from)
    const runUnits = isEnd(packet, from) ? (runMs * clockRate) / 1000 : 0
    const begins = timestampAfter(timestamp, -duration)
    this.#isFirst = false
    if (ssrcOf(packet) !== this.#ssrc) {
      this.#ssrc = ssrcOf(packet)
      this.#pastEvents.fill(-1)
      this.#begin(event, timestamp, begins, ownTime)
    } else if (this.#isNextSegment(event, timestamp, markerOf(packet))) {
      this.#earlier += timestampDelta(timestamp, this.#segment)
      this.#segment = timestamp
      this.#duration = 0
    } else if (!this.#isPresent(event, timestamp, begins, duration, markerOf(packet), runUnits)) {
      if (this.#isPast(event, timestamp, begins, runUnits) || this.#isEarlierSegment(event, timestamp)) return false
      this.#remember()
      this.#begin(event, timestamp, begins, ownTime)
    }
    if (isEnd(packet, from)) this.#hasEnded = true
    // Out of order it shortens nothing.
    this.#duration = Math.max(this.#duration, duration)
    this.#length = Math.round(((this.#earlier + this.#duration) * ownRate) / clockRate) - this.#passed
    while (this.#length > maxEventDuration) {
      this.#passed += maxEventDuration
      this.#length -= maxEventDuration
      this.#timestamp = timestampAfter(this.#timestamp, maxEventDuration)
    }
    return true
  }

  #begin(event: number, timestamp: number, origin: number, ownTime: number): void {
    this.#isFirst = true
    this.#event = event
    this.#segment = timestamp
    this.#earlier = 0
    this.#duration = 0
    this.#origin = origin
    this.#hasEnded = false
    this.#timestamp = ownTime
    this.#passed = 0
  }

  #isNextSegment(event: number, timestamp: number, marker: boolean): boolean {
    if (event !== this.#event || marker || this.#hasEnded) return false
    return Math.abs(timestampDelta(timestamp, this.#segment) - maxEventDuration) <= segmentSlack
  }

  #isEarlierSegment(event: number, timestamp: number): boolean {
    if (event !== this.#event || this.#earlier === 0) return false
    return Math.abs(timestampDelta(timestamp, this.#segment) + maxEventDuration) <= segmentSlack
  }

  /** Some senders let the timestamp run with the duration, against §2.5.1.2: the digit began where both say so. */
  #isPresent(
    event: number,
    timestamp: number,
    begins: number,
    duration: number,
    marker: boolean,
    runUnits: number,
  ): boolean {
    if (event !== this.#event) return false
    if (timestamp === this.#segment) return true
    return !marker && duration >= this.#duration && isAhead(begins, this.#origin, runUnits)
  }

  #isPast(event: number, timestamp: number, begins: number, runUnits: number): boolean {
    for (let at = 0; at < rememberedDigits; at++) {
      if (this.#pastEvents[at] !== event) continue
      if (this.#pastSegments[at] === timestamp || isAhead(begins, this.#pastOrigins[at]!, runUnits)) return true
    }
    return false
  }

  #remember(): void {
    const at = this.#pastNext
    this.#pastEvents[at] = this.#event
    this.#pastSegments[at] = this.#segment
    this.#pastOrigins[at] = this.#origin
    this.#pastNext = (at + 1) % rememberedDigits
  }
}

/** It is where the other is, or at most this many units later. */
const isAhead = (timestamp: number, of: number, mostUnits: number): boolean => {
  const ahead = timestampDelta(timestamp, of)
  return ahead >= 0 && ahead <= mostUnits
}
