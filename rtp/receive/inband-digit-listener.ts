import type { AudioCodecName, StreamRate } from '../codec/codec-name.ts'
import type { OpusCoders } from '../codec/opus.ts'
import type { Press } from '../dtmf/digit-receiver.ts'
import { InbandDetector } from '../dtmf/inband-detector.ts'
import { noPlayout, type PlayoutCounters, playoutSum } from '../jitter/playout-counters.ts'
import { timestampAfter } from '../packet/sequence.ts'
import { Ear, type Listener } from '../playout/playout-reader.ts'

/** How digits that come as tones are heard when nobody else listens. */
const ownRate = 8000
const frameMs = 20
/** Whoever else reads is this late at most; then we read ourselves. */
const patienceMs = 60
/** Read at once after a stall; what is owed beyond is left out. */
const maxCatchUp = 5

/** So much may be lost without a break before a tone that sounded is taken to have ended. */
const mostLostMs = 120

/** Digits that come as tones. */
export interface ToneKeys {
  /** A digit sounds, for long enough to be one. */
  toneBegan(digit: string): void
  /** It has ended. `began`: the RTP time of its beginning. */
  toneEnded(press: Press, began: number): void
}

/**
 * What a session makes of its far end's sound, beyond passing packets on: samples for a leg of another codec, and
 * digits, when no telephone-events were agreed on and they can only come as tones.
 */
export class Hearing implements Listener {
  readonly #codecs: readonly (AudioCodecName | undefined)[]
  readonly #coders: OpusCoders
  readonly #keys: ToneKeys
  readonly #scratch = new Int16Array((frameMs * 48_000) / 1000)
  #ear: Ear | undefined
  #detector: InbandDetector | undefined
  /** While a key is down as telephone-events tell: some senders let its tone sound beside them. */
  #keyedTones: InbandDetector | undefined
  #keyedRate = 0
  #keyedUntil = Number.NEGATIVE_INFINITY
  #unitsPerMs = 8
  #endTime = 0
  /** Of what was heard last, without a break: lost. */
  #lostMs = 0
  #isRead = false
  /** When we read last, and shall next. */
  #readAt = -1
  #dueAt = 0
  #before = noPlayout

  /** `codecs`: by payload type, as agreed on. */
  constructor(codecs: readonly (AudioCodecName | undefined)[], coders: OpusCoders, keys: ToneKeys) {
    this.#codecs = codecs
    this.#coders = coders
    this.#keys = keys
  }

  /** What was read last holds the tone of a digit that is told otherwise, or what may become one. */
  get hearsTone(): boolean {
    return this.#detector?.hearsTone === true || this.#keyedTones?.hearsTone === true
  }

  /** What became of what was listened to. */
  get playout(): PlayoutCounters {
    return this.#ear === undefined ? this.#before : playoutSum(this.#before, this.#ear.playout)
  }

  /** What its jitter buffer waits, beyond the network's fastest; undefined while nobody listens here. */
  get bufferMs(): number | undefined {
    return this.#ear?.buffer?.aimMs
  }

  /** Digits come as tones, from now on, or do not. `clockRate`: of the codec. */
  agree(areDigitsTones: boolean, clockRate: number): void {
    this.#unitsPerMs = clockRate / 1000
    if (areDigitsTones && this.#detector === undefined) {
      const rate = this.#ear?.sampleRate ?? ownRate
      this.#detector = new InbandDetector(rate)
      this.#earOf(rate)
    } else if (!areDigitsTones) {
      this.#detector = undefined
      if (!this.#isRead) this.#close()
    }
  }

  /** The far end's samples, for somebody who reads them until `release`. */
  earFor(sampleRate: StreamRate): Ear {
    this.#isRead = true
    return this.#earOf(sampleRate)
  }

  /** Nobody else reads any more. */
  release(): void {
    this.#isRead = false
    if (this.#detector === undefined) this.#close()
  }

  /** Telephone-events tell of a key until then. */
  keyed(until: number): void {
    this.#keyedUntil = until
  }

  push(packet: Uint8Array, length: number, now: number): void {
    this.#ear?.push(packet, length, now)
  }

  /** A packet that holds no audio. */
  note(packet: Uint8Array, now: number): void {
    this.#ear?.note(packet, now)
  }

  /** A packet of comfort noise. */
  rest(packet: Uint8Array, length: number, now: number): void {
    this.#ear?.rest(packet, length, now)
  }

  tick(now: number): void {
    if (now >= this.#keyedUntil) {
      this.#keyedTones = undefined
      this.#keyedUntil = Number.NEGATIVE_INFINITY
    }
    const ear = this.#ear
    if (ear === undefined || this.#detector === undefined) return
    if (ear.readAt !== this.#readAt) {
      this.#readAt = ear.readAt
      this.#dueAt = ear.readAt + patienceMs
    }
    const count = (frameMs * ear.sampleRate) / 1000
    for (let frames = 0; frames < maxCatchUp && this.#dueAt <= now; frames++) {
      ear.readInto(this.#scratch, 0, count, now)
      this.#dueAt += frameMs
    }
    if (this.#dueAt <= now) this.#dueAt = now + frameMs
    this.#readAt = ear.readAt
  }

  hear(pcm: Int16Array, from: number, count: number, endTime: number | undefined, isLost: boolean): void {
    const rate = this.#ear?.sampleRate
    if (rate === undefined) return
    if (this.#detector === undefined) {
      if (this.#keyedUntil > Number.NEGATIVE_INFINITY) this.#hearKeyed(rate, pcm, from, count)
      return
    }
    if (endTime !== undefined) this.#endTime = timestampAfter(endTime, -this.#unitsOf(count, rate))
    this.#lostMs = isLost ? this.#lostMs + (count * 1000) / rate : 0
    if (isLost && this.#lostMs <= mostLostMs && this.#detector.held !== undefined) {
      this.#endTime = timestampAfter(this.#endTime, this.#unitsOf(count, rate))
      this.#detector.passOver(count)
      return
    }
    // Of longer pieces a detector might tell one press, and hold another down that was up again.
    const piece = (frameMs * rate) / 1000
    for (let at = 0; at < count; at += piece) {
      this.#listenFor(this.#detector, pcm, from + at, Math.min(piece, count - at), rate)
    }
  }

  free(): void {
    this.#detector = undefined
    this.#close()
  }

  #listenFor(detector: InbandDetector, pcm: Int16Array, from: number, count: number, rate: StreamRate): void {
    const units = this.#unitsOf(count, rate)
    this.#endTime = timestampAfter(this.#endTime, units)
    const before = detector.held
    const press = detector.hear(pcm, from, count)
    if (press !== undefined) {
      const began = timestampAfter(this.#endTime, -Math.round(press.durationMs * this.#unitsPerMs) - units)
      this.#keys.toneEnded(press, began)
    }
    const { held } = detector
    if (held !== undefined && (before === undefined || press !== undefined)) this.#keys.toneBegan(held)
  }

  /** Of the RTP clock. */
  #unitsOf(count: number, rate: StreamRate): number {
    return Math.round((count * this.#unitsPerMs * 1000) / rate)
  }

  #hearKeyed(rate: StreamRate, pcm: Int16Array, from: number, count: number): void {
    if (this.#keyedTones === undefined || this.#keyedRate !== rate) {
      this.#keyedTones = new InbandDetector(rate)
      this.#keyedRate = rate
    }
    this.#keyedTones.hear(pcm, from, count)
  }

  #earOf(sampleRate: StreamRate): Ear {
    if (this.#ear?.sampleRate === sampleRate) return this.#ear
    this.#close()
    const ear = new Ear(sampleRate, this.#codecs, this.#coders)
    ear.listener = this
    this.#ear = ear
    this.#readAt = -1
    if (this.#detector !== undefined) this.#detector = new InbandDetector(sampleRate)
    return ear
  }

  #close(): void {
    this.#before = this.playout
    this.#ear?.free()
    this.#ear = undefined
  }
}
