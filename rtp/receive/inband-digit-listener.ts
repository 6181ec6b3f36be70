import type { AudioCodecName, StreamRate } from '../codec/codec-name.ts'
import type { OpusCoders } from '../codec/opus.ts'
import type { ReceivedDigit } from '../dtmf/digit-receiver.ts'
import { InbandDetector } from '../dtmf/inband-detector.ts'
import type { JitterBuffer } from '../jitter/jitter-buffer.ts'
import { noPlayout, type PlayoutCounters, playoutSum } from '../jitter/playout-counters.ts'
import { timestampAfter, timestampDelta } from '../packet/sequence.ts'
import { PlayoutReader, type SampleListener, type SampleOrigin } from '../playout/playout-reader.ts'

/** How digits that come as tones are detected when no other reader decodes the stream. */
const ownRate = 8000
const frameMs = 20
/** Another reader is at most this late; after that the detector reads by itself. */
const patienceMs = 60
/** Read at once after a stall; what is owed beyond is left out. */
const maxCatchUp = 5

/** Loss without a break after which a tone is taken to have ended. */
const mostLostMs = 120
/** A wait for the next packet, which may only be late, after which a tone is taken to have ended. */
const mostLateMs = 1000
/**
 * What fills the first of a wait counts as what was sent: the sound that comes is joined to it. The rest does not: it fades,
 * and a tone that goes on after it would be a second digit.
 */
const joinedMs = 20

/** Less than this is how sound that was waited for is joined to what filled the wait. */
const leastPauseMs = 10
const silence = new Int16Array((frameMs * 48_000) / 1000)

/** What is read for detection alone, one listener at a time; it is not kept. */
const unheard = new Int16Array((frameMs * 48_000) / 1000)

/** By payload type. */
interface AgreedCodecs {
  readonly codecs: readonly (AudioCodecName | undefined)[]
}

/** Digits that come as tones. */
export interface ToneDigits {
  /** A digit has lasted long enough to be one. */
  toneBegan(digit: string): void
  /** It has ended. `began`: the RTP time of its beginning. */
  toneEnded(received: ReceivedDigit, began: number): void
}

/**
 * Decodes the remote's audio where forwarding is not enough: for a leg of another codec, for a room, and to detect DTMF
 * digits in the audio, when no telephone-events were agreed on and for a while beside those that come.
 */
export class InbandDigitListener implements SampleListener {
  readonly #types: AgreedCodecs
  readonly #coders: OpusCoders
  readonly #digits: ToneDigits
  #reader: PlayoutReader | undefined
  #detector: InbandDetector | undefined
  /** Used while telephone-events report a digit: some senders keep its tone in the audio. */
  #toneBesideEvents: InbandDetector | undefined
  #besideRate = 0
  #eventsUntil = Number.NEGATIVE_INFINITY
  #unitsPerMs = 8
  #endTime = 0
  /** Length of the present loss. */
  #lostMs = 0
  /** Length of the present wait, and the packets that were lost before it. */
  #lateMs = 0
  #lostBefore = 0
  /** Where the sound ended that was sent last. */
  #soundEnd = 0
  #isRead = false
  /** When we read last, and shall next. */
  #readAt = -1
  #dueAt = 0
  #before = noPlayout

  constructor(types: AgreedCodecs, coders: OpusCoders, keys: ToneDigits) {
    this.#types = types
    this.#coders = coders
    this.#digits = keys
  }

  /** Sees what is decoded. */
  tape: { decoded(pcm: Int16Array, from: number, count: number): void } | undefined

  /** What was read last holds the tone of a digit that is reported otherwise, or what may become one. */
  get detectsTone(): boolean {
    return this.#detector?.hasTone === true || this.#toneBesideEvents?.hasTone === true
  }

  /** `tick` may have something to do. */
  get isListening(): boolean {
    return this.#detector !== undefined || this.#eventsUntil > Number.NEGATIVE_INFINITY
  }

  /** What became of what was listened to. */
  get playout(): PlayoutCounters {
    return this.#reader === undefined ? this.#before : playoutSum(this.#before, this.#reader.playout)
  }

  /** Another reader reads the remote's samples: another leg with another codec, or a room. */
  get isRead(): boolean {
    return this.#isRead
  }

  /** Undefined while nothing is decoded. */
  get buffer(): JitterBuffer | undefined {
    return this.#reader?.buffer
  }

  /** What its jitter buffer waits, beyond the network's fastest; undefined while this listener does not read. */
  get bufferMs(): number | undefined {
    return this.buffer?.aimMs
  }

  /** Digits come as tones, from now on, or do not. `clockRate`: of the codec. */
  agree(areDigitsTones: boolean, clockRate: number): void {
    this.#unitsPerMs = clockRate / 1000
    if (areDigitsTones && this.#detector === undefined) {
      const rate = this.#reader?.sampleRate ?? ownRate
      this.#detector = new InbandDetector(rate)
      this.#readerAt(rate)
    } else if (!areDigitsTones) {
      this.#detector = undefined
      if (!this.#isRead) this.#close()
    }
  }

  /** The remote's samples, for a reader until `release`. */
  readerFor(sampleRate: StreamRate): PlayoutReader {
    this.#isRead = true
    return this.#readerAt(sampleRate)
  }

  /** No other reader is left. */
  release(): void {
    this.#isRead = false
    if (this.#detector === undefined) this.#close()
  }

  /** Telephone-events report a digit until then. */
  eventsUntil(until: number): void {
    this.#eventsUntil = until
  }

  push(packet: Uint8Array, length: number, now: number): void {
    this.#reader?.push(packet, length, now)
  }

  /** A packet that holds no audio. */
  noteWithoutAudio(packet: Uint8Array, now: number): void {
    this.#reader?.noteWithoutAudio(packet, now)
  }

  /** A packet of comfort noise. */
  comfortNoise(packet: Uint8Array, length: number, now: number): void {
    this.#reader?.comfortNoise(packet, length, now)
  }

  tick(now: number): void {
    if (now >= this.#eventsUntil) {
      this.#toneBesideEvents = undefined
      this.#eventsUntil = Number.NEGATIVE_INFINITY
    }
    const reader = this.#reader
    if (reader === undefined || this.#detector === undefined) return
    if (reader.readAt !== this.#readAt) {
      this.#readAt = reader.readAt
      this.#dueAt = reader.readAt + patienceMs
    }
    const count = (frameMs * reader.sampleRate) / 1000
    for (let frames = 0; frames < maxCatchUp && this.#dueAt <= now; frames++) {
      reader.readInto(unheard, 0, count, now)
      this.#dueAt += frameMs
    }
    if (this.#dueAt <= now) this.#dueAt = now + frameMs
    this.#readAt = reader.readAt
  }

  samples(pcm: Int16Array, from: number, count: number, endTime: number | undefined, origin: SampleOrigin): void {
    const rate = this.#reader?.sampleRate
    if (rate === undefined) return
    const isLost = origin === 'lost'
    if (!isLost) this.tape?.decoded(pcm, from, count)
    if (this.#detector === undefined) {
      if (this.#eventsUntil > Number.NEGATIVE_INFINITY) this.#detectBesideEvents(rate, pcm, from, count)
      return
    }
    if (origin === 'late') {
      if (this.#lateMs === 0) this.#lostBefore = this.#lost
      this.#lateMs += (count * 1000) / rate
      if (this.#lateMs > joinedMs && this.#lateMs <= mostLateMs) return
    }
    if (endTime !== undefined) {
      const began = timestampAfter(endTime, -this.#unitsOf(count, rate))
      if (this.#lateMs > joinedMs && this.#lateMs <= mostLateMs) this.#addPause(this.#detector, began, rate)
      this.#lateMs = 0
      this.#endTime = began
      this.#soundEnd = endTime
    }
    this.#lostMs = isLost ? this.#lostMs + (count * 1000) / rate : 0
    if (isLost && this.#lostMs <= mostLostMs && this.#detector.held !== undefined) {
      this.#endTime = timestampAfter(this.#endTime, this.#unitsOf(count, rate))
      this.#detector.passOver(count)
      return
    }
    // Of longer pieces a detector might report one digit, and hold another down that was up again.
    const piece = (frameMs * rate) / 1000
    for (let at = 0; at < count; at += piece) {
      this.#detect(this.#detector, pcm, from + at, Math.min(piece, count - at), rate)
    }
  }

  free(): void {
    this.#detector = undefined
    this.#close()
  }

  #detect(detector: InbandDetector, pcm: Int16Array, from: number, count: number, rate: StreamRate): void {
    const units = this.#unitsOf(count, rate)
    this.#endTime = timestampAfter(this.#endTime, units)
    const before = detector.held
    const received = detector.analyze(pcm, from, count)
    if (received !== undefined) {
      const began = timestampAfter(this.#endTime, -Math.round(received.durationMs * this.#unitsPerMs) - units)
      this.#digits.toneEnded(received, began)
    }
    const { held } = detector
    if (held !== undefined && (before === undefined || received !== undefined)) this.#digits.toneBegan(held)
  }

  /** Timestamp units of `count` samples. */
  #unitsOf(count: number, rate: StreamRate): number {
    return Math.round((count * this.#unitsPerMs * 1000) / rate)
  }

  /** After a wait the sound goes on at `began`: what lies between it and the sound before was silence, or is lost. */
  #addPause(detector: InbandDetector, began: number, rate: StreamRate): void {
    const missingMs = timestampDelta(began, this.#soundEnd) / this.#unitsPerMs - joinedMs
    const pauseMs = Math.min(missingMs, this.#lateMs - joinedMs)
    if (pauseMs < leastPauseMs) return
    let left = Math.round((pauseMs * rate) / 1000)
    if (this.#lost > this.#lostBefore && missingMs <= mostLostMs && detector.held !== undefined) {
      detector.passOver(left)
      return
    }
    this.#endTime = timestampAfter(began, -this.#unitsOf(left, rate))
    const piece = (frameMs * rate) / 1000
    for (; left > 0; left -= piece) this.#detect(detector, silence, 0, Math.min(piece, left), rate)
  }

  get #lost(): number {
    return this.buffer?.counters.lost ?? 0
  }

  #detectBesideEvents(rate: StreamRate, pcm: Int16Array, from: number, count: number): void {
    if (this.#toneBesideEvents === undefined || this.#besideRate !== rate) {
      this.#toneBesideEvents = new InbandDetector(rate)
      this.#besideRate = rate
    }
    this.#toneBesideEvents.analyze(pcm, from, count)
  }

  #readerAt(sampleRate: StreamRate): PlayoutReader {
    if (this.#reader?.sampleRate === sampleRate) return this.#reader
    this.#close()
    const reader = new PlayoutReader(sampleRate, this.#types.codecs, this.#coders)
    reader.listener = this
    this.#reader = reader
    this.#readAt = -1
    if (this.#detector !== undefined) this.#detector = new InbandDetector(sampleRate)
    return reader
  }

  #close(): void {
    this.#before = this.playout
    this.#reader?.free()
    this.#reader = undefined
  }
}
