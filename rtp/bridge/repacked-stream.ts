import type { AudioCodecName } from '../codec/codec-name.ts'
import type { Agreement } from '../contract/agreement.ts'
import type { DatagramNetwork } from '../net/network.ts'
import { headerLength, markerOf, payloadOffsetOf } from '../packet/header.ts'
import { aheadMs } from '../packetize/frame-clock.ts'
import type { OutgoingStream } from '../packetize/outgoing-stream.ts'
import { changeLaw } from './relay.ts'
import { Repacker } from './repacker.ts'

type PlainCodec = Exclude<AudioCodecName, 'opus'>

const unitsPerMs = 8
/** Half a tick of the media clock. */
const earlyMs = 2.5
/** Time beyond the frame's and the last packet's length to wait for the rest of a frame. */
const patienceMs = 20

/**
 * Another leg's packets of a codec that has a byte a unit, as packets of the length that the remote asked for. A packet
 * that makes several goes out in their pace; what is left when its sender pauses is not kept back.
 */
export class RepackedStream {
  readonly #network: DatagramNetwork
  readonly #stream: OutgoingStream
  readonly #send: (packet: Uint8Array, length: number) => void
  readonly #repacker = new Repacker()
  #codec: PlainCodec = 'PCMU'
  #agreement: Agreement | undefined
  #frameBytes = 160
  #receivedAt = 0
  #patienceMs = 0
  /** When the next frame of what waits is due. */
  #nextAt = 0

  constructor(network: DatagramNetwork, stream: OutgoingStream, send: (packet: Uint8Array, length: number) => void) {
    this.#network = network
    this.#stream = stream
    this.#send = send
  }

  push(
    packet: Uint8Array,
    payloadLength: number,
    codec: PlainCodec,
    agreement: Agreement,
    frameBytes: number,
    now: number,
  ): void {
    const repacker = this.#repacker
    const missing = repacker.follow(packet, payloadLength, now)
    if (missing < 0) return
    // All of what was there before goes before.
    while (this.#sendFrame());
    const isEnd = repacker.isRestart || codec !== this.#codec
    const filled = repacker.fill(isEnd ? this.#frameBytes : missing, this.#frameBytes, this.#codec)
    while (this.#sendFrame());
    if (!isEnd && missing > filled) this.#stream.skip(missing - filled)
    if (markerOf(packet)) this.#stream.mark()
    this.#codec = codec
    this.#agreement = agreement
    this.#frameBytes = frameBytes
    this.#receivedAt = now
    this.#patienceMs = (payloadLength + frameBytes) / unitsPerMs + patienceMs
    repacker.add(packet, payloadOffsetOf(packet), payloadLength)
    if (this.#sendFrame()) this.#nextAt = now + this.#frameMs
  }

  tick(now: number): void {
    const repacker = this.#repacker
    if (repacker.waiting === 0) return
    // The first of a packet went at once; the others, made by ticks, go with those that are nearest to their time.
    while (this.#nextAt - earlyMs <= now + aheadMs && this.#sendFrame()) this.#nextAt += this.#frameMs
    if (repacker.waiting >= this.#frameBytes || now - this.#receivedAt <= this.#patienceMs) return
    repacker.complete(this.#frameBytes, this.#codec)
    this.#sendFrame()
  }

  get #frameMs(): number {
    return this.#frameBytes / unitsPerMs
  }

  /** False when no whole frame waits. */
  #sendFrame(): boolean {
    const agreement = this.#agreement
    const bytes = this.#frameBytes
    if (agreement === undefined || this.#repacker.waiting < bytes) return false
    const frame = this.#network.slot()
    this.#repacker.takeInto(frame, headerLength, bytes)
    changeLaw(frame, bytes, this.#codec, agreement.codec)
    this.#send(frame, this.#stream.frame(frame, agreement.payloadType, bytes, bytes))
    return true
  }
}
