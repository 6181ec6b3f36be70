import { firstPacketIn, withoutDelimiter } from '../../../rtp/index.ts'
import type { LibOpus, OpusDecoder } from '../../../rtp/io/index.ts'

type OpusRate = Parameters<LibOpus['decoder']>[0]

const longestMs = 120

/** The packets of an Ogg Opus of any number of streams, mixed to one channel. */
export class OggDecoder {
  /** By stream; undefined for one that is not decoded. */
  readonly #decoders: readonly (OpusDecoder | undefined)[]
  readonly #shares: readonly number[]
  readonly #one: Int16Array
  readonly #sum: Float64Array
  /** 2.5 ms, in which Opus counts. */
  readonly #step: number

  private constructor(decoders: readonly (OpusDecoder | undefined)[], shares: readonly number[], rate: OpusRate) {
    this.#decoders = decoders
    this.#shares = shares
    this.#one = new Int16Array((longestMs * rate) / 1000)
    this.#sum = new Float64Array(this.#one.length)
    this.#step = rate / 400
  }

  /** `shares`: of each stream, as an `OpusHead` says. Rejects when there is no memory. */
  static async open(opus: LibOpus, shares: readonly number[], rate: OpusRate): Promise<OggDecoder> {
    const decoders: (OpusDecoder | undefined)[] = []
    for (const share of shares) {
      const decoder =
        share === 0 ? undefined : await new Promise<OpusDecoder | undefined>(done => opus.decoder(rate, done))
      if (share > 0 && decoder === undefined) throw new Error('no decoder')
      decoders.push(decoder)
    }
    return new OggDecoder(decoders, shares, rate)
  }

  /** Returns its samples; 0 for rubbish. */
  decodeInto(pcm: Int16Array, payload: Uint8Array, from: number, end: number): number {
    this.#sum.fill(0)
    let samples = 0
    let at = from
    for (const [stream, decoder] of this.#decoders.entries()) {
      let packet = payload.subarray(at, end)
      if (stream < this.#decoders.length - 1) {
        const first = firstPacketIn(payload, at, end)
        if (first === undefined) return 0
        packet = withoutDelimiter(payload, at, first)
        at = first.next
      }
      if (decoder === undefined) continue
      const count = decoder.decodeInto(this.#one, 0, packet, 0, packet.length)
      if (count === 0 || (samples > 0 && count !== samples)) return 0
      samples = count
      this.#add(stream, count)
    }
    this.#mixInto(pcm, samples)
    return samples
  }

  /** Conceals `count` lost samples, 120 ms at most. */
  concealInto(pcm: Int16Array, count: number): void {
    this.#sum.fill(0)
    for (const [stream, decoder] of this.#decoders.entries()) {
      if (decoder === undefined) continue
      this.#one.fill(0)
      decoder.concealInto(this.#one, 0, count - (count % this.#step))
      this.#add(stream, count)
    }
    this.#mixInto(pcm, count)
  }

  #add(stream: number, count: number): void {
    const share = this.#shares[stream]!
    for (let i = 0; i < count; i++) this.#sum[i]! += share * this.#one[i]!
  }

  #mixInto(pcm: Int16Array, count: number): void {
    for (let i = 0; i < count; i++) pcm[i] = Math.max(-32_768, Math.min(32_767, Math.round(this.#sum[i]!)))
  }
}
