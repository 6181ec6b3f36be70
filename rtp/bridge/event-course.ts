import { durationOf, eventOf, isEnd, maxEventDuration } from '../dtmf/event-payload.ts'
import { markerOf, ssrcOf, timestampOf } from '../packet/header.ts'
import { timestampAfter, timestampDelta } from '../packet/sequence.ts'

/** How far from a whole segment the next one's timestamp may lie; some senders count 65,536. */
const segmentSlack = 0x100
/** For so long behind a packet of a press those of earlier ones are late, and not of a clock that was set back. */
const lateMs = 500
/** How far a timestamp that runs may be ahead of its duration in the packets that end a press, ms. */
const runMs = 60

/**
 * A press of another leg, from packet to packet, as it goes out in the time of ours: one press in is one press out,
 * whatever comes late or twice, and whatever clocks both count in (RFC 4733 §2.5.1.2, §2.5.1.3).
 */
export class EventCourse {
  // What comes in: the press, its segment, and what came before that. −1 = none yet.
  #event = -1
  #ssrc = -1
  #segment = 0
  #earlier = 0
  #duration = 0
  #origin = 0
  #at = Number.NEGATIVE_INFINITY
  // What goes out.
  #isFirst = false
  #timestamp = 0
  #passed = 0
  #length = 0

  /** Of the packet that was followed last: whether it is the press's first, and what it says in our time. */
  get isFirst(): boolean {
    return this.#isFirst
  }
  /** Of the press, or of its present segment. */
  get timestamp(): number {
    return this.#timestamp
  }
  /** In units of our clock. */
  get duration(): number {
    return this.#length
  }

  /**
   * The next packet of the other leg's, its payload from `packet[from]` on, its duration counted in `clockRate`; ours is
   * counted in `ownRate`, and stands at `ownTime`. False: it is of an earlier press, and is not to be passed on.
   */
  follow(packet: Uint8Array, from: number, clockRate: number, ownRate: number, ownTime: number, now: number): boolean {
    const ssrc = ssrcOf(packet)
    const timestamp = timestampOf(packet)
    const marker = markerOf(packet)
    const event = eventOf(packet, from)
    const duration = durationOf(packet, from)
    const ahead = timestampDelta(timestamp, this.#segment)
    const isSameSource = ssrc === this.#ssrc
    const isSame = isSameSource && event === this.#event
    this.#isFirst = false
    if (isSame && !marker && Math.abs(ahead - maxEventDuration) <= segmentSlack) {
      this.#earlier += ahead
      this.#segment = timestamp
      this.#duration = 0
    } else if (!(isSame && (ahead === 0 || this.#runs(timestamp, duration, marker, isEnd(packet, from), clockRate)))) {
      if (isSameSource && ahead < 0 && now - this.#at < lateMs) return false
      this.#isFirst = true
      this.#ssrc = ssrc
      this.#event = event
      this.#segment = timestamp
      this.#earlier = 0
      this.#duration = 0
      this.#origin = timestampAfter(timestamp, -duration)
      this.#timestamp = ownTime
      this.#passed = 0
    }
    this.#at = now
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

  /** Some senders let the timestamp run with the duration, against §2.5.1.2: the press began where both say so. */
  #runs(timestamp: number, duration: number, marker: boolean, end: boolean, clockRate: number): boolean {
    if (marker || duration < this.#duration) return false
    const ahead = timestampDelta(timestampAfter(timestamp, -duration), this.#origin)
    return ahead === 0 || (end && ahead > 0 && ahead <= (runMs * clockRate) / 1000)
  }
}
