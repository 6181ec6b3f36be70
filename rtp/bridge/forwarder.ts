import { codecFacts } from '../codec/codec-name.ts'
import { opusFrameMs } from '../codec/opus.ts'
import type { Agreement, EngineCodec } from '../contract/agreement.ts'
import { eventPayloadLength, setDuration } from '../dtmf/event-payload.ts'
import type { DatagramNetwork } from '../net/network.ts'
import { headerLength, markerOf, payloadOffsetOf, ssrcOf } from '../packet/header.ts'
import type { OutgoingStream } from '../packetize/outgoing-stream.ts'
import type { Packetizer } from '../packetize/packetizer.ts'
import { EventRewriter } from './event-rewriter.ts'
import { changeLaw, Relay } from './relay.ts'
import { RepackedStream } from './repacked-stream.ts'
import { StreamOrder } from './stream-order.ts'

/** Pause of our own frames while a digit of the other leg passes; its packets come every 20 to 50 ms. */
const eventHoldMs = 60

/**
 * Forwards the other leg's packets: with a rewritten header and an untouched payload, or repacked for a remote that asked
 * for another ptime.
 */
export class Forwarder {
  readonly #network: DatagramNetwork
  readonly #stream: OutgoingStream
  readonly #packetizer: Packetizer
  readonly #send: (packet: Uint8Array, length: number) => void
  readonly #relay = new Relay()
  // Made at the first need, and given back: most legs never repack, and see few digits.
  #repacked: RepackedStream | undefined
  #order: StreamOrder | undefined
  #events: EventRewriter | undefined
  #isRepacking = false
  #isMixed = false
  /** Length of one of our packets. */
  #packetUnits = 160
  #unitsPerMs = 8
  /** SSRC of the audio that passed last; −1 = none. */
  #audioSsrc = -1
  #eventUntil = 0
  #forwardedAt = Number.NEGATIVE_INFINITY

  constructor(
    network: DatagramNetwork,
    stream: OutgoingStream,
    packetizer: Packetizer,
    send: (packet: Uint8Array, length: number) => void,
  ) {
    this.#network = network
    this.#stream = stream
    this.#packetizer = packetizer
    this.#send = send
  }

  /** The next packet continues what the remote receives. */
  get isFlowing(): boolean {
    return this.#relay.running || this.#isRepacking || this.#isMixed
  }
  /** Packets are made of others' parts, by the clock too. */
  get isRepacking(): boolean {
    return this.#isRepacking
  }
  /** Time of the last audio, comfort noise or digit that the other leg sent to be forwarded. */
  get forwardedAt(): number {
    return this.#forwardedAt
  }
  /** Until then a digit passes in place of audio. */
  get eventUntil(): number {
    return this.#eventUntil
  }

  /**
   * Our packets last `packetUnits` of a clock of `unitsPerMs`; `isRestart`: the next packet does not continue the
   * stream.
   */
  agree(packetUnits: number, unitsPerMs: number, isRestart: boolean): void {
    this.#packetUnits = packetUnits
    this.#unitsPerMs = unitsPerMs
    this.#relay.unitsPerMs = unitsPerMs
    this.#stopRepacking()
    if (isRestart) this.#relay.interrupt()
  }

  /** The next packet does not continue the stream. */
  interrupt(): void {
    this.#relay.interrupt()
    this.#stopRepacking()
    this.#isMixed = false
  }

  /** The remote receives a room's mix, in packets of ours. */
  mix(): void {
    this.#isMixed = true
  }

  /** What waits to be packed goes out when it is due. */
  tick(now: number): void {
    if (this.#isRepacking) this.#repacked?.tick(now)
  }

  /** A packet of audio whose codec can be sent unchanged; it may be altered. */
  audio(packet: Uint8Array, payloadLength: number, codec: EngineCodec, agreement: Agreement, now: number): void {
    const units = codecFacts[codec].unitsIn(packet, payloadOffsetOf(packet), payloadLength)
    this.#forwardedAt = now
    this.#audioSsrc = ssrcOf(packet)
    if (this.#mustRepack(units, codec, agreement)) {
      if (codec === 'opus') this.#join(packet, payloadLength, units, agreement, now)
      else {
        this.#repacked ??= new RepackedStream(this.#network, this.#stream, this.#send)
        this.#repacked.push(packet, payloadLength, codec, agreement, this.#packetUnits, now)
      }
      this.#isRepacking = true
      return
    }
    const plain = this.#plain(packet, payloadLength)
    changeLaw(plain, payloadLength, codec, agreement.codec)
    this.#relayPacket(plain, agreement.payloadType, payloadLength, units, now)
  }

  /** A packet of comfort noise; false when it cannot be sent unchanged. */
  comfortNoise(packet: Uint8Array, payloadLength: number, agreement: Agreement, now: number): boolean {
    if (agreement.sendNoise === undefined || this.#isRepacking) return false
    this.#forwardedAt = now
    this.#relayPacket(this.#plain(packet, payloadLength), agreement.sendNoise, payloadLength, 0, now)
    return true
  }

  /** A telephone-event, its duration counted in `clockRate`. `isPaced`: audio is sent by our own clock meanwhile. */
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
    this.#forwardedAt = now
    const plain = this.#plain(packet, payloadLength)
    const ownRate = agreement.eventClockRate ?? codecFacts[agreement.codec].clockRate
    // Its numbers and times are independent of those of the audio that accompanies it.
    const isOfOther = this.#audioSsrc >= 0 && ssrcOf(packet) !== this.#audioSsrc
    if (!this.#isRepacking && !isPaced && !isOfOther && ownRate === clockRate) {
      this.#relayPacket(plain, payloadType, payloadLength, 0, now)
      return
    }
    this.#events ??= new EventRewriter()
    const course = this.#events
    if (!course.follow(plain, headerLength, clockRate, ownRate, this.#stream.timestamp)) return
    this.#eventUntil = now + eventHoldMs
    setDuration(plain, headerLength, course.duration)
    this.#send(plain, this.#stream.event(plain, payloadType, course.isFirst, course.timestamp, payloadLength, 0))
    this.#relay.insertedPacket(this.#stream)
  }

  #relayPacket(plain: Uint8Array, payloadType: number, payloadLength: number, units: number, now: number): void {
    if (!this.#relay.rewrite(plain, this.#stream, payloadType, payloadLength, units, now)) return
    this.#send(plain, headerLength + payloadLength)
  }

  #stopRepacking(): void {
    this.#isRepacking = false
    this.#repacked = undefined
    this.#order = undefined
  }

  /** The remote wants packets of another length than this one's, `units`; of Opus one that frames can be joined to. */
  #mustRepack(units: number, codec: EngineCodec, { ptimeAsked, maxPtimeMs }: Agreement): boolean {
    const wanted = this.#packetUnits
    if (this.#isRepacking) return true
    // Packets of Opus come no shorter from us than a frame of ours.
    const longestMs = Math.max(maxPtimeMs ?? Number.POSITIVE_INFINITY, codec === 'opus' ? opusFrameMs : 0)
    if (units > longestMs * this.#unitsPerMs) return true
    if (!ptimeAsked) return false
    return codec === 'opus' ? units > wanted || 2 * units <= wanted : units !== wanted
  }

  /** Frames of Opus stay what they are: only how many go in a packet changes. */
  #join(packet: Uint8Array, payloadLength: number, units: number, agreement: Agreement, now: number): void {
    this.#order ??= new StreamOrder()
    const missing = this.#order.follow(packet, units, this.#unitsPerMs, now)
    if (!this.#isRepacking) this.#relay.interrupt()
    this.#isRepacking = true
    if (missing < 0) return
    if (missing > 0) this.#stream.skip(missing)
    if (this.#order.isRestart || markerOf(packet)) this.#stream.mark()
    const { payloadType } = agreement
    this.#packetizer.join(packet, payloadOffsetOf(packet), payloadType, payloadLength, units, false, now, now)
  }

  /** The packet without CSRCs, extension and padding, which were agreed on with the other remote, if at all. */
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
