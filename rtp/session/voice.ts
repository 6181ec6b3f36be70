import { codecFacts } from '../codec/codec-name.ts'
import { ComfortNoise, noiseLevelOf } from '../codec/comfort-noise.ts'
import type { OpusCoders } from '../codec/opus.ts'
import { StreamEncoder } from '../codec/stream-encoder.ts'
import type { Agreement } from '../engine/command.ts'
import type { Ear } from './ear.ts'

/** The longest frame of ours, and the highest rate. */
const mostSamples = 60 * 16

/**
 * What a sender has to encode by itself: the other leg where it speaks another codec, or the noise of its rest. The
 * encoder is made at the first need, and lives until the codec changes.
 */
export class Voice {
  readonly #coders: OpusCoders
  readonly #noise = new ComfortNoise()
  #agreement: Agreement | undefined
  #ear: Ear | undefined
  #isNoisy = false
  #encoder: StreamEncoder | undefined
  #pcm: Int16Array | undefined
  #lossPercent = 0

  constructor(coders: OpusCoders) {
    this.#coders = coders
  }

  /** The other leg is read. */
  get isHeard(): boolean {
    return this.#ear !== undefined
  }
  /** There is something to be encoded. */
  get sounds(): boolean {
    return this.#ear !== undefined || this.#isNoisy
  }

  agree(agreement: Agreement): void {
    const before = this.#agreement
    this.#agreement = agreement
    // What the far end wishes of Opus may be new too.
    if (before?.codec !== agreement.codec || agreement.codec === 'opus') this.#freeEncoder()
  }

  /** Whom to read; undefined = nobody. */
  listen(ear: Ear | undefined): void {
    this.#ear = ear
    this.#isNoisy = false
  }

  /** The other leg rests, as a payload of comfort noise tells; until it is listened to again. */
  rest(payload: Uint8Array, from: number, length: number): void {
    this.#noise.level = noiseLevelOf(payload, from, length)
    this.#isNoisy = true
  }

  tune(lossPercent: number): void {
    this.#lossPercent = lossPercent
    this.#encoder?.tune(lossPercent)
  }

  /** A frame of `ptimeMs` at `into[at]`. Returns its bytes; 0 = nothing to send. */
  frameInto(into: Uint8Array, at: number, ptimeMs: number, now: number): number {
    const codec = this.#agreement?.codec
    if (codec === undefined) return 0
    const rate = this.#ear?.sampleRate ?? codecFacts[codec].sampleRate
    if (this.#encoder?.sampleRate !== rate) this.#freeEncoder()
    this.#encoder ??= new StreamEncoder(codec, rate, this.#coders, this.#agreement?.opus)
    this.#encoder.tune(this.#lossPercent)
    this.#pcm ??= new Int16Array(mostSamples)
    const count = (ptimeMs * rate) / 1000
    if (this.#ear === undefined) this.#noise.fillInto(this.#pcm, 0, count)
    else this.#ear.readInto(this.#pcm, 0, count, now)
    return this.#encoder.encodeInto(into, at, this.#pcm, 0, count)
  }

  free(): void {
    this.#ear = undefined
    this.#isNoisy = false
    this.#freeEncoder()
  }

  #freeEncoder(): void {
    this.#encoder?.free()
    this.#encoder = undefined
  }
}
