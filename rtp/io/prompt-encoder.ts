import type { AudioEncoder } from '../codec/codec.ts'
import type { AudioCodecName } from '../codec/codec-name.ts'
import { type OpusEncoder, opusFrameMs, opusSilence } from '../codec/opus.ts'
import type { Prompt } from '../contract/prompts.ts'

/** Lookahead of the Opus encoder: the end comes later than its input by this (RFC 6716 §5). */
const opusLookaheadMs = 6.5
/** Time that Opus is encoded before the thread's ticks have their turn. */
const turnMs = 1
/** Frames of the first second: until they are made no play begins. */
const framesToBegin = 1000 / opusFrameMs
const longestPacket = 1275
/** Some ten seconds. */
const firstBytes = 64 * 1024
const firstFrames = 512

/** Comes when it is its turn to work again; rejects when the prompt is wanted no more. */
export type NextTurn = (isBeginning: boolean) => Promise<void>

/** Turns samples of `sampleRate`, in pieces, into a prompt. Rejects as its turns do, and for no other reason. */
export interface PromptEncoder {
  readonly sampleRate: number
  push(pcm: Int16Array, count: number): Promise<void>
  /** The prompt while it is made, and from then on: it grows. Undefined when it can be played only whole. */
  begun(): Prompt | undefined
  /** The prompt of all that came. */
  finish(): Promise<Prompt>
  /** Releases what it holds, finished or not. */
  free(): void
}

/** A prompt that is being made: its players see it grow. */
type Making = { -readonly [Field in keyof Prompt]: Prompt[Field] }

/** After what is made there is room for `more`. */
function withRoom<Values extends Uint8Array | Uint32Array>(values: Values, made: number, more: number): Values
function withRoom(values: Uint8Array | Uint32Array, made: number, more: number): typeof values {
  if (made + more <= values.length) return values
  const wider = new (values.constructor as Uint8ArrayConstructor)(Math.max(2 * values.length, made + more))
  wider.set(values.subarray(0, made))
  return wider
}

/** The samples themselves, for a codec that each leg encodes: what plays it reads them as an `Int16Array`. */
export const plainSamples: AudioEncoder = {
  encodeInto(into, at, pcm, from, count) {
    into.set(new Uint8Array(pcm.buffer, pcm.byteOffset + 2 * from, 2 * count), at)
    return 2 * count
  },
}

/** For a codec, or plain samples, of which each sample takes the same bytes. */
export class SamplePromptEncoder implements PromptEncoder {
  readonly sampleRate: number
  readonly #coder: AudioEncoder
  readonly #sampleBytes: number
  readonly #prompt: Making & { made: number }
  #hasBegun = false

  constructor(codec: AudioCodecName, coder: AudioEncoder, sampleRate: number, samples: number) {
    this.#coder = coder
    this.#sampleBytes = coder === plainSamples ? 2 : 1
    this.sampleRate = sampleRate
    const isWhole = samples !== Infinity
    const bytes = new Uint8Array(isWhole ? samples * this.#sampleBytes : firstBytes)
    this.#prompt = { codec, bytes, made: 0, isWhole, players: { count: 0 } }
  }

  async push(pcm: Int16Array, count: number): Promise<void> {
    const prompt = this.#prompt
    if (prompt.isWhole === false) prompt.bytes = withRoom(prompt.bytes, prompt.made, count * this.#sampleBytes)
    const fits = Math.min(count, (prompt.bytes.length - prompt.made) / this.#sampleBytes)
    prompt.made += this.#coder.encodeInto(prompt.bytes, prompt.made, pcm, 0, fits)
  }

  begun(): Prompt {
    this.#hasBegun = true
    return this.#prompt
  }

  async finish(): Promise<Prompt> {
    const prompt = this.#prompt
    const { codec, made } = prompt
    if (!this.#hasBegun) return { codec, bytes: prompt.bytes.slice(0, made), players: { count: 0 } }
    if (prompt.isWhole === false) prompt.bytes = prompt.bytes.slice(0, made)
    prompt.isWhole = true
    return prompt
  }

  free(): void {}
}

export class OpusPromptEncoder implements PromptEncoder {
  readonly sampleRate: number
  readonly #encoder: OpusEncoder
  readonly #most: number
  readonly #frame: Int16Array
  readonly #lookahead: number
  #filled = 0
  #length = 0
  readonly #prompt: Making & { made: number; ends: Uint32Array }
  #hasBegun = false
  #wasSilent = false
  readonly #nextTurn: NextTurn
  #turnBegan = 0

  constructor(encoder: OpusEncoder, sampleRate: number, samples: number, nextTurn: NextTurn) {
    this.#encoder = encoder
    this.#nextTurn = nextTurn
    this.sampleRate = sampleRate
    this.#frame = new Int16Array((opusFrameMs * sampleRate) / 1000)
    this.#lookahead = Math.ceil((opusLookaheadMs * sampleRate) / 1000)
    this.#most = Math.ceil((samples + this.#lookahead) / this.#frame.length)
    const isWhole = samples !== Infinity
    const ends = new Uint32Array(isWhole ? this.#most : firstFrames)
    const players = { count: 0 }
    this.#prompt = { codec: 'opus', bytes: new Uint8Array(firstBytes), ends, made: 0, isWhole, players }
  }

  async push(pcm: Int16Array, count: number): Promise<void> {
    const whole = this.#frame.length
    for (let from = 0; from < count; ) {
      const piece = Math.min(count - from, whole - this.#filled)
      for (let i = 0; i < piece; i++) this.#frame[this.#filled + i] = pcm[from + i]!
      this.#filled += piece
      from += piece
      if (this.#filled < whole) return
      this.#encode()
      if (performance.now() - this.#turnBegan < turnMs) continue
      await this.#nextTurn(this.#prompt.made < framesToBegin)
      this.#turnBegan = performance.now()
    }
  }

  async finish(): Promise<Prompt> {
    const prompt = this.#prompt
    if (this.#filled > 0 || prompt.made > 0) await this.push(new Int16Array(this.#lookahead), this.#lookahead)
    if (this.#filled > 0) {
      this.#frame.fill(0, this.#filled)
      this.#encode()
    }
    prompt.bytes = prompt.bytes.slice(0, this.#length)
    if (!this.#hasBegun) return this.packets()
    if (prompt.isWhole === false) prompt.ends = prompt.ends.slice(0, prompt.made)
    prompt.isWhole = true
    return prompt
  }

  begun(): Prompt {
    this.#hasBegun = true
    return this.#prompt
  }

  /** The whole frames of all that came. */
  packets(): Prompt {
    const { bytes, ends, made } = this.#prompt
    return { codec: 'opus', bytes: bytes.slice(0, this.#length), ends: ends.slice(0, made), players: { count: 0 } }
  }

  free(): void {
    this.#encoder.free()
  }

  #encode(): void {
    this.#filled = 0
    const prompt = this.#prompt
    if (prompt.made >= this.#most) return
    if (prompt.isWhole === false) prompt.ends = withRoom(prompt.ends, prompt.made, 1)
    prompt.bytes = withRoom(prompt.bytes, this.#length, longestPacket)
    // Pauses need no work, once the encoder has let the sound before them fade out.
    const isSilent = this.#frame.every(sample => sample === 0)
    if (isSilent && this.#wasSilent) {
      prompt.bytes.set(opusSilence, this.#length)
      this.#length += opusSilence.length
    } else {
      this.#length += this.#encoder.encodeInto(prompt.bytes, this.#length, this.#frame, 0, this.#frame.length)
    }
    this.#wasSilent = isSilent
    prompt.ends[prompt.made++] = this.#length
  }
}
