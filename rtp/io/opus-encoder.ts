import type { Effort } from '../codec/effort.ts'
import { bitrateShareOf, type OpusEncoder, type OpusEncoderSettings, opusFrameMs } from '../codec/opus.ts'
import { longestOpusPacket, opusControls } from './opus-controls.ts'
import type { OpusModule } from './opus-module.ts'
import type { OpusScratch } from './opus-scratch.ts'

/** An encoder of one channel in libopus' memory. Throws when it cannot be made. */
export class LibOpusEncoder implements OpusEncoder {
  readonly #module: OpusModule
  readonly #scratch: OpusScratch
  readonly #effort: Effort
  readonly #freed: () => void
  readonly #bitrate: number
  readonly #frameSize: number
  /** 0 = freed. */
  #pointer: number
  #complexity: number
  #lossPercent = 0

  constructor(
    module: OpusModule,
    scratch: OpusScratch,
    settings: OpusEncoderSettings,
    effort: Effort,
    freed: () => void,
  ) {
    const { sampleRate, bitrate, fec, dtx, anySound } = settings
    this.#module = module
    this.#scratch = scratch
    this.#effort = effort
    this.#freed = freed
    this.#bitrate = bitrate
    this.#frameSize = (opusFrameMs * sampleRate) / 1000
    this.#complexity = effort.complexity
    const error = scratch.packetFor(4)
    this.#pointer = module._oc_create_encoder(
      sampleRate,
      1,
      anySound === true ? opusControls.audio : opusControls.voip,
      error,
    )
    if (this.#pointer === 0) throw new Error('no encoder of Opus')
    this.#set(opusControls.setBitrate, bitrate)
    this.#set(opusControls.setComplexity, this.#complexity)
    this.#set(opusControls.setDtx, dtx ? 1 : 0)
    this.#set(opusControls.setInbandFec, fec ? 1 : 0)
  }

  encodeInto(into: Uint8Array, at: number, pcm: Int16Array, from: number, count: number): number {
    if (this.#pointer === 0 || count !== this.#frameSize) return 0
    const { complexity } = this.#effort
    if (this.#complexity !== complexity) {
      this.#complexity = complexity
      this.#set(opusControls.setComplexity, complexity)
    }
    const samplesAt = this.#scratch.pcmFor(count)
    const packetAt = this.#scratch.packetFor(longestOpusPacket)
    const samples = this.#module.HEAP16
    for (let i = 0, to = samplesAt >> 1; i < count; i++) samples[to + i] = pcm[from + i]!
    const length = this.#encode(samplesAt, count, packetAt)
    if (length <= 0 || at + length > into.length) return 0
    const bytes = this.#module.HEAPU8
    for (let i = 0; i < length; i++) into[at + i] = bytes[packetAt + i]!
    return length
  }

  tune(lossPercent: number): void {
    const wanted = Math.max(0, Math.min(100, Math.round(lossPercent)))
    if (this.#pointer === 0 || wanted === this.#lossPercent) return
    this.#lossPercent = wanted
    this.#set(opusControls.setPacketLossPercent, wanted)
    this.#set(opusControls.setBitrate, Math.round(this.#bitrate * bitrateShareOf(wanted)))
  }

  free(): void {
    if (this.#pointer === 0) return
    this.#module._oc_destroy_encoder(this.#pointer)
    this.#pointer = 0
    this.#freed()
  }

  #encode(samplesAt: number, count: number, packetAt: number): number {
    try {
      return this.#module._oc_encode(this.#pointer, samplesAt, count, packetAt, longestOpusPacket)
    } catch {
      // A trap of WebAssembly: the frame is lost, not the call.
      return 0
    }
  }

  #set(request: number, value: number): void {
    this.#module._oc_encoder_ctl(this.#pointer, request, value)
  }
}
