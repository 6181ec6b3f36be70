import type { AudioDecoder, AudioEncoder } from './codec.ts'
import { clip16, G722Band } from './g722-band.ts'
import { MirrorFilter, piecePairs } from './g722-mirror.ts'
import { highQuantiser, lowQuantiser } from './g722-quantiser.ts'

/** A piece of each band, and its codes: of use to one coder after the other. */
const lowSamples = new Int32Array(piecePairs)
const highSamples = new Int32Array(piecePairs)
const lowCodes = new Uint8Array(piecePairs)
const highCodes = new Uint8Array(piecePairs)

/** G.722 at 64 kbit/s (mode 1): two samples of 16,000 Hz in, one byte out. */
export class G722Encoder implements AudioEncoder {
  readonly #filter = new MirrorFilter()
  readonly #low = new G722Band(lowQuantiser)
  readonly #high = new G722Band(highQuantiser)

  /** Encodes `count` samples, an even number, from `pcm[from]` on into `into[at]` on. Returns the bytes written. */
  encodeInto(into: Uint8Array, at: number, pcm: Int16Array, from: number, count: number): number {
    const bytes = count >> 1
    for (let done = 0; done < bytes; done += piecePairs) {
      this.#piece(into, at + done, pcm, from + 2 * done, Math.min(piecePairs, bytes - done))
    }
    return bytes
  }

  #piece(into: Uint8Array, at: number, pcm: Int16Array, from: number, pairs: number): void {
    const { line, past, even, odd } = this.#filter
    for (let i = 0; i < 2 * pairs; i++) line[past + i] = pcm[from + i]!
    this.#filter.run(pairs)
    for (let i = 0; i < pairs; i++) {
      // 12 bits of the taps, one for the sum of two, one because a band has 15 bits.
      lowSamples[i] = (odd[i]! + even[i]!) >> 14
      highSamples[i] = (odd[i]! - even[i]!) >> 14
    }
    this.#low.encode(lowCodes, lowSamples, pairs)
    this.#high.encode(highCodes, highSamples, pairs)
    for (let i = 0; i < pairs; i++) into[at + i] = (highCodes[i]! << 6) | lowCodes[i]!
  }
}

/** The other way: every byte is good for two samples, whatever it is. */
export class G722Decoder implements AudioDecoder {
  readonly #filter = new MirrorFilter()
  readonly #low = new G722Band(lowQuantiser)
  readonly #high = new G722Band(highQuantiser)

  /** Decodes `length` bytes from `payload[from]` on into `pcm[at]` on. Returns the samples written. */
  decodeInto(pcm: Int16Array, at: number, payload: Uint8Array, from: number, length: number): number {
    for (let done = 0; done < length; done += piecePairs) {
      this.#piece(pcm, at + 2 * done, payload, from + done, Math.min(piecePairs, length - done))
    }
    return 2 * length
  }

  #piece(pcm: Int16Array, at: number, payload: Uint8Array, from: number, pairs: number): void {
    const { line, past, even, odd } = this.#filter
    for (let i = 0; i < pairs; i++) {
      lowCodes[i] = payload[from + i]! & 0x3f
      highCodes[i] = payload[from + i]! >> 6
    }
    this.#low.decode(lowSamples, lowCodes, pairs)
    this.#high.decode(highSamples, highCodes, pairs)
    for (let i = 0; i < pairs; i++) {
      line[past + 2 * i] = lowSamples[i]! + highSamples[i]!
      line[past + 2 * i + 1] = lowSamples[i]! - highSamples[i]!
    }
    this.#filter.run(pairs)
    for (let i = 0; i < pairs; i++) {
      pcm[at + 2 * i] = clip16(odd[i]! >> 11)
      pcm[at + 2 * i + 1] = clip16(even[i]! >> 11)
    }
  }
}
