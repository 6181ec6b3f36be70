import { codecFacts } from '../../rtp/codec/codec-name.ts'
import { StreamDecoder } from '../../rtp/codec/stream-decoder.ts'
import { StreamEncoder } from '../../rtp/codec/stream-encoder.ts'
import { levelAt } from '../../rtp/tone/goertzel.ts'
import type { Agreement } from '../../rtp/worker/index.ts'
import { agreed } from '../rtp/bed/agreement.ts'
import { sine } from '../rtp/bed/audio-measure.ts'
import type { VirtualMedia } from '../rtp/bed/virtual-media.ts'
import { VirtualPeer } from '../rtp/bed/virtual-peer.ts'
import type { WarmOpus } from '../rtp/bed/warm-opus.ts'

/** A remote of any codec. */
export class Talker {
  readonly name: string
  readonly peer: VirtualPeer
  readonly hz: number | undefined
  readonly #format: Agreement
  readonly #rate: 8000 | 16_000
  readonly #encoder: StreamEncoder
  readonly #opus: WarmOpus
  readonly #tone: Int16Array
  #at = 0

  constructor(
    media: VirtualMedia,
    name: string,
    port: number,
    hz: number | undefined,
    changes: Partial<Agreement>,
    opus: WarmOpus,
  ) {
    this.name = name
    this.hz = hz
    this.peer = new VirtualPeer(media, name, port).open()
    this.#format = agreed(port, changes)
    this.#rate = codecFacts[this.#format.codec].sampleRate
    this.#opus = opus
    this.#encoder = new StreamEncoder(this.#format.codec, this.#rate, opus, undefined)
    this.#tone = hz === undefined ? new Int16Array(this.#rate) : sine(hz, this.#rate, this.#rate, 4000)
    media.do({ type: 'agree', session: name, agreement: this.#format, talk: true })
  }

  speak(): void {
    const payload = new Uint8Array(1276)
    const count = this.#rate / 50
    const length = this.#encoder.encodeInto(payload, 0, this.#tone, this.#at, count)
    this.#at = (this.#at + count) % this.#rate
    const { payloadType, codec } = this.#format
    const { timestamp } = this.peer
    this.peer.say(payload.slice(0, length), { payloadType })
    this.peer.timestamp = (timestamp + codecFacts[codec].clockRate / 50) >>> 0
  }

  /** What it has received in the last second and a half. */
  hear(): (hz: number) => number {
    const decoder = new StreamDecoder(this.#rate, this.#opus)
    const pcm = new Int16Array(4 * this.#rate)
    let count = 0
    for (const { payload, payloadType } of this.peer.received().slice(-75)) {
      if (payloadType !== this.#format.payloadType) continue
      count += decoder.frameInto(pcm, count, this.#format.codec, payload, 0, payload.length, false)
    }
    decoder.free()
    return hz => levelAt(pcm, count - this.#rate / 2, this.#rate / 2, hz, this.#rate)
  }

  free(): void {
    this.#encoder.free()
  }
}
