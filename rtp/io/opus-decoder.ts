import type { OpusDecoder, OpusRate } from '../codec/opus.ts'
import type { OpusModule } from './opus-module.ts'
import type { OpusScratch } from './opus-scratch.ts'

/** The most that a packet may hold (RFC 6716 §3.2.5), and that may be concealed at once. */
const longestMs = 120

/** A decoder of one channel in libopus' memory. Throws when it cannot be made. */
export class LibOpusDecoder implements OpusDecoder {
  readonly #module: OpusModule
  readonly #scratch: OpusScratch
  readonly #freed: () => void
  readonly #longest: number
  /** 0 = freed. */
  #pointer: number

  constructor(module: OpusModule, scratch: OpusScratch, sampleRate: OpusRate, freed: () => void) {
    this.#module = module
    this.#scratch = scratch
    this.#freed = freed
    this.#longest = (longestMs * sampleRate) / 1000
    this.#pointer = module._oc_create_decoder(sampleRate, 1, scratch.packetFor(4))
    if (this.#pointer === 0) throw new Error('no decoder of Opus')
  }

  decodeInto(pcm: Int16Array, at: number, payload: Uint8Array, from: number, length: number): number {
    return length > 0 ? this.#decodeInto(pcm, at, this.#longest, payload, from, length, 0) : 0
  }

  recoverInto(pcm: Int16Array, at: number, count: number, payload: Uint8Array, from: number, length: number): number {
    return length > 0 ? this.#decodeInto(pcm, at, count, payload, from, length, 1) : 0
  }

  concealInto(pcm: Int16Array, at: number, count: number): number {
    return this.#decodeInto(pcm, at, count, undefined, 0, 0, 0)
  }

  free(): void {
    if (this.#pointer === 0) return
    this.#module._oc_destroy_decoder(this.#pointer)
    this.#pointer = 0
    this.#freed()
  }

  /** As many of `count` samples as there is room for. Without a payload what is lost is concealed. */
  #decodeInto(
    pcm: Int16Array,
    at: number,
    count: number,
    payload: Uint8Array | undefined,
    from: number,
    length: number,
    fec: number,
  ): number {
    if (this.#pointer === 0 || count > this.#longest) return 0
    let packetAt = 0
    if (payload !== undefined) {
      packetAt = this.#scratch.packetFor(length)
      const bytes = this.#module.HEAPU8
      for (let i = 0; i < length; i++) bytes[packetAt + i] = payload[from + i]!
    }
    const samplesAt = this.#scratch.pcmFor(count)
    const decoded = this.#decode(packetAt, length, samplesAt, count, fec)
    const samples = this.#module.HEAP16
    const kept = Math.min(decoded, pcm.length - at)
    for (let i = 0, of = samplesAt >> 1; i < kept; i++) pcm[at + i] = samples[of + i]!
    return Math.max(0, kept)
  }

  #decode(packetAt: number, length: number, samplesAt: number, count: number, fec: number): number {
    try {
      return this.#module._oc_decode(this.#pointer, packetAt, length, samplesAt, count, fec)
    } catch {
      // A trap of WebAssembly: the frame is lost, not the call.
      return 0
    }
  }
}
