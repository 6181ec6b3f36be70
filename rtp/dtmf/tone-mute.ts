import type { AudioDecoder } from '../codec/codec.ts'
import { type AudioCodecName, codecFacts } from '../codec/codec-name.ts'
import { pcma, pcmu } from '../codec/g711.ts'
import { G722Decoder } from '../codec/g722.ts'
import { silenceInto } from '../codec/silence.ts'
import { InbandDetector } from './inband-detector.ts'

/** Samples of the longest payload, 60 ms at 16,000 Hz. */
const mostSamples = 960

/**
 * Silences digits' tones in packets that are passed on as they came, to a far end that gets the same digits as
 * telephone-events: it must not hear them twice. Of a tone no more than its first 20 ms or so get through, which no
 * receiver takes (ITU-T Q.24: under 23 ms). Opus is passed on unheard: who speaks it sends events.
 */
export class ToneMute {
  readonly #pcm = new Int16Array(mostSamples)
  #detector: InbandDetector | undefined
  #g722: G722Decoder | undefined
  #codec: AudioCodecName | undefined

  /** Writes silence over the `length` bytes of payload from `packet[from]` on, if they hold part of a digit. */
  muteIn(packet: Uint8Array, from: number, length: number, codec: AudioCodecName): void {
    if (codec === 'opus' || length > codecFacts[codec].longestPayload) return
    if (codec !== this.#codec) {
      this.#codec = codec
      this.#detector = new InbandDetector(codecFacts[codec].sampleRate)
      this.#g722 = undefined
    }
    const count = this.#decoderOf(codec).decodeInto(this.#pcm, 0, packet, from, length)
    this.#detector?.hear(this.#pcm, 0, count)
    if (this.#detector?.hearsTone === true) silenceInto(packet, from, codec, length / 8)
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
