import { pcma } from '../../rtp/codec/g711.ts'
import { pcmu } from '../../rtp/index.ts'
import { levelAt } from '../../rtp/tone/goertzel.ts'
import type { Agreement } from '../../rtp/worker/index.ts'
import { agreed } from '../rtp/bed/agreement.ts'
import { sine } from '../rtp/bed/audio-measure.ts'
import type { VirtualMedia } from '../rtp/bed/virtual-media.ts'
import { VirtualPeer } from '../rtp/bed/virtual-peer.ts'

/** A remote that sends its own tone, or nothing, and decodes what it receives. */
export class Guest {
  readonly peer: VirtualPeer
  readonly media: VirtualMedia
  readonly name: string
  readonly law: typeof pcmu
  readonly #payloadType: number
  #tone: Int16Array | undefined
  #at = 0

  constructor(media: VirtualMedia, n: number, hz: number | undefined, changes: Partial<Agreement> = {}) {
    this.media = media
    this.name = `guest-${n}`
    this.peer = new VirtualPeer(media, this.name, 4000 + 10 * n).open()
    this.#payloadType = changes.payloadType ?? 0
    this.law = this.#payloadType === 8 ? pcma : pcmu
    this.says(hz)
    const agreement = agreed(this.peer.port, changes)
    media.do({ type: 'agree', session: this.name, agreement, talk: true })
  }

  says(hz: number | undefined): void {
    this.#tone = hz === undefined ? undefined : sine(hz, 8000, 8000, 4000)
  }

  join(room = 'r', muted = false): this {
    this.media.do({ type: 'join', session: this.name, room, muted })
    return this
  }

  leave(): void {
    this.media.do({ type: 'leave', session: this.name })
  }

  /** Every 20 ms. */
  speak(now: number): void {
    if (now % 20 !== 0 || this.#tone === undefined) return
    const payload = new Uint8Array(160)
    this.law.encodeInto(payload, 0, this.#tone, this.#at, 160)
    this.#at = (this.#at + 160) % 8000
    this.peer.say(payload, { payloadType: this.#payloadType })
  }

  /** What it has received from `from` on, laid out by timestamps. */
  received(from = 0): Int16Array {
    const packets = this.peer.received().filter(packet => packet.at >= from && packet.payloadType === this.#payloadType)
    const first = packets[0]
    const pcm = new Int16Array(first === undefined ? 0 : ((packets.at(-1)!.timestamp - first.timestamp) | 0) + 480)
    for (const { payload, timestamp } of packets) {
      this.law.decodeInto(pcm, (timestamp - first!.timestamp) | 0, payload, 0, payload.length)
    }
    return pcm
  }

  /** The level of a tone in the last half second. */
  levelOf(hz: number): number {
    const pcm = this.received(this.media.now - 700)
    return levelAt(pcm, 400, 4000, hz, 8000)
  }
}
