import { Application, createDecoder, createEncoder, type OpusDecoderHandle, type OpusEncoderHandle } from 'libopus-wasm'
import { Effort } from '../codec/effort.ts'
import {
  bitrateShareOf,
  type OpusCoders,
  type OpusDecoder,
  type OpusEncoder,
  type OpusEncoderSettings,
  type OpusRate,
} from '../codec/opus.ts'

const longestPacket = { maxPacketBytes: 1275 }
/** Runs of a coder after which its machine code is there. */
const warmFrames = 20

export interface LibOpusCounters {
  /** Coders that were given out and not freed. */
  encoders: number
  decoders: number
  /** Could not be made. */
  failed: number
}

/** libopus as WebAssembly. Its memory is its own: what is not freed there is lost, so coders are counted. */
export class LibOpus implements OpusCoders {
  readonly counters: LibOpusCounters = { encoders: 0, decoders: 0, failed: 0 }
  /** Of all its encoders of calls. */
  readonly effort = new Effort()
  /** What files are made of, or made, lasts: nobody waits for it, and it is heard again when the thread has time. */
  readonly #fullEffort = new Effort()

  /** Loads it and lets it run for a moment, so that the first call does not wait for that. */
  async warm(): Promise<void> {
    try {
      const encoder = await createEncoder({ sampleRate: 8000, channels: 1, application: Application.Voip })
      const decoder = await createDecoder({ sampleRate: 8000, channels: 1 })
      const pcm = Int16Array.from({ length: 160 }, (_, i) => (i * 7919) % 4000)
      for (let n = 0; n < warmFrames; n++) decoder.decode(encoder.encode(pcm, longestPacket))
      encoder.free()
      decoder.free()
    } catch {
      this.counters.failed++
    }
  }

  encoder(settings: OpusEncoderSettings, done: (encoder: OpusEncoder | undefined) => void): void {
    const { sampleRate, bitrate, fec, dtx, anySound } = settings
    const effort = anySound === true ? this.#fullEffort : this.effort
    const { complexity } = effort
    createEncoder({
      sampleRate,
      channels: 1,
      application: anySound === true ? Application.Audio : Application.Voip,
      bitrate,
      complexity,
      fec,
      dtx,
    }).then(
      handle => {
        this.counters.encoders++
        done(new Encoder(handle, bitrate, complexity, effort, () => this.counters.encoders--))
      },
      () => {
        this.counters.failed++
        done(undefined)
      },
    )
  }

  decoder(sampleRate: OpusRate, done: (decoder: OpusDecoder | undefined) => void): void {
    createDecoder({ sampleRate, channels: 1 }).then(
      handle => {
        this.counters.decoders++
        done(new Decoder(handle, () => this.counters.decoders--))
      },
      () => {
        this.counters.failed++
        done(undefined)
      },
    )
  }
}

class Encoder implements OpusEncoder {
  readonly #handle: OpusEncoderHandle
  readonly #bitrate: number
  readonly #effort: Effort
  readonly #freed: () => void
  #complexity: number
  #isFree = false
  #lossPercent = 0

  constructor(handle: OpusEncoderHandle, bitrate: number, complexity: number, effort: Effort, freed: () => void) {
    this.#handle = handle
    this.#bitrate = bitrate
    this.#complexity = complexity
    this.#effort = effort
    this.#freed = freed
  }

  encodeInto(into: Uint8Array, at: number, pcm: Int16Array, from: number, count: number): number {
    if (this.#isFree || count !== this.#handle.frameSize) return 0
    try {
      if (this.#complexity !== this.#effort.complexity) {
        this.#complexity = this.#effort.complexity
        this.#handle.setComplexity(this.#complexity)
      }
      const packet = this.#handle.encode(pcm.subarray(from, from + count), longestPacket)
      into.set(packet, at)
      return packet.length
    } catch {
      return 0
    }
  }

  tune(lossPercent: number): void {
    const wanted = Math.max(0, Math.min(100, Math.round(lossPercent)))
    if (this.#isFree || wanted === this.#lossPercent) return
    this.#lossPercent = wanted
    this.#handle.setPacketLossPercent(wanted)
    this.#handle.setBitrate(Math.round(this.#bitrate * bitrateShareOf(wanted)))
  }

  free(): void {
    if (this.#isFree) return
    this.#isFree = true
    this.#handle.free()
    this.#freed()
  }
}

class Decoder implements OpusDecoder {
  readonly #handle: OpusDecoderHandle
  readonly #freed: () => void
  #isFree = false

  constructor(handle: OpusDecoderHandle, freed: () => void) {
    this.#handle = handle
    this.#freed = freed
  }

  decodeInto(pcm: Int16Array, at: number, payload: Uint8Array, from: number, length: number): number {
    if (this.#isFree || length === 0) return 0
    try {
      return put(pcm, at, this.#handle.decode(payload.subarray(from, from + length)))
    } catch {
      return 0
    }
  }

  recoverInto(pcm: Int16Array, at: number, count: number, payload: Uint8Array, from: number, length: number): number {
    if (this.#isFree || length === 0) return 0
    try {
      const packet = payload.subarray(from, from + length)
      return put(pcm, at, this.#handle.decode(packet, { decodeFec: true, frameSize: count }))
    } catch {
      return 0
    }
  }

  concealInto(pcm: Int16Array, at: number, count: number): number {
    if (this.#isFree) return 0
    try {
      return put(pcm, at, this.#handle.decodePacketLoss(count))
    } catch {
      return 0
    }
  }

  free(): void {
    if (this.#isFree) return
    this.#isFree = true
    this.#handle.free()
    this.#freed()
  }
}

/** As many samples as there is room for. */
const put = (pcm: Int16Array, at: number, samples: Int16Array): number => {
  const count = Math.min(samples.length, pcm.length - at)
  for (let i = 0; i < count; i++) pcm[at + i] = samples[i]!
  return count
}
