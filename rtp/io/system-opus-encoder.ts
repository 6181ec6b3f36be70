import type { Effort } from '../codec/effort.ts'
import { bitrateShareOf, type OpusEncoder, type OpusEncoderSettings, opusFrameMs } from '../codec/opus.ts'
import type { FixedMemory } from './libc.ts'
import { longestOpusPacket, opusControls } from './opus-controls.ts'
import type { SystemOpus } from './system-opus.ts'

/** What all encoders of a thread share: one frame on its way in, one packet on its way out. */
interface SystemOpusScratch {
  readonly pcm: FixedMemory
  readonly samples: Int16Array
  readonly packet: FixedMemory
  readonly octets: Uint8Array
}

const longestFrame = 960

export function systemOpusScratch(opus: SystemOpus): SystemOpusScratch {
  const pcm = opus.allocate(2 * longestFrame)
  const packet = opus.allocate(longestOpusPacket)
  return { pcm, samples: new Int16Array(pcm.buffer), packet, octets: new Uint8Array(packet.buffer) }
}

/** An encoder of one channel by the system's libopus. Throws when it cannot be made. */
export class SystemOpusEncoder implements OpusEncoder {
  readonly #opus: SystemOpus
  readonly #scratch: SystemOpusScratch
  readonly #effort: Effort
  readonly #freed: () => void
  readonly #bitrate: number
  readonly #frameSize: number
  /** Undefined: freed. */
  #state: FixedMemory | undefined
  #complexity: number
  #lossPercent = 0

  constructor(
    opus: SystemOpus,
    scratch: SystemOpusScratch,
    settings: OpusEncoderSettings,
    effort: Effort,
    freed: () => void,
  ) {
    const { sampleRate, bitrate, fec, dtx, anySound } = settings
    this.#opus = opus
    this.#scratch = scratch
    this.#effort = effort
    this.#freed = freed
    this.#bitrate = bitrate
    this.#frameSize = (opusFrameMs * sampleRate) / 1000
    this.#complexity = effort.complexity
    this.#state = opus.allocate(opus.encoderSize)
    const application = anySound === true ? opusControls.audio : opusControls.voip
    if (opus.init(this.#state.address, sampleRate, application) < 0) throw new Error('no encoder of Opus')
    this.#set(opusControls.setBitrate, bitrate)
    this.#set(opusControls.setComplexity, this.#complexity)
    this.#set(opusControls.setDtx, dtx ? 1 : 0)
    this.#set(opusControls.setInbandFec, fec ? 1 : 0)
  }

  encodeInto(into: Uint8Array, at: number, pcm: Int16Array, from: number, count: number): number {
    if (this.#state === undefined || count !== this.#frameSize) return 0
    const { complexity } = this.#effort
    if (this.#complexity !== complexity) {
      this.#complexity = complexity
      this.#set(opusControls.setComplexity, complexity)
    }
    const scratch = this.#scratch
    const { samples, octets } = scratch
    for (let i = 0; i < count; i++) samples[i] = pcm[from + i]!
    const { address } = this.#state
    const length = this.#opus.encode(address, scratch.pcm.address, count, scratch.packet.address, longestOpusPacket)
    if (length <= 0 || at + length > into.length) return 0
    for (let i = 0; i < length; i++) into[at + i] = octets[i]!
    return length
  }

  tune(lossPercent: number): void {
    const wanted = Math.max(0, Math.min(100, Math.round(lossPercent)))
    if (this.#state === undefined || wanted === this.#lossPercent) return
    this.#lossPercent = wanted
    this.#set(opusControls.setPacketLossPercent, wanted)
    this.#set(opusControls.setBitrate, Math.round(this.#bitrate * bitrateShareOf(wanted)))
  }

  free(): void {
    if (this.#state === undefined) return
    this.#state = undefined
    this.#freed()
  }

  #set(request: number, value: number): void {
    if (this.#state !== undefined) this.#opus.control(this.#state.address, request, value)
  }
}
