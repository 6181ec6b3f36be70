import { timestampDelta } from '../packet/sequence.ts'
import { digitsByEvent, durationOf, eventOf, eventPayloadLength, isEnd, maxEventDuration } from './event-payload.ts'

/** A digit that came, `0-9*#A-D`, and how long it was down. */
export interface ReceivedDigit {
  readonly digit: string
  readonly durationMs: number
}

/** How a `DigitReceiver` listens. */
export interface DigitReceiverConfig {
  /** Units of the RTP timestamp a second. Default 8000. */
  readonly clockRate?: number
  /** Silence after which a digit has ended: its end packets were all lost. Default 500. */
  readonly stuckMs?: number
}

/** What became of the payloads that ended no digit. */
export interface DigitCounters {
  /** Payloads too short to hold an event. */
  readonly malformed: number
  /** Events that are no digit: flash, fax and modem tones, trunk signals. */
  readonly ignored: number
  /** Packets of digits that were already reported. */
  readonly repeated: number
  /** Digits ended by silence or by the next one, not by an end packet. */
  readonly endsLost: number
  /** Packets of digits that began faster than anybody presses keys. */
  readonly excess: number
}

/** How many reported digits are remembered, so that their late packets are not new ones. */
const rememberedDigits = 8
/** A start packet with the identity of a reported digit is a new one after this silence: some senders replay a capture. */
const replayAfterMs = 400
/** How far from a whole segment the next one's timestamp may lie; some senders count 65,536. */
const segmentSlack = 0x100
/** How far a timestamp that runs may be ahead of its duration in the packets that end a digit. */
const runMs = 60
/** Digits that may begin at once, and after that each second: a key that people press lasts at least 40 ms. */
const mostAtOnce = 64
const perSecond = 25

/**
 * Receives digits in telephone-event packets (RFC 4733 §2.5.2): each digit is reported once, at its end. What makes a
 * digit is its event and timestamp; order, losses and repeats of its packets do not matter.
 */
export class DigitReceiver {
  readonly #unitsPerMs: number
  readonly #stuckMs: number
  readonly #waiting: ReceivedDigit[] = []
  // The present digit; −1 = none. Times are RTP timestamps except `receivedAt`.
  #event = -1
  #begun = 0
  #segment = 0
  #earlier = 0
  #duration = 0
  #receivedAt = 0
  /** Timestamp less duration of its first packet, and where the timestamp of a sender that lets it run stands. */
  #origin = 0
  #movedTo = 0
  // A ring of the digits that were reported.
  readonly #reportedEvents = new Int16Array(rememberedDigits).fill(-1)
  readonly #reportedBegun = new Uint32Array(rememberedDigits)
  readonly #reportedReceivedAt = new Float64Array(rememberedDigits)
  #reportedNext = 0
  #malformed = 0
  #ignored = 0
  #repeated = 0
  #endsLost = 0
  #excess = 0
  /** How many digits may begin now, as of `#allowedAt`. */
  #allowed = mostAtOnce
  #allowedAt = 0

  constructor(config: DigitReceiverConfig = {}) {
    this.#unitsPerMs = (config.clockRate ?? 8000) / 1000
    this.#stuckMs = config.stuckMs ?? 500
  }

  get counters(): DigitCounters {
    return {
      malformed: this.#malformed,
      ignored: this.#ignored,
      repeated: this.#repeated,
      endsLost: this.#endsLost,
      excess: this.#excess,
    }
  }
  /** The digit that is down; undefined = none. */
  get held(): string | undefined {
    return digitsByEvent[this.#event]
  }
  /** When to call `timeout`; undefined = no digit is held. */
  deadline(): number | undefined {
    return this.#event < 0 ? undefined : this.#receivedAt + this.#stuckMs
  }

  /** Takes a packet's payload and timestamp. Returns how many digits wait for `take`. */
  push(payload: Uint8Array, from: number, length: number, timestamp: number, marker: boolean, now: number): number {
    if (length < eventPayloadLength || from + eventPayloadLength > payload.length) {
      this.#malformed++
      return this.#waiting.length
    }
    const event = eventOf(payload, from)
    const end = isEnd(payload, from)
    const duration = durationOf(payload, from)
    if (event >= digitsByEvent.length) this.#ignored++
    else if (this.#continues(event, timestamp, marker)) this.#prolong(timestamp, duration, end, now)
    else if (this.#runs(event, timestamp, marker, duration, end)) {
      this.#movedTo = timestamp
      this.#prolong(this.#segment, duration, end, now)
    } else if (this.#wasReported(event, timestamp, marker && !end, now)) this.#repeated++
    else if (end && this.#hasJustEnded(event, timestamp, now)) this.#repeated++
    else if (!this.#mayBegin(now)) this.#excess++
    else {
      this.#endLost()
      this.#event = event
      this.#begun = timestamp
      this.#segment = timestamp
      this.#earlier = 0
      this.#duration = 0
      this.#origin = (timestamp - duration) >>> 0
      this.#movedTo = timestamp
      this.#prolong(timestamp, duration, end, now)
    }
    return this.#waiting.length
  }

  /** Ends a digit that has gone silent. Returns how many digits wait for `take`. */
  timeout(now: number): number {
    if (this.#event >= 0 && now - this.#receivedAt >= this.#stuckMs) this.#endLost()
    return this.#waiting.length
  }

  /** The next digit; undefined = none. */
  take(): ReceivedDigit | undefined {
    return this.#waiting.shift()
  }

  /** A new source speaks: its timestamps have nothing to do with those before. A held digit ends. */
  reset(): void {
    this.#endLost()
    this.#reportedEvents.fill(-1)
  }

  /** A sender of forged or broken events makes no more digits than a person could. */
  #mayBegin(now: number): boolean {
    const more = (Math.max(0, now - this.#allowedAt) * perSecond) / 1000
    this.#allowed = Math.min(mostAtOnce, this.#allowed + more)
    this.#allowedAt = now
    if (this.#allowed < 1) return false
    this.#allowed--
    return true
  }

  #continues(event: number, timestamp: number, marker: boolean): boolean {
    if (event !== this.#event) return false
    const delta = timestampDelta(timestamp, this.#segment)
    if (delta === 0 || timestamp === this.#begun) return true
    // §2.5.1.3: the next segment begins where a full one ends. The packet that fills it may have been lost.
    return !marker && Math.abs(delta - maxEventDuration) <= segmentSlack
  }

  /** Some senders let the timestamp run with the duration, against §2.5.1.2: the digit began where both say so. */
  #runs(event: number, timestamp: number, marker: boolean, duration: number, end: boolean): boolean {
    if (event !== this.#event || marker || duration < this.#duration) return false
    const ahead = timestampDelta((timestamp - duration) >>> 0, this.#origin)
    return ahead === 0 || (end && ahead > 0 && ahead <= runMs * this.#unitsPerMs)
  }

  #prolong(timestamp: number, duration: number, end: boolean, now: number): void {
    const delta = timestampDelta(timestamp, this.#segment)
    if (delta > 0) {
      this.#earlier += delta
      this.#segment = timestamp
      this.#duration = 0
    }
    this.#receivedAt = now
    // A packet that comes late from an earlier segment, or out of order, shortens nothing.
    if (delta >= 0 && duration > this.#duration) this.#duration = duration
    if (end) this.#report()
  }

  #endLost(): void {
    if (this.#event < 0) return
    this.#endsLost++
    this.#report()
  }

  #report(): void {
    const units = this.#earlier + this.#duration
    this.#waiting.push({ digit: digitsByEvent[this.#event]!, durationMs: Math.round(units / this.#unitsPerMs) })
    this.#remember(this.#begun)
    if (this.#segment !== this.#begun) this.#remember(this.#segment)
    if (this.#movedTo !== this.#begun) this.#remember(this.#movedTo)
    this.#event = -1
  }

  #remember(timestamp: number): void {
    const at = this.#reportedNext
    this.#reportedEvents[at] = this.#event
    this.#reportedBegun[at] = timestamp
    this.#reportedReceivedAt[at] = this.#receivedAt
    this.#reportedNext = (at + 1) % rememberedDigits
  }

  /** An end packet again, of a sender that lets the timestamp run on. */
  #hasJustEnded(event: number, timestamp: number, now: number): boolean {
    const at = (this.#reportedNext + rememberedDigits - 1) % rememberedDigits
    if (this.#event >= 0 || this.#reportedEvents[at] !== event || now - this.#reportedReceivedAt[at]! > runMs)
      return false
    const ahead = timestampDelta(timestamp, this.#movedTo)
    return this.#movedTo !== this.#begun && ahead > 0 && ahead <= runMs * this.#unitsPerMs
  }

  #wasReported(event: number, timestamp: number, starts: boolean, now: number): boolean {
    for (let at = 0; at < rememberedDigits; at++) {
      if (this.#reportedEvents[at] !== event || this.#reportedBegun[at] !== timestamp) continue
      if (starts && now - this.#reportedReceivedAt[at]! > replayAfterMs) {
        this.#reportedEvents[at] = -1
        return false
      }
      this.#reportedReceivedAt[at] = now
      return true
    }
    return false
  }
}
