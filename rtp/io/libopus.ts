import { Effort } from '../codec/effort.ts'
import type { OpusCoders, OpusDecoder, OpusEncoder, OpusEncoderSettings, OpusRate } from '../codec/opus.ts'
import { LibOpusDecoder } from './opus-decoder.ts'
import { LibOpusEncoder } from './opus-encoder.ts'
import { loadOpusModule, type OpusModule } from './opus-module.ts'
import { OpusScratch } from './opus-scratch.ts'
import type { SystemOpus } from './system-opus.ts'
import { SystemOpusEncoder, systemOpusScratch } from './system-opus-encoder.ts'

/** Runs of a coder after which its machine code is there. */
const warmFrames = 20
const warmSettings = { sampleRate: 8000, bitrate: 24_000, fec: false, dtx: false } as const

interface Loaded {
  readonly module: OpusModule
  readonly scratch: OpusScratch
}

interface LibOpusCounters {
  /** Coders that were given out and not freed. */
  encoders: number
  decoders: number
  /** Could not be made. */
  failed: number
}

/**
 * libopus as WebAssembly; its encoders by the system's own library, where that is given. Memory of WebAssembly is its own: what is
 * not freed there is lost, so coders are counted.
 */
export class LibOpus implements OpusCoders {
  readonly counters: LibOpusCounters = { encoders: 0, decoders: 0, failed: 0 }
  /** Effort over all its encoders of calls. */
  readonly effort = new Effort()
  /** For files: they are kept, and no call waits for them, so they are coded as well as possible. */
  readonly #fullEffort = new Effort()

  readonly #makeEncoder: (
    { module, scratch }: Loaded,
    settings: OpusEncoderSettings,
    effort: Effort,
    freed: () => void,
  ) => OpusEncoder
  #loaded: Loaded | undefined

  /** Default: all in WebAssembly. */
  constructor(system?: SystemOpus) {
    const shared = system === undefined ? undefined : { system, scratch: systemOpusScratch(system) }
    this.#makeEncoder =
      shared === undefined
        ? ({ module, scratch }, ...how) => new LibOpusEncoder(module, scratch, ...how)
        : (_, ...how) => new SystemOpusEncoder(shared.system, shared.scratch, ...how)
  }

  /** Loads it and lets it run for a moment, so that the first call does not wait for that. */
  async warm(): Promise<void> {
    try {
      const loaded = await this.#load()
      const { module, scratch } = loaded
      const encoder = this.#makeEncoder(loaded, warmSettings, this.effort, () => {})
      const decoder = new LibOpusDecoder(module, scratch, warmSettings.sampleRate, () => {})
      const pcm = Int16Array.from({ length: 160 }, (_, i) => (i * 7919) % 4000)
      const packet = new Uint8Array(1275)
      for (let n = 0; n < warmFrames; n++) {
        const length = encoder.encodeInto(packet, 0, pcm, 0, pcm.length)
        decoder.decodeInto(pcm, 0, packet, 0, length)
      }
      encoder.free()
      decoder.free()
    } catch {
      this.counters.failed++
    }
  }

  encoder(settings: OpusEncoderSettings, done: (encoder: OpusEncoder | undefined) => void): void {
    const effort = settings.anySound === true ? this.#fullEffort : this.effort
    const { counters } = this
    this.#make(loaded => {
      const encoder = this.#makeEncoder(loaded, settings, effort, () => counters.encoders--)
      counters.encoders++
      return encoder
    }, done)
  }

  decoder(sampleRate: OpusRate, done: (decoder: OpusDecoder | undefined) => void): void {
    const { counters } = this
    this.#make(({ module, scratch }) => {
      const decoder = new LibOpusDecoder(module, scratch, sampleRate, () => counters.decoders--)
      counters.decoders++
      return decoder
    }, done)
  }

  #make<Coder>(make: (loaded: Loaded) => Coder, done: (coder: Coder | undefined) => void): void {
    const give = (loaded: Loaded): void => {
      let coder: Coder | undefined
      try {
        coder = make(loaded)
      } catch {
        this.counters.failed++
      }
      done(coder)
    }
    // At once, where possible: the caller may have a packet in hand.
    if (this.#loaded !== undefined) give(this.#loaded)
    else
      this.#load().then(give, () => {
        this.counters.failed++
        done(undefined)
      })
  }

  async #load(): Promise<Loaded> {
    const module = await loadOpusModule()
    this.#loaded ??= { module, scratch: new OpusScratch(module) }
    return this.#loaded
  }
}
