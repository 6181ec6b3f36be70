import type { OpusCoders, OpusDecoder, OpusEncoder, OpusEncoderSettings, OpusRate } from '../../../rtp/codec/opus.ts'
import { LibOpus } from '../../../rtp/io/index.ts'

const telephoneRates: readonly OpusRate[] = [8000, 16_000]

/** Coders made beforehand, so that virtual time finds them at once. */
export class WarmOpus implements OpusCoders {
  readonly lib = new LibOpus()
  readonly #encoders = new Map<string, OpusEncoder[]>()
  readonly #decoders = new Map<number, OpusDecoder[]>()

  /** `each`: of every kind that a test may need. */
  static async open(
    each = 4,
    settings: Partial<OpusEncoderSettings> = {},
    rates: readonly OpusRate[] = telephoneRates,
  ): Promise<WarmOpus> {
    const warm = new WarmOpus()
    for (const sampleRate of rates) {
      for (let n = 0; n < each; n++) {
        const wanted = { sampleRate, bitrate: 28_000, fec: true, dtx: false, ...settings }
        const encoder = await new Promise<OpusEncoder | undefined>(resolve => warm.lib.encoder(wanted, resolve))
        const decoder = await new Promise<OpusDecoder | undefined>(resolve => warm.lib.decoder(sampleRate, resolve))
        if (encoder === undefined || decoder === undefined) throw new Error('no Opus')
        push(warm.#encoders, String(sampleRate), encoder)
        push(warm.#decoders, sampleRate, decoder)
      }
    }
    return warm
  }

  encoder({ sampleRate }: OpusEncoderSettings, done: (encoder: OpusEncoder | undefined) => void): void {
    const encoder = this.#encoders.get(String(sampleRate))?.pop()
    if (encoder === undefined) throw new Error('more encoders are wanted than were made')
    done(encoder)
  }

  decoder(sampleRate: OpusRate, done: (decoder: OpusDecoder | undefined) => void): void {
    const decoder = this.#decoders.get(sampleRate)?.pop()
    if (decoder === undefined) throw new Error('more decoders are wanted than were made')
    done(decoder)
  }

  /** Frees what was not taken. */
  close(): void {
    for (const encoders of this.#encoders.values()) for (const encoder of encoders) encoder.free()
    for (const decoders of this.#decoders.values()) for (const decoder of decoders) decoder.free()
  }
}

const push = <Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void => {
  const values = map.get(key)
  if (values === undefined) map.set(key, [value])
  else values.push(value)
}
