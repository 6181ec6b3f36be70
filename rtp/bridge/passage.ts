import { codecFacts } from '../codec/codec-name.ts'
import { durationOf, eventPayloadLength, maxEventDuration, setDuration } from '../dtmf/event-payload.ts'
import type { Agreement, EngineCodec } from '../engine/command.ts'
import type { DatagramNetwork } from '../engine/network.ts'
import { headerLength, payloadOffsetOf, ssrcOf, timestampOf } from '../packet/header.ts'
import type { OutStream } from '../session/out-stream.ts'
import { changeLaw, Relay } from './relay.ts'
import { Repacker } from './repacker.ts'

/** While a digit of the other leg passes, frames of ours rest; its packets come every 20 to 50 ms. */
const eventRestMs = 60

/**
 * Packets of the other leg that go on as packets of ours: with another header and otherwise untouched, or packed anew
 * for a far end that asked for another ptime.
 */
export class Passage {
  readonly #network: DatagramNetwork
  readonly #stream: OutStream
  readonly #send: (packet: Uint8Array, length: number) => void
  readonly #relay = new Relay()
  readonly #repacker = new Repacker()
  #isRepacking = false
  #isMixed = false
  #frameUnits = 160
  /** Whose audio passed last; −1 = nobody's. */
  #audioSsrc = -1
  #eventIn = -1
  #eventOut = 0
  #eventUntil = 0
  #passedAt = Number.NEGATIVE_INFINITY

  constructor(network: DatagramNetwork, stream: OutStream, send: (packet: Uint8Array, length: number) => void) {
    this.#network = network
    this.#stream = stream
    this.#send = send
  }

  /** The next packet continues what the far side hears. */
  get isFlowing(): boolean {
    return this.#relay.running || this.#isRepacking || this.#isMixed
  }
  /** When something of the other leg last came to go through: audio, its rest, or a digit. */
  get passedAt(): number {
    return this.#passedAt
  }
  /** Until then a digit passes in place of audio. */
  get eventUntil(): number {
    return this.#eventUntil
  }

  /** A frame of ours lasts `frameUnits` of a clock of `unitsPerMs`; `isAnew`: what comes next does not continue. */
  agree(frameUnits: number, unitsPerMs: number, isAnew: boolean): void {
    this.#frameUnits = frameUnits
    this.#relay.unitsPerMs = unitsPerMs
    this.#stopPacking()
    if (isAnew) this.#relay.interrupt()
  }

  /** What comes next does not continue what came before. */
  interrupt(): void {
    this.#relay.interrupt()
    this.#stopPacking()
    this.#isMixed = false
  }

  /** What the far side hears is a room's mix, packets of ours. */
  mix(): void {
    this.#isMixed = true
  }

  /** A packet of audio, of a codec whose packets can go out as packets of ours; it may be altered. */
  audio(packet: Uint8Array, payloadLength: number, codec: EngineCodec, agreement: Agreement, now: number): void {
    const units = codecFacts[codec].unitsIn(packet, payloadOffsetOf(packet), payloadLength)
    this.#passedAt = now
    this.#audioSsrc = ssrcOf(packet)
    const isAsked = agreement.ptimeAsked && codec !== 'opus'
    if (isAsked && (this.#isRepacking || units !== this.#frameUnits)) {
      this.#repack(packet, payloadLength, codec, agreement)
      return
    }
    const plain = this.#plain(packet, payloadLength)
    changeLaw(plain, payloadLength, codec, agreement.codec)
    this.#pass(plain, agreement.payloadType, payloadLength, units, now)
  }

  /** A packet of comfort noise; false when it cannot go out as one of ours. */
  rest(packet: Uint8Array, payloadLength: number, agreement: Agreement, now: number): boolean {
    if (agreement.sendNoise === undefined || this.#isRepacking) return false
    this.#passedAt = now
    this.#pass(this.#plain(packet, payloadLength), agreement.sendNoise, payloadLength, 0, now)
    return true
  }

  /** A telephone-event, its duration counted in `clockRate`. `isPaced`: audio goes by our own clock beside it. */
  event(
    packet: Uint8Array,
    payloadLength: number,
    clockRate: number,
    agreement: Agreement,
    isPaced: boolean,
    now: number,
  ): void {
    const payloadType = agreement.sendEvents
    if (payloadType === undefined || payloadLength < eventPayloadLength) return
    this.#passedAt = now
    const plain = this.#plain(packet, payloadLength)
    const ownRate = agreement.eventClockRate ?? codecFacts[agreement.codec].clockRate
    if (ownRate !== clockRate) {
      const duration = Math.round((durationOf(plain, headerLength) * ownRate) / clockRate)
      setDuration(plain, headerLength, Math.min(maxEventDuration, duration))
    }
    // Its numbers and times have nothing to do with those of the audio that it comes beside.
    const isOfOther = this.#audioSsrc >= 0 && ssrcOf(packet) !== this.#audioSsrc
    if (!this.#isRepacking && !isPaced && !isOfOther) {
      this.#pass(plain, payloadType, payloadLength, 0, now)
      return
    }
    this.#eventUntil = now + eventRestMs
    const timestamp = timestampOf(packet)
    const isFirst = timestamp !== this.#eventIn
    if (isFirst) this.#eventOut = this.#stream.timestamp
    this.#eventIn = timestamp
    this.#send(plain, this.#stream.event(plain, payloadType, isFirst, this.#eventOut, payloadLength, 0))
    this.#relay.giveWay(this.#stream)
  }

  #pass(plain: Uint8Array, payloadType: number, payloadLength: number, units: number, now: number): void {
    if (!this.#relay.rewrite(plain, this.#stream, payloadType, payloadLength, units, now)) return
    this.#send(plain, headerLength + payloadLength)
  }

  #stopPacking(): void {
    this.#isRepacking = false
    this.#repacker.reset()
  }

  #repack(packet: Uint8Array, payloadLength: number, codec: EngineCodec, agreement: Agreement): void {
    this.#isRepacking = true
    if (!this.#repacker.push(packet, payloadOffsetOf(packet), payloadLength)) return
    if (this.#repacker.missing > 0) {
      this.#stream.skip(this.#repacker.missing)
      this.#repacker.missing = 0
    }
    // Codecs that can be packed anew have a byte a unit.
    const bytes = this.#frameUnits
    for (;;) {
      const frame = this.#network.slot()
      if (!this.#repacker.takeInto(frame, headerLength, bytes)) return
      changeLaw(frame, bytes, codec, agreement.codec)
      this.#send(frame, this.#stream.frame(frame, agreement.payloadType, bytes, bytes))
    }
  }

  /** The packet without CSRCs, extension and padding, which were agreed on with the other far end, if at all. */
  #plain(packet: Uint8Array, payloadLength: number): Uint8Array {
    if ((packet[0]! & 0x3f) === 0) return packet
    const plain = this.#network.slot()
    const from = payloadOffsetOf(packet)
    for (let i = 1; i < headerLength; i++) plain[i] = packet[i]!
    for (let i = 0; i < payloadLength; i++) plain[headerLength + i] = packet[from + i]!
    plain[0] = 0x80
    return plain
  }
}
