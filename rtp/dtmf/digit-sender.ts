import { timestampAfter } from '../packet/sequence.ts'
import { eventOfDigit, maxEventDuration, writeEvent } from './event-payload.ts'

/** How long digits of a `DigitSender` sound, and the silence between them. */
export interface DigitSenderConfig {
  /** Units of the RTP timestamp a second, as the stream's audio. Default 8000. */
  readonly clockRate?: number
  /** How often `nextInto` is called, once per packet of the stream. Default 20. */
  readonly ptimeMs?: number
  /** Duration of a digit, rounded up to whole packets. Default 160. */
  readonly digitMs?: number
  /** Least silence between two digits, rounded up to whole packets. Default 100. */
  readonly gapMs?: number
  /** What `w` stands for. Default 500. */
  readonly pauseMs?: number
  /** Tone power in −dBm0. Default 10. */
  readonly volume?: number
}

/** RFC 4733 §2.5.1.4: the last packet of an event goes out three times. */
const endPackets = 3
/** Digits that may wait; more are refused. */
export const maxQueuedDigits = 256

type Phase = 'idle' | 'sounding' | 'ending' | 'silent'

/**
 * Sends digits as telephone-events (RFC 4733 §2.5.1) in place of a stream's audio, one packet a tick: the same
 * timestamp with a growing duration, the marker on its first packet, its end three times.
 */
export class DigitSender {
  readonly #unitsPerTick: number
  readonly #digitTicks: number
  readonly #gapTicks: number
  readonly #pauseTicks: number
  readonly #volume: number
  #queue = ''
  #phase: Phase = 'idle'
  #event = 0
  /** Ticks of this event so far, and the one that ends it. */
  #sounded = 0
  #lastTick = 0
  /** Clock units of the event's earlier segments (RFC 4733 §2.5.1.3). */
  #earlier = 0
  #segmentFull = false
  /** What is left of the end's packets or of the silence. */
  #ticksLeft = 0
  #timestamp = 0
  #marker = false

  constructor(config: DigitSenderConfig = {}) {
    const ptimeMs = config.ptimeMs ?? 20
    const ticksOf = (ms: number) => Math.max(1, Math.ceil(ms / ptimeMs))
    this.#unitsPerTick = Math.round(((config.clockRate ?? 8000) * ptimeMs) / 1000)
    this.#digitTicks = ticksOf(config.digitMs ?? 160)
    this.#gapTicks = ticksOf(config.gapMs ?? 100)
    this.#pauseTicks = ticksOf(config.pauseMs ?? 500)
    this.#volume = config.volume ?? 10
  }

  /** True until the last digit's last end packet is out and its gap is over. */
  get busy(): boolean {
    return this.#phase !== 'idle' || this.#queue !== ''
  }
  /** The RTP timestamp of the packet that `nextInto` just wrote: when its event, or its segment, began. */
  get timestamp(): number {
    return this.#timestamp
  }
  /** The marker bit of the packet that `nextInto` just wrote. */
  get marker(): boolean {
    return this.#marker
  }

  /** Queues digits `0-9*#A-D` and pauses `w`; other characters are left out. Returns how many were taken. */
  enqueue(digits: string): number {
    let taken = 0
    for (const digit of digits) {
      if (this.#queue.length >= maxQueuedDigits) break
      if (eventOfDigit(digit) < 0 && digit !== 'w' && digit !== 'W') continue
      this.#queue += digit.toUpperCase()
      taken++
    }
    return taken
  }

  /** Drops waiting digits. The present one is ended properly. */
  cancel(): void {
    this.#queue = ''
    if (this.#phase === 'sounding') this.#lastTick = this.#sounded + 1
  }

  /**
   * One tick of the stream; `now` is the RTP timestamp that its audio would have. Returns the bytes of payload
   * written at `into[at]`, to be sent instead of audio; 0 = nothing to say, let the audio through.
   */
  nextInto(into: Uint8Array, at: number, now: number): number {
    if (this.#phase === 'silent' && this.#ticksLeft-- <= 0) this.#phase = 'idle'
    if (this.#phase === 'idle') this.#begin(now)
    switch (this.#phase) {
      case 'sounding':
        return this.#sound(into, at)
      case 'ending':
        return this.#repeatEnd(into, at)
      case 'silent':
      case 'idle':
        return 0
    }
  }

  #begin(now: number): void {
    const next = this.#queue[0]
    if (next === undefined) return
    this.#queue = this.#queue.slice(1)
    if (next === 'W') {
      this.#phase = 'silent'
      this.#ticksLeft = this.#pauseTicks - 1
      return
    }
    this.#phase = 'sounding'
    this.#event = eventOfDigit(next)
    this.#timestamp = now
    this.#sounded = 0
    this.#lastTick = this.#digitTicks
    this.#earlier = 0
    this.#segmentFull = false
  }

  #sound(into: Uint8Array, at: number): number {
    this.#marker = this.#sounded === 0
    this.#sounded++
    if (this.#segmentFull) {
      this.#timestamp = timestampAfter(this.#timestamp, maxEventDuration)
      this.#segmentFull = false
    }
    if (this.#duration > maxEventDuration) {
      // §2.5.1.3: the full segment is reported without the end bit; the next begins where it stopped, without marker.
      this.#earlier += maxEventDuration
      this.#segmentFull = true
      return writeEvent(into, at, this.#event, false, this.#volume, maxEventDuration)
    }
    const end = this.#sounded >= this.#lastTick
    if (end) {
      this.#phase = 'ending'
      this.#ticksLeft = endPackets - 1
    }
    return writeEvent(into, at, this.#event, end, this.#volume, this.#duration)
  }

  #repeatEnd(into: Uint8Array, at: number): number {
    this.#marker = false
    if (--this.#ticksLeft === 0) {
      this.#phase = 'silent'
      this.#ticksLeft = Math.max(0, this.#gapTicks - (endPackets - 1))
    }
    return writeEvent(into, at, this.#event, true, this.#volume, this.#duration)
  }

  /** Duration of the present segment, in clock units. */
  get #duration(): number {
    return this.#sounded * this.#unitsPerTick - this.#earlier
  }
}
