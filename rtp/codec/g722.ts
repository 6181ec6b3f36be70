import type { AudioDecoder, AudioEncoder } from './codec.ts'
import { clip16, G722Band } from './g722-band.ts'
import {
  highMoves,
  highValues,
  lowCodesNegative,
  lowCodesPositive,
  lowLevels,
  lowMoves,
  lowValues4,
  lowValues6,
  mirrorTaps,
} from './g722-tables.ts'

/** Taps of the mirror filters, and room for samples behind them before the oldest are moved out. */
const taps = 24
const lineLength = 512

const lowBand = (): G722Band => new G722Band(32, 18_432, 8)
const highBand = (): G722Band => new G722Band(8, 22_528, 10)

/** The line of samples that a mirror filter slides along; the same filter parts the bands and joins them. */
class MirrorFilter {
  readonly #line = new Int32Array(lineLength)
  #end = taps - 2
  /** The sums over even and over odd places after `push`. */
  even = 0
  odd = 0

  push(first: number, second: number): void {
    const line = this.#line
    if (this.#end + 2 > lineLength) {
      line.copyWithin(0, this.#end - (taps - 2), this.#end)
      this.#end = taps - 2
    }
    line[this.#end++] = first
    line[this.#end++] = second
    let even = 0
    let odd = 0
    for (let i = 0, at = this.#end - taps; i < taps / 2; i++, at += 2) {
      even += line[at]! * mirrorTaps[i]!
      odd += line[at + 1]! * mirrorTaps[taps / 2 - 1 - i]!
    }
    this.even = even
    this.odd = odd
  }
}

/** G.722 at 64 kbit/s (mode 1): two samples of 16,000 Hz in, one byte out. */
export class G722Encoder implements AudioEncoder {
  readonly #filter = new MirrorFilter()
  readonly #low = lowBand()
  readonly #high = highBand()

  /** Encodes `count` samples, an even number, from `pcm[from]` on into `into[at]` on. Returns the bytes written. */
  encodeInto(into: Uint8Array, at: number, pcm: Int16Array, from: number, count: number): number {
    const bytes = count >> 1
    for (let i = 0; i < bytes; i++) {
      this.#filter.push(pcm[from + 2 * i]!, pcm[from + 2 * i + 1]!)
      // 12 bits of the taps, one for the sum of two, one because a band has 15 bits.
      const low = (this.#filter.odd + this.#filter.even) >> 14
      const high = (this.#filter.odd - this.#filter.even) >> 14
      into[at + i] = (this.#codeHigh(high) << 6) | this.#codeLow(low)
    }
    return bytes
  }

  #codeLow(sample: number): number {
    const band = this.#low
    const difference = clip16(sample - band.expected)
    const size = difference < 0 ? ~difference : difference
    let interval = 1
    while (interval < lowLevels.length && size >= (lowLevels[interval]! * band.step) >> 12) interval++
    const code = difference < 0 ? lowCodesNegative[interval]! : lowCodesPositive[interval]!
    band.adapt(band.scaled(lowValues4[code >> 2]!), lowMoves[code >> 2]!)
    return code
  }

  #codeHigh(sample: number): number {
    const band = this.#high
    const difference = clip16(sample - band.expected)
    const size = difference < 0 ? ~difference : difference
    const isLarge = size >= (564 * band.step) >> 12
    const code = (difference < 0 ? 0 : 2) + (isLarge ? 0 : 1)
    band.adapt(band.scaled(highValues[code]!), highMoves[code]!)
    return code
  }
}

/** The other way: every byte is good for two samples, whatever it is. */
export class G722Decoder implements AudioDecoder {
  readonly #filter = new MirrorFilter()
  readonly #low = lowBand()
  readonly #high = highBand()

  /** Decodes `length` bytes from `payload[from]` on into `pcm[at]` on. Returns the samples written. */
  decodeInto(pcm: Int16Array, at: number, payload: Uint8Array, from: number, length: number): number {
    const low = this.#low
    const high = this.#high
    for (let i = 0; i < length; i++) {
      const code = payload[from + i]!
      const lowCode = code & 0x3f
      const highCode = code >> 6
      const lowSample = low.rebuild(lowValues6[lowCode]!)
      low.adapt(low.scaled(lowValues4[lowCode >> 2]!), lowMoves[lowCode >> 2]!)
      const highSample = high.rebuild(highValues[highCode]!)
      high.adapt(high.scaled(highValues[highCode]!), highMoves[highCode]!)
      this.#filter.push(lowSample + highSample, lowSample - highSample)
      pcm[at + 2 * i] = clip16(this.#filter.odd >> 11)
      pcm[at + 2 * i + 1] = clip16(this.#filter.even >> 11)
    }
    return 2 * length
  }
}
