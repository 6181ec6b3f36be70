import type { AudioDecoder } from '../codec/codec.ts'
import { type AudioCodecName, codecFacts } from '../codec/codec-name.ts'
import { pcma, pcmu } from '../codec/g711.ts'
import { G722Decoder } from '../codec/g722.ts'
import { type OpusCoders, type OpusDecoder, opusSilenceInto, opusUnitsIn } from '../codec/opus.ts'
import { silenceInto } from '../codec/silence.ts'
import { InbandDetector } from './inband-detector.ts'

/** Time that a decoder of Opus or G.722, and with it the detector, needs from the first packet to detect a tone. */
const coldMs = 60
/** Samples of the longest payload: of G.722, 120 ms at 16,000 Hz. */
const mostSamples = 1920
const opusRate = 8000

/**
 * Silences digits' tones in packets that are passed on as they came, to a remote that gets the same digits as
 * telephone-events: it must not receive them twice. Of a tone no more than its first 20 ms or so get through, which no
 * receiver takes (ITU-T Q.24: under 23 ms).
 */
export class ToneMute {
  readonly #coders: OpusCoders
  readonly #pcm = new Int16Array(mostSamples)
  #detector: InbandDetector | undefined
  #g722: G722Decoder | undefined
  #opus: OpusDecoder | undefined
  #hasAsked = false
  #isFree = false
  #codec: AudioCodecName | undefined
  #coldUntil = Number.NEGATIVE_INFINITY

  constructor(coders: OpusCoders) {
    this.#coders = coders
  }

  /** A digit begins, and what is passed on from now on does not follow what was: it is silent until a tone can be reported. */
  begin(now: number): void {
    this.#codec = undefined
    this.#coldUntil = now + coldMs
  }

  /**
   * Writes silence over the `length` bytes of payload from `packet[from]` on, if they hold part of a digit. Returns the
   * bytes of payload that there are then: silence of Opus has fewer.
   */
  muteIn(packet: Uint8Array, from: number, length: number, codec: AudioCodecName, now: number): number {
    if (length > codecFacts[codec].longestPayload) return length
    if (codec !== this.#codec) {
      this.#codec = codec
      this.#detector = new InbandDetector(codec === 'opus' ? opusRate : codecFacts[codec].sampleRate)
      this.#g722 = undefined
    }
    const count = this.#decodeFrom(packet, from, length, codec)
    this.#detector?.analyze(this.#pcm, 0, count)
    if (this.#detector?.hasTone !== true && now >= this.#coldUntil) return length
    if (codec !== 'opus') return silenceInto(packet, from, codec, length / 8)
    const units = opusUnitsIn(packet, from, length)
    return units === 0 ? length : opusSilenceInto(packet, from, units)
  }

  free(): void {
    this.#isFree = true
    this.#opus?.free()
    this.#opus = undefined
  }

  #decodeFrom(packet: Uint8Array, from: number, length: number, codec: AudioCodecName): number {
    if (codec !== 'opus') return this.#decoderOf(codec).decodeInto(this.#pcm, 0, packet, from, length)
    if (!this.#hasAsked) this.#askForOpus()
    return this.#opus?.decodeInto(this.#pcm, 0, packet, from, length) ?? 0
  }

  #askForOpus(): void {
    this.#hasAsked = true
    this.#coders.decoder(opusRate, decoder => {
      if (this.#isFree) decoder?.free()
      else this.#opus = decoder
    })
  }

  #decoderOf(codec: Exclude<AudioCodecName, 'opus'>): AudioDecoder {
    switch (codec) {
      case 'PCMU':
        return pcmu
      case 'PCMA':
        return pcma
      case 'G722':
        this.#g722 ??= new G722Decoder()
        return this.#g722
    }
  }
}
