import type { AudioCodec } from '../codec/codec.ts'
import { Concealment } from '../jitter/concealment.ts'
import type { TrackCodec, TrackCodecs, TrackDecoder } from './track-decoder.ts'

/** 60 ms. */
const longestPayload = 480

const g711: TrackCodec = { clockRate: 8000, longestPayload, unitsIn: (_payload, _from, length) => length }

/** Codecs of a byte a sample; `codecOf` undefined for payload types that are not audio, or are agreed on no more. */
export const g711Tracks = (codecOf: (payloadType: number) => AudioCodec | undefined): TrackCodecs => ({
  codecOf: payloadType => (codecOf(payloadType) === undefined ? undefined : g711),
  decoder: () => new G711TrackDecoder(codecOf),
})

class G711TrackDecoder implements TrackDecoder {
  readonly #codecOf: (payloadType: number) => AudioCodec | undefined
  readonly #concealment = new Concealment()

  constructor(codecOf: (payloadType: number) => AudioCodec | undefined) {
    this.#codecOf = codecOf
  }

  frameInto(
    pcm: Int16Array,
    at: number,
    payloadType: number,
    payload: Uint8Array,
    from: number,
    length: number,
  ): number {
    const count = this.#codecOf(payloadType)?.decodeInto(pcm, at, payload, from, Math.min(length, longestPayload)) ?? 0
    this.#concealment.hear(pcm, at, count)
    return count
  }

  concealInto(pcm: Int16Array, at: number, count: number): void {
    this.#concealment.concealInto(pcm, at, count)
  }

  silenceInto(pcm: Int16Array, at: number, count: number): void {
    this.#concealment.silenceInto(pcm, at, count)
  }

  free(): void {}
}
