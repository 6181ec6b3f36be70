import { type AudioCodecName, codecFacts } from '../codec/codec-name.ts'
import type { OpusCoders } from '../codec/opus.ts'
import { StreamDecoder } from '../codec/stream-decoder.ts'
import type { TrackCodecs, TrackDecoder } from './track-decoder.ts'

/** Conversations are recorded at that rate. */
const sampleRate = 8000

/** All codecs; `codecOf` undefined for payload types that are not audio, or are agreed on no more. */
export const streamTracks = (
  codecOf: (payloadType: number) => AudioCodecName | undefined,
  coders: OpusCoders,
): TrackCodecs => ({
  codecOf: payloadType => {
    const codec = codecOf(payloadType)
    return codec === undefined ? undefined : codecFacts[codec]
  },
  decoder: () => new StreamTrack(codecOf, coders),
})

class StreamTrack implements TrackDecoder {
  readonly #codecOf: (payloadType: number) => AudioCodecName | undefined
  readonly #decoder: StreamDecoder

  constructor(codecOf: (payloadType: number) => AudioCodecName | undefined, coders: OpusCoders) {
    this.#codecOf = codecOf
    this.#decoder = new StreamDecoder(sampleRate, coders, true)
  }

  prepare(payloadType: number): void {
    const codec = this.#codecOf(payloadType)
    if (codec !== undefined) this.#decoder.prepare(codec)
  }

  frameInto(
    pcm: Int16Array,
    at: number,
    payloadType: number,
    payload: Uint8Array,
    from: number,
    length: number,
  ): number {
    const codec = this.#codecOf(payloadType)
    if (codec === undefined || length > codecFacts[codec].longestPayload) return 0
    return this.#decoder.frameInto(pcm, at, codec, payload, from, length, false)
  }

  concealInto(pcm: Int16Array, at: number, count: number): void {
    this.#decoder.concealInto(pcm, at, count)
  }

  silenceInto(pcm: Int16Array, at: number, count: number): void {
    this.#decoder.silenceInto(pcm, at, count)
  }

  free(): void {
    this.#decoder.free()
  }
}
