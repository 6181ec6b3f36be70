import { type AudioCodecName, codecFacts } from '../../../rtp/codec/codec-name.ts'
import { StreamDecoder } from '../../../rtp/codec/stream-decoder.ts'
import { StreamEncoder } from '../../../rtp/codec/stream-encoder.ts'
import type { Agreement } from '../../../rtp/contract/agreement.ts'
import { agreed } from './agreement.ts'
import { VirtualMedia } from './virtual-media.ts'
import { bridged, VirtualPeer } from './virtual-peer.ts'
import { WarmOpus } from './warm-opus.ts'

export const payloadTypes: Readonly<Record<AudioCodecName, number>> = { PCMU: 0, PCMA: 8, G722: 9, opus: 111 }
/** What a remote of one codec agrees on. */
export const talks = (codec: AudioCodecName): Partial<Agreement> => ({
  codec,
  payloadType: payloadTypes[codec],
  accept: [{ payloadType: payloadTypes[codec], codec }],
  ...(codec === 'opus' ? { opus: { fec: true, dtx: false, maxBitrate: undefined } } : {}),
})

/** The longest packet that it may receive. */
const longestPacketMs = 60

/** A remote with a coder of its own, 20 ms a packet. */
export class Talker {
  readonly peer: VirtualPeer
  readonly codec: AudioCodecName
  readonly rate: 8000 | 16_000
  readonly #encoder: StreamEncoder
  readonly #decoder: StreamDecoder
  readonly #bytes = new Uint8Array(1300)

  constructor(peer: VirtualPeer, codec: AudioCodecName, opus: WarmOpus) {
    this.peer = peer
    this.codec = codec
    this.rate = codecFacts[codec].sampleRate
    this.#encoder = new StreamEncoder(codec, this.rate, opus, undefined)
    this.#decoder = new StreamDecoder(this.rate, opus)
  }

  /** What its coder believes to be lost on the way, 0 to 100. */
  tune(lossPercent: number): void {
    this.#encoder.tune(lossPercent)
  }

  /** Encodes the `n`th frame of `pcm`. */
  frame(pcm: Int16Array, n: number): Uint8Array {
    const count = this.rate / 50
    if ((n + 1) * count > pcm.length) return this.frame(new Int16Array(count), 0)
    return this.#bytes.slice(0, this.#encoder.encodeInto(this.#bytes, 0, pcm, n * count, count))
  }

  /** Sends a frame, or only lets its time go by. */
  say(payload: Uint8Array, isLost = false): void {
    const { peer, codec } = this
    const { sequence, timestamp } = peer
    if (!isLost) peer.say(payload, { payloadType: payloadTypes[codec] })
    peer.sequence = (sequence + 1) & 0xffff
    peer.timestamp = (timestamp + codecFacts[codec].clockRate / 50) >>> 0
  }

  /** What it receives, as samples of its own rate. */
  received(): Int16Array {
    const packets = this.peer.received().filter(packet => packet.payloadType === payloadTypes[this.codec])
    const pcm = new Int16Array(packets.length * (this.rate / 1000) * longestPacketMs + 8000)
    let at = 0
    for (const { payload } of packets) {
      at += this.#decoder.frameInto(pcm, at, this.codec, payload, 0, payload.length, false)
    }
    return pcm.slice(0, at)
  }
}

/** Two remotes that are bridged. */
export const conversation = async (
  a: AudioCodecName,
  b: AudioCodecName,
  changesB: Partial<Agreement> = {},
  changesA: Partial<Agreement> = {},
) => {
  const opus = await WarmOpus.open(4)
  const media = new VirtualMedia({}, 7, opus)
  const legs = bridged({ ...talks(a), ...changesA }, { ...talks(b), ...changesB }, media)
  return { media, opus, one: new Talker(legs.a, a, opus), two: new Talker(legs.b, b, opus) }
}

/** One remote alone. */
export const alone = async (codec: AudioCodecName, changes: Partial<Agreement> = {}) => {
  const opus = await WarmOpus.open(3)
  const media = new VirtualMedia({}, 7, opus)
  const peer = new VirtualPeer(media, 'a', 4000).open()
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000, { ...talks(codec), ...changes }), talk: true })
  return { media, opus, one: new Talker(peer, codec, opus) }
}
