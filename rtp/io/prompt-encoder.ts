import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { AudioEncoder } from '../codec/codec.ts'
import { type AudioCodecName, codecFacts } from '../codec/codec-name.ts'
import { pcma, pcmu } from '../codec/g711.ts'
import { type OpusCoders, type OpusEncoder, type OpusRate, opusFrameMs, opusSilence } from '../codec/opus.ts'
import type { Prompt } from '../session/playback.ts'
import { isLoop, LoopEncoder, loopedSamples } from './loop-encoder.ts'

/** Opus takes all that a file has: the lowest of its rates that holds the file's. */
const opusRates = [8000, 16_000, 24_000, 48_000] as const
const opusBitrate = 40_000
/** What Opus' encoder looks ahead: so much of the end comes later than what was put in (RFC 6716 §5). */
const opusLookaheadMs = 6.5
/** So long Opus is encoded before the thread's ticks have their turn. */
const turnMs = 1
/** After so many turns the thread rests: it may go before all others of the machine, and a long file takes seconds. */
const turnsInARow = 4
const pauseMs = 1
const longestPacket = 1275
/** Some ten seconds. */
const firstBytes = 64 * 1024

/** Turns samples of `sampleRate`, in pieces, into a prompt. Never rejects. */
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

/**
 * For `samples` of `fromRate`, to be played `loop` times (0 = until stopped); the encoder tells the rate that it wants.
 * Undefined when there is no memory for Opus.
 */
export async function promptEncoder(
  codec: AudioCodecName,
  fromRate: number,
  samples: number,
  opus: OpusCoders,
  loop = 1,
): Promise<PromptEncoder | undefined> {
  const sampleRate = promptRateOf(codec, fromRate)
  const most = Math.ceil((samples * sampleRate) / fromRate)
  switch (codec) {
    case 'PCMU':
      return new BytePromptEncoder(codec, pcmu, sampleRate, most)
    case 'PCMA':
      return new BytePromptEncoder(codec, pcma, sampleRate, most)
    case 'G722':
      return new SamplePromptEncoder(codec, sampleRate, most)
    case 'opus': {
      const settings = { sampleRate, bitrate: opusBitrate, fec: false, dtx: false, anySound: true } as const
      const encoder = await new Promise<OpusEncoder | undefined>(resolve => opus.encoder(settings, resolve))
      if (encoder === undefined) return undefined
      if (!isLoop(loop, most / sampleRate)) return new OpusPromptEncoder(encoder, sampleRate, most)
      return new LoopEncoder(new OpusPromptEncoder(encoder, sampleRate, loopedSamples(most, sampleRate)), most, loop)
    }
  }
}

/** The rate of samples that a codec's prompts are made from. */
const promptRateOf = (codec: AudioCodecName, fromRate: number): OpusRate =>
  codec === 'opus' ? (opusRates.find(rate => rate >= fromRate) ?? 48_000) : codecFacts[codec].sampleRate

class BytePromptEncoder implements PromptEncoder {
  readonly sampleRate: number
  readonly #codec: AudioCodecName
  readonly #coder: AudioEncoder
  readonly #bytes: Uint8Array
  #written = 0
  #begun: Prompt | undefined

  constructor(codec: AudioCodecName, coder: AudioEncoder, sampleRate: number, samples: number) {
    this.#codec = codec
    this.#coder = coder
    this.sampleRate = sampleRate
    this.#bytes = new Uint8Array(samples)
  }

  async push(pcm: Int16Array, count: number): Promise<void> {
    const fits = Math.min(count, this.#bytes.length - this.#written)
    this.#written += this.#coder.encodeInto(this.#bytes, this.#written, pcm, 0, fits)
  }

  begun(): Prompt {
    const made = () => this.#written
    this.#begun ??= {
      codec: this.#codec,
      bytes: this.#bytes,
      get made() {
        return made()
      },
    }
    return this.#begun
  }

  async finish(): Promise<Prompt> {
    return this.#begun ?? { codec: this.#codec, bytes: this.#bytes.slice(0, this.#written) }
  }

  free(): void {}
}

/** For a codec that each leg encodes itself. */
class SamplePromptEncoder implements PromptEncoder {
  readonly sampleRate: number
  readonly #codec: AudioCodecName
  readonly #samples: Int16Array
  #count = 0
  #begun: Prompt | undefined

  constructor(codec: AudioCodecName, sampleRate: number, samples: number) {
    this.#codec = codec
    this.sampleRate = sampleRate
    this.#samples = new Int16Array(samples)
  }

  async push(pcm: Int16Array, count: number): Promise<void> {
    const fits = Math.min(count, this.#samples.length - this.#count)
    for (let i = 0; i < fits; i++) this.#samples[this.#count + i] = pcm[i]!
    this.#count += fits
  }

  begun(): Prompt {
    const made = () => this.#count * 2
    this.#begun ??= {
      codec: this.#codec,
      bytes: new Uint8Array(this.#samples.buffer),
      get made() {
        return made()
      },
    }
    return this.#begun
  }

  async finish(): Promise<Prompt> {
    return this.#begun ?? { codec: this.#codec, bytes: new Uint8Array(this.#samples.buffer, 0, this.#count * 2) }
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
  #frames = 0
  /** Grows as packets come; so does what players of a prompt that has begun see. */
  #bytes = new Uint8Array(firstBytes)
  #length = 0
  readonly #ends: Uint32Array
  #begun: Prompt | undefined
  #wasSilent = false
  #turnBegan = 0
  #turns = 0

  constructor(encoder: OpusEncoder, sampleRate: number, samples: number) {
    this.#encoder = encoder
    this.sampleRate = sampleRate
    this.#frame = new Int16Array((opusFrameMs * sampleRate) / 1000)
    this.#lookahead = Math.ceil((opusLookaheadMs * sampleRate) / 1000)
    this.#most = Math.ceil((samples + this.#lookahead) / this.#frame.length)
    this.#ends = new Uint32Array(this.#most)
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
      await (++this.#turns % turnsInARow === 0 ? pause(pauseMs) : nextTurn())
      this.#turnBegan = performance.now()
    }
  }

  async finish(): Promise<Prompt> {
    if (this.#filled > 0 || this.#frames > 0) await this.push(new Int16Array(this.#lookahead), this.#lookahead)
    if (this.#filled > 0) {
      this.#frame.fill(0, this.#filled)
      this.#encode()
    }
    this.#bytes = this.#bytes.slice(0, this.#length)
    return this.#begun ?? this.packets()
  }

  begun(): Prompt {
    const made = () => this.#frames
    const bytes = () => this.#bytes
    this.#begun ??= {
      codec: 'opus',
      get bytes() {
        return bytes()
      },
      ends: this.#ends,
      get made() {
        return made()
      },
    }
    return this.#begun
  }

  /** The whole frames of all that came. */
  packets(): Prompt {
    return { codec: 'opus', bytes: this.#bytes.slice(0, this.#length), ends: this.#ends.slice(0, this.#frames) }
  }

  free(): void {
    this.#encoder.free()
  }

  #encode(): void {
    this.#filled = 0
    if (this.#frames >= this.#most) return
    if (this.#length + longestPacket > this.#bytes.length) {
      const bytes = new Uint8Array(2 * this.#bytes.length)
      bytes.set(this.#bytes)
      this.#bytes = bytes
    }
    // Pauses need no work, once the encoder has let the sound before them fade out.
    const isSilent = this.#frame.every(sample => sample === 0)
    if (isSilent && this.#wasSilent) {
      this.#bytes.set(opusSilence, this.#length)
      this.#length += opusSilence.length
    } else {
      this.#length += this.#encoder.encodeInto(this.#bytes, this.#length, this.#frame, 0, this.#frame.length)
    }
    this.#wasSilent = isSilent
    this.#ends[this.#frames++] = this.#length
  }
}
