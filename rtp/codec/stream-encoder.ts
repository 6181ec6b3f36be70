import { assertNever } from '../base/assert-never.ts'
import type { AudioEncoder } from './codec.ts'
import type { AudioCodecName, StreamRate } from './codec-name.ts'
import { pcma, pcmu } from './g711.ts'
import { G722Encoder } from './g722.ts'
import type { OpusCoders, OpusEncoder } from './opus.ts'

/** What a remote said about the Opus that it takes (RFC 7587 §6.1). */
export interface OpusWishes {
  readonly fec: boolean
  readonly dtx: boolean
  /** Bits a second at most; undefined = no limit. */
  readonly maxBitrate: number | undefined
}

/** Enough for speech of that band to sound like what went in. */
const narrowBitrate = 24_000
const wideBitrate = 32_000
const fullBitrate = 40_000
const leastBitrate = 6000
const usualBitrates = { 8000: narrowBitrate, 16000: wideBitrate, 48000: fullBitrate } as const

/**
 * A leg's coder: frames of samples to payloads of its codec. `sampleRate` is 8,000 for G.711, 16,000 for G.722 and
 * any for Opus. Opus takes a moment to be made: until then frames are empty.
 */
export class StreamEncoder {
  readonly sampleRate: StreamRate
  #coder: AudioEncoder | undefined
  #opus: OpusEncoder | undefined
  #isFree = false
  #isAsked = false
  #lossPercent = 0

  constructor(codec: AudioCodecName, sampleRate: StreamRate, coders: OpusCoders, wishes: OpusWishes | undefined) {
    this.sampleRate = sampleRate
    switch (codec) {
      case 'PCMU':
        this.#coder = pcmu
        break
      case 'PCMA':
        this.#coder = pcma
        break
      case 'G722':
        this.#coder = new G722Encoder()
        break
      case 'opus':
        this.#askForOpus(coders, wishes)
        break
      default:
        assertNever(codec)
    }
  }

  /** False for the moment that Opus takes to be made. One that cannot be made is ready too, and gives nothing. */
  get isReady(): boolean {
    return !this.#isAsked
  }

  /** Encodes `count` samples into `into[at]` on. Returns the bytes written; 0 = nothing to send for this frame. */
  encodeInto(into: Uint8Array, at: number, pcm: Int16Array, from: number, count: number): number {
    return this.#coder?.encodeInto(into, at, pcm, from, count) ?? 0
  }

  /** What the remote said it loses, 0 to 100. */
  tune(lossPercent: number): void {
    this.#lossPercent = lossPercent
    this.#opus?.tune(lossPercent)
  }

  free(): void {
    this.#isFree = true
    this.#coder = undefined
    this.#opus?.free()
    this.#opus = undefined
  }

  #askForOpus(coders: OpusCoders, wishes: OpusWishes | undefined): void {
    const usual = usualBitrates[this.sampleRate]
    const bitrate = Math.max(leastBitrate, Math.min(usual, wishes?.maxBitrate ?? usual))
    const { fec = false, dtx = false } = wishes ?? {}
    this.#isAsked = true
    coders.encoder({ sampleRate: this.sampleRate, bitrate, fec, dtx }, encoder => {
      this.#isAsked = false
      if (this.#isFree) {
        encoder?.free()
        return
      }
      this.#opus = encoder
      this.#coder = encoder
      encoder?.tune(this.#lossPercent)
    })
  }
}
