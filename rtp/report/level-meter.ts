import { expandALaw, expandMuLaw } from '../codec/g711-tables.ts'

const fullScale = 32_768 * 32_768
/** RFC 6464 §3: what is quieter counts as silence. */
const silence = -127

const squares = (expand: (code: number) => number): Float32Array =>
  Float32Array.from({ length: 256 }, (_, code) => expand(code) ** 2)
const muLaw = squares(expandMuLaw)
const aLaw = squares(expandALaw)

/** The level of received audio in dBov, where it can be had without decoding: G.711, and what is decoded anyway. */
export class LevelMeter {
  #sum = 0
  #samples = 0

  /** Payload of G.711. */
  packet(bytes: Uint8Array, from: number, length: number, isMuLaw: boolean): void {
    const table = isMuLaw ? muLaw : aLaw
    const end = from + length
    let at = from
    // Four sums: an addition to one of them need not wait for that before it.
    let one = 0
    let two = 0
    let three = 0
    let four = 0
    for (; at + 3 < end; at += 4) {
      one += table[bytes[at]!]!
      two += table[bytes[at + 1]!]!
      three += table[bytes[at + 2]!]!
      four += table[bytes[at + 3]!]!
    }
    for (; at < end; at++) one += table[bytes[at]!]!
    this.#sum += one + two + three + four
    this.#samples += length
  }

  /** Decoded samples of another codec. */
  pcm(samples: Int16Array, from: number, count: number): void {
    let sum = 0
    for (let at = from; at < from + count; at++) sum += samples[at]! * samples[at]!
    this.#sum += sum
    this.#samples += count
  }

  /** Since the last time; NaN: nothing was measured. */
  take(): number {
    const mean = this.#sum / this.#samples
    this.#sum = 0
    this.#samples = 0
    return Number.isNaN(mean) ? mean : Math.min(0, Math.max(silence, Math.round(10 * Math.log10(mean / fullScale))))
  }
}
