import type { AudioCodecName } from '../../../rtp/codec/codec-name.ts'
import { pcma } from '../../../rtp/codec/g711.ts'
import { G722Decoder } from '../../../rtp/codec/g722.ts'
import { pcmu } from '../../../rtp/index.ts'
import type { MixRate } from '../../../rtp/mix/mix-rate.ts'
import type { Seat, SeatFormat } from '../../../rtp/mix/seat.ts'

/** A place in a room without a session: it sends samples and keeps the payloads that it receives. */
export class FakeSeat implements Seat {
  format: SeatFormat | undefined
  receivesMix = true
  lossPercent = 0
  released = 0
  reads = 0
  failing = false
  /** What it says next; silence after it. */
  said: Int16Array
  at = 0
  readonly received: {
    readonly payload: Uint8Array
    readonly length: number
    readonly bytes: Uint8Array
    readonly at: number
  }[] = []

  constructor(said: Int16Array = new Int16Array(0), codec: AudioCodecName = 'PCMU', frameMs = 20) {
    this.said = said
    this.format = { codec, frameMs }
  }

  readInto(pcm: Int16Array, count: number, _rate: MixRate, _now: number): void {
    if (this.failing) throw new Error('made to fail')
    this.reads++
    for (let i = 0; i < count; i++) pcm[i] = this.said[this.at + i] ?? 0
    this.at += count
  }

  sendMix(payload: Uint8Array, length: number, at: number, _now: number): void {
    this.received.push({ payload, length, bytes: payload.slice(0, length), at })
  }

  release(): void {
    this.released++
  }

  /** All that it has received, decoded, from a frame on. */
  samples(from = 0): Int16Array {
    const codec = this.format?.codec
    const decoder = codec === 'G722' ? new G722Decoder() : codec === 'PCMA' ? pcma : pcmu
    const pcm = new Int16Array(this.received.length * 960)
    let count = 0
    for (const { bytes } of this.received.slice(from)) count += decoder.decodeInto(pcm, count, bytes, 0, bytes.length)
    return pcm.slice(0, count)
  }
}
