import { codecFacts } from '../codec/codec-name.ts'
import { ComfortNoise, noiseLevelOf } from '../codec/comfort-noise.ts'
import type { OpusCoders } from '../codec/opus.ts'
import { silenceInto } from '../codec/silence.ts'
import { StreamEncoder } from '../codec/stream-encoder.ts'
import type { Agreement } from '../contract/agreement.ts'
import type { PlayoutReader } from '../playout/playout-reader.ts'
import type { DigitQueue } from './digit-queue.ts'

/** The longest frame of ours, and the highest rate. */
const mostSamples = 60 * 16
/**
 * Silence after which our G.722 encoder and a decoder that has received another stream agree: before that a tone
 * would begin distorted.
 */
const g722SettlingMs = 40
/** Less is none. */
const leastLossPercent = 0.5

/** Whether what was read last holds a digit's tone, or what may become one. */
export interface ToneDetection {
  readonly detectsTone: boolean
}

/**
 * Encodes what cannot be forwarded: the audio of another leg with another codec, comfort noise, tones and silence.
 * The encoder is made at the first need and lives until the codec changes.
 */
export class Transcoder {
  readonly #coders: OpusCoders
  readonly #noise = new ComfortNoise()
  #agreement: Agreement | undefined
  #reader: PlayoutReader | undefined
  #isNoisy = false
  /** How long all that was sent has come from our encoder. */
  #settledMs = 0
  #encoder: StreamEncoder | undefined
  #room: Int16Array | undefined
  #roomBytes: Uint8Array | undefined
  #toneDetection: ToneDetection | undefined
  #lossPercent = 0

  constructor(coders: OpusCoders) {
    this.#coders = coders
  }

  /** The other leg is read. */
  get isReading(): boolean {
    return this.#reader !== undefined
  }
  /** There is something to be encoded. */
  get hasAudio(): boolean {
    return this.#reader !== undefined || this.#isNoisy
  }

  agree(agreement: Agreement): void {
    const before = this.#agreement
    this.#agreement = agreement
    // What the remote wishes of Opus may be new too.
    if (before?.codec !== agreement.codec || agreement.codec === 'opus') this.#freeEncoder()
  }

  /** Sets the reader; undefined = none. `watch`: its digits are sent as events, not as the tones that they were. */
  read(reader: PlayoutReader | undefined, watch?: ToneDetection): void {
    this.#reader = reader
    this.#toneDetection = watch
    this.#isNoisy = false
  }

  /** The other leg is silent (DTX), as a payload of comfort noise says; until it is listened to again. */
  comfortNoise(payload: Uint8Array, from: number, length: number): void {
    this.#noise.level = noiseLevelOf(payload, from, length)
    this.#isNoisy = true
  }

  /** What the remote says it loses, 0 to 100. Believed at once; that it loses less, half a report at a time. */
  tune(lossPercent: number): void {
    const isMore = lossPercent >= this.#lossPercent
    const mean = (lossPercent + this.#lossPercent) / 2
    this.#lossPercent = isMore ? lossPercent : mean < leastLossPercent ? 0 : mean
    this.#encoder?.tune(this.#lossPercent)
  }

  /** A frame of `ptimeMs` at `into[at]`. Returns its bytes; 0 = nothing to send. */
  frameInto(into: Uint8Array, at: number, ptimeMs: number, now: number): number {
    const encoder = this.#encoderNow()
    if (encoder === undefined) return 0
    this.#settledMs = g722SettlingMs
    const count = (ptimeMs * encoder.sampleRate) / 1000
    if (this.#reader === undefined) this.#noise.fillInto(this.#pcm, 0, count)
    else if (this.#reader.sampleRate !== encoder.sampleRate) {
      // Read for the codec before: the other leg's next packet brings one for this.
      this.#pcm.fill(0, 0, count)
    } else {
      this.#reader.readInto(this.#pcm, 0, count, now)
      if (this.#toneDetection?.detectsTone === true) this.#pcm.fill(0, 0, count)
    }
    return encoder.encodeInto(into, at, this.#pcm, 0, count)
  }

  /** The encoder is made, if it was not, and can be used at once. */
  get isReady(): boolean {
    return this.#encoderNow()?.isReady === true
  }

  /** The remote receives audio that our encoder has not made. */
  markDecoderUnsettled(): void {
    this.#settledMs = 0
  }

  /** Where the samples of a frame are laid for `soundInto`, as bytes. */
  get sampleBytes(): Uint8Array {
    this.#roomBytes ??= new Uint8Array(this.#pcm.buffer)
    return this.#roomBytes
  }

  /** A frame of the samples that lie in `room`. Returns its bytes; 0 = nothing to send. */
  encodeSamplesInto(into: Uint8Array, at: number, ptimeMs: number): number {
    const encoder = this.#encoderNow()
    if (encoder === undefined) return 0
    this.#settledMs += ptimeMs
    return encoder.encodeInto(into, at, this.#pcm, 0, (ptimeMs * encoder.sampleRate) / 1000)
  }

  /** A frame in which nothing sounds. Returns its bytes. */
  silenceInto(into: Uint8Array, at: number, ptimeMs: number): number {
    const codec = this.#agreement?.codec
    if (codec === undefined) return 0
    if (codec !== 'G722') return silenceInto(into, at, codec, ptimeMs)
    // Its decoder must get silence from our encoder too; otherwise what comes next begins distorted.
    this.#pcm.fill(0)
    return this.encodeSamplesInto(into, at, ptimeMs)
  }

  /** A frame that digits fill, in place of what else would sound. Returns its bytes; 0 = they leave it to that. */
  digitsInto(into: Uint8Array, at: number, ptimeMs: number, digits: DigitQueue): number {
    const encoder = this.#encoderNow()
    if (encoder === undefined) return 0
    const count = (ptimeMs * encoder.sampleRate) / 1000
    if (this.#settledMs < this.#settlingMs && digits.proceed()) {
      this.#pcm.fill(0, 0, count)
      this.#settledMs += ptimeMs
    } else if (!digits.fillInto(this.#pcm, count, encoder.sampleRate)) return 0
    return encoder.encodeInto(into, at, this.#pcm, 0, count)
  }

  /** Audio of the other leg in a moment that another source fills: it is not kept for later. */
  discard(ptimeMs: number, now: number): void {
    if (this.#reader !== undefined) this.#reader.readInto(this.#pcm, 0, (ptimeMs * this.#reader.sampleRate) / 1000, now)
  }

  free(): void {
    this.#reader = undefined
    this.#isNoisy = false
    this.#freeEncoder()
  }

  get #settlingMs(): number {
    return this.#agreement?.codec === 'G722' ? g722SettlingMs : 0
  }

  get #pcm(): Int16Array {
    this.#room ??= new Int16Array(mostSamples)
    return this.#room
  }

  /** Encoder of Opus at the rate that is read, else at the codec's own rate. */
  #encoderNow(): StreamEncoder | undefined {
    const codec = this.#agreement?.codec
    if (codec === undefined) return undefined
    const own = codecFacts[codec].sampleRate
    const rate = codec === 'opus' ? (this.#reader?.sampleRate ?? own) : own
    if (this.#encoder?.sampleRate !== rate) this.#freeEncoder()
    this.#encoder ??= new StreamEncoder(codec, rate, this.#coders, this.#agreement?.opus)
    this.#encoder.tune(this.#lossPercent)
    return this.#encoder
  }

  #freeEncoder(): void {
    this.#encoder?.free()
    this.#encoder = undefined
  }
}
