import type { OpusModule } from './opus-module.ts'

/** The longest packet of RTP, and 120 ms of 48,000 Hz: more is made room for when it comes. */
const usualPacketBytes = 1500
const usualSamples = 5760

/** Places in libopus' memory through which all coders of a thread take and give, one after the other. */
export class OpusScratch {
  readonly #module: OpusModule
  #packet = 0
  #packetBytes = 0
  #pcm = 0
  #samples = 0

  constructor(module: OpusModule) {
    this.#module = module
    this.packetFor(usualPacketBytes)
    this.pcmFor(usualSamples)
  }

  /** Room for so many bytes. Throws when there is no memory. */
  packetFor(bytes: number): number {
    if (bytes > this.#packetBytes) {
      this.#packet = this.#grown(this.#packet, bytes)
      this.#packetBytes = bytes
    }
    return this.#packet
  }

  /** Room for so many samples. Throws when there is no memory. */
  pcmFor(samples: number): number {
    if (samples > this.#samples) {
      this.#pcm = this.#grown(this.#pcm, 2 * samples)
      this.#samples = samples
    }
    return this.#pcm
  }

  #grown(before: number, bytes: number): number {
    const pointer = this.#module._malloc(bytes)
    if (pointer === 0) throw new Error('no memory for Opus')
    if (before !== 0) this.#module._free(before)
    return pointer
  }
}
