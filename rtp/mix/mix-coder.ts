import { codecFacts } from '../codec/codec-name.ts'
import { isOpusDtx, type OpusCoders } from '../codec/opus.ts'
import { StreamEncoder } from '../codec/stream-encoder.ts'
import { mixRateOf } from './mix-rate.ts'
import type { SeatFormat } from './seat.ts'

/** A mix in one codec: encoded once, for one member or for all who receive the same. */
export class MixCoder {
  readonly payload: Uint8Array
  /** Length of `payload`; 0 = send nothing. */
  length = 0
  readonly #isOpus: boolean
  readonly #encoder: StreamEncoder

  constructor(format: SeatFormat, coders: OpusCoders) {
    const { codec } = format
    this.payload = new Uint8Array(codecFacts[codec].longestPayload)
    this.#isOpus = codec === 'opus'
    this.#encoder = new StreamEncoder(codec, mixRateOf(codec), coders, format.opus)
  }

  /** Encodes `count` samples from `pcm[from]` on. */
  encode(pcm: Int16Array, from: number, count: number): void {
    const length = this.#encoder.encodeInto(this.payload, 0, pcm, from, count)
    // What the encoder would not send, or cannot yet.
    this.length = this.#isOpus && isOpusDtx(length) ? 0 : length
  }

  tune(lossPercent: number): void {
    this.#encoder.tune(lossPercent)
  }

  free(): void {
    this.#encoder.free()
  }
}

/** Two members with the same key can be sent the same bytes. */
export const coderKeyOf = ({ codec, opus }: SeatFormat): string =>
  opus === undefined ? codec : `${codec} ${opus.fec} ${opus.dtx} ${opus.maxBitrate}`
