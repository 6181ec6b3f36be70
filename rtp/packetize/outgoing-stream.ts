import { headerLength, rewriteHeader } from '../packet/header.ts'
import { sequenceAfter, sequenceDelta, timestampAfter, timestampDelta } from '../packet/sequence.ts'

/** RFC 3711 §3.3.1: below half; otherwise anyone who misses the first packets takes the wrap for the beginning. */
const firstSequences = 0x7fff

/** Audio that will go out before whatever comes next of the stream, as one packet. */
export interface HeldFrames {
  /** That it lasts; 0 = nothing is held. */
  readonly units: number
  flush(): void
}

/** Sees what goes out: telephone-events, and all packets while the stream's `tapesAll` is set. */
interface OutgoingTape {
  /** Its header is written; its payload may not be there yet. */
  sent(packet: Uint8Array, length: number): void
  sentEvent(packet: Uint8Array, length: number): void
  /** It is whole, and leaves now. */
  leaves(packet: Uint8Array, length: number): void
}

/**
 * What a session sends: one SSRC whose sequence numbers and timestamps begin at random and only grow, whatever the
 * source of the audio is: silence, a prompt, digits, the other leg.
 */
export class OutgoingStream {
  packets = 0
  /** Of sources that we were before. */
  packetsBefore = 0
  /** Of payload, for sender reports. */
  octets = 0
  held: HeldFrames | undefined
  tape: OutgoingTape | undefined
  /** The tape sees all packets. Rarely so: it is held here, since to ask the tape each packet would read slow memory. */
  tapesAll = false
  /** The numbers of the next packet of our own. */
  #sequence: number
  #timestamp: number
  #marker = true
  #ssrc: number
  readonly #random32: () => number

  /** `random32`: a random 32-bit integer a call. */
  constructor(random32: () => number) {
    this.#random32 = random32
    this.#ssrc = random32() >>> 0
    this.#sequence = random32() & firstSequences
    this.#timestamp = random32() >>> 0
  }

  get ssrc(): number {
    return this.#ssrc
  }
  /** Of the next packet of our own, after what is held. */
  get sequence(): number {
    return this.#heldUnits === 0 ? this.#sequence : sequenceAfter(this.#sequence, 1)
  }
  get timestamp(): number {
    const units = this.#heldUnits
    return units === 0 ? this.#timestamp : timestampAfter(this.#timestamp, units)
  }

  /** Goes on as another source: timestamps are counted otherwise from now on (RFC 7160 §4.1). */
  renew(): void {
    this.held?.flush()
    this.#ssrc = this.#random32() >>> 0
    this.#sequence = this.#random32() & firstSequences
    this.#timestamp = this.#random32() >>> 0
    this.#marker = true
    this.packetsBefore += this.packets
    this.packets = 0
    this.octets = 0
  }

  /** The last `packets` did not go. */
  takeBack(packets: number): void {
    this.packets = Math.max(0, this.packets - packets)
  }

  /** The next packet begins a talkspurt (RFC 3551 §4.1). */
  mark(): void {
    this.held?.flush()
    this.#marker = true
  }

  /** The media clock goes on without a packet. */
  skip(samples: number): void {
    this.held?.flush()
    this.#advanceTimestamp(samples)
  }

  /** Writes the header of a frame of audio whose payload stands, or will stand, after it. Returns the packet's length. */
  frame(packet: Uint8Array, payloadType: number, payloadLength: number, samples: number): number {
    this.held?.flush()
    this.#write(packet, payloadType, this.#marker, this.#timestamp)
    this.#marker = false
    this.#advanceTimestamp(samples)
    if (this.tapesAll) this.tape?.sent(packet, headerLength + payloadLength)
    return this.#count(payloadLength)
  }

  /** Writes the header of a telephone-event, which has the time of its beginning; the clock goes on by `samples`. */
  event(
    packet: Uint8Array,
    payloadType: number,
    marker: boolean,
    timestamp: number,
    payloadLength: number,
    samples: number,
  ): number {
    this.held?.flush()
    this.#write(packet, payloadType, marker, timestamp)
    this.#advanceTimestamp(samples)
    this.tape?.sentEvent(packet, headerLength + payloadLength)
    return this.#count(payloadLength)
  }

  /** A packet of another stream goes out as one of ours; later ones of our own follow after it. */
  relayed(
    packet: Uint8Array,
    payloadType: number,
    marker: boolean,
    sequence: number,
    timestamp: number,
    payloadLength: number,
    samples: number,
  ): void {
    this.held?.flush()
    const begins = marker || this.#marker
    this.#marker = false
    rewriteHeader(packet, payloadType, begins, sequence, timestamp, this.#ssrc)
    if (this.tapesAll) this.tape?.sent(packet, headerLength + payloadLength)
    if (sequenceDelta(sequence, this.#sequence) >= 0) this.#sequence = sequenceAfter(sequence, 1)
    const end = timestampAfter(timestamp, samples)
    if (timestampDelta(end, this.#timestamp) > 0) this.#timestamp = end
    this.#count(payloadLength)
  }

  get #heldUnits(): number {
    return this.held?.units ?? 0
  }

  #advanceTimestamp(samples: number): void {
    this.#timestamp = timestampAfter(this.#timestamp, samples)
  }

  #write(packet: Uint8Array, payloadType: number, marker: boolean, timestamp: number): void {
    packet[0] = 0x80
    rewriteHeader(packet, payloadType, marker, this.#sequence, timestamp, this.#ssrc)
    this.#sequence = sequenceAfter(this.#sequence, 1)
  }

  #count(payloadLength: number): number {
    this.packets++
    this.octets = (this.octets + payloadLength) >>> 0
    return headerLength + payloadLength
  }
}
