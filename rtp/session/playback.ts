import type { AudioCodecName } from '../codec/codec-name.ts'
import { opusFrameMs } from '../codec/opus.ts'
import { silenceInto } from '../codec/silence.ts'

/**
 * A prompt ready to be sent: eight bytes a millisecond, or for Opus packets of 20 ms. Shared by all who play it; never
 * altered.
 */
export interface Prompt {
  readonly codec: AudioCodecName
  readonly bytes: Uint8Array
  /** Where each packet of Opus ends in `bytes`. */
  readonly ends?: Uint32Array
}

const bytesPerMs = 8
const noEnds = new Uint32Array(0)

/** Where a play stands in its prompt. Frames run over the end into the next round without a gap. */
export class Playback {
  readonly playId: string
  #prompt: Prompt
  /** Rounds left, with the present one; Infinity = until stopped. */
  #rounds: number
  #atMs = 0

  /** `loop` 0 = until stopped. Silence fills the last frame. */
  constructor(playId: string, prompt: Prompt, loop: number) {
    this.playId = playId
    this.#prompt = prompt
    this.#rounds = lengthMsOf(prompt) === 0 ? 0 : loop === 0 ? Infinity : loop
  }

  get codec(): AudioCodecName {
    return this.#prompt.codec
  }
  get ended(): boolean {
    return this.#rounds <= 0
  }

  /** The same prompt in another codec: the play goes on where it is. */
  goOnWith(prompt: Prompt): void {
    this.#prompt = prompt
    const lengthMs = lengthMsOf(prompt)
    if (prompt.codec === 'opus') this.#atMs -= this.#atMs % opusFrameMs
    if (lengthMs === 0) this.#rounds = 0
    else if (this.#atMs >= lengthMs) this.#turn()
  }

  /** The next frame of `ptimeMs` at `into[at]`. Returns its bytes. Opus' frames last 20 ms. */
  frameInto(into: Uint8Array, at: number, ptimeMs: number): number {
    return this.#prompt.codec === 'opus' ? this.#packetInto(into, at) : this.#bytesInto(into, at, ptimeMs)
  }

  /** Time passes and nothing of it can be heard. */
  skip(ptimeMs: number): void {
    this.#atMs += ptimeMs
    if (this.#atMs >= lengthMsOf(this.#prompt)) this.#turn()
  }

  #turn(): void {
    this.#rounds--
    this.#atMs = 0
  }

  #packetInto(into: Uint8Array, at: number): number {
    const { bytes, ends = noEnds } = this.#prompt
    const packet = this.#atMs / opusFrameMs
    const from = packet === 0 ? 0 : ends[packet - 1]!
    const length = ends[packet]! - from
    for (let i = 0; i < length; i++) into[at + i] = bytes[from + i]!
    this.skip(opusFrameMs)
    return length
  }

  #bytesInto(into: Uint8Array, at: number, ptimeMs: number): number {
    const { bytes, codec } = this.#prompt
    const length = ptimeMs * bytesPerMs
    silenceInto(into, at, codec, ptimeMs)
    let from = Math.round(this.#atMs * bytesPerMs)
    for (let i = 0; i < length; i++) {
      if (from >= bytes.length) {
        this.#rounds--
        from = 0
      }
      if (this.#rounds <= 0) break
      into[at + i] = bytes[from++]!
    }
    // A prompt that ends with its frame has ended now, not one frame of silence later.
    if (this.#rounds === 1 && from === bytes.length) this.#rounds = 0
    this.#atMs = from / bytesPerMs
    return length
  }
}

const lengthMsOf = ({ bytes, ends, codec }: Prompt): number =>
  codec === 'opus' ? (ends ?? noEnds).length * opusFrameMs : bytes.length / bytesPerMs
