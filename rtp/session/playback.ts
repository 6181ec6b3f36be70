import { silenceOfPcma, silenceOfPcmu } from '../codec/g711.ts'
import type { EngineCodec } from '../engine/command.ts'

/** A prompt ready to be sent: a byte a sample, 8,000 a second. Shared by all who play it; never altered. */
export interface Prompt {
  readonly codec: EngineCodec
  readonly bytes: Uint8Array
}

/** Where a play stands in its prompt. Frames run over the end into the next round without a gap. */
export class Playback {
  readonly playId: string
  readonly codec: EngineCodec
  readonly #bytes: Uint8Array
  readonly #silence: number
  /** Rounds left, with the present one; Infinity = until stopped. */
  #rounds: number
  #at = 0

  /** `loop` 0 = until stopped. Silence fills the last frame. */
  constructor(playId: string, prompt: Prompt, loop: number) {
    this.playId = playId
    this.codec = prompt.codec
    this.#bytes = prompt.bytes
    this.#silence = prompt.codec === 'PCMU' ? silenceOfPcmu : silenceOfPcma
    this.#rounds = prompt.bytes.length === 0 ? 0 : loop === 0 ? Infinity : loop
  }

  get ended(): boolean {
    return this.#rounds <= 0
  }

  /** The next `length` bytes at `into[at]`. */
  readInto(into: Uint8Array, at: number, length: number): void {
    const bytes = this.#bytes
    let from = this.#at
    for (let i = 0; i < length; i++) {
      if (from === bytes.length) {
        this.#rounds--
        from = 0
      }
      into[at + i] = this.#rounds > 0 ? bytes[from++]! : this.#silence
    }
    // A prompt that ends with its frame has ended now, not one frame of silence later.
    if (this.#rounds === 1 && from === bytes.length) this.#rounds = 0
    this.#at = from
  }
}
