import type { AudioCodecName } from '../codec/codec-name.ts'
import { pcmaToPcmuInto, pcmuToPcmaInto } from '../codec/g711.ts'
import { headerLength, markerOf, sequenceOf, ssrcOf, timestampOf } from '../packet/header.ts'
import {
  maxDropout,
  maxMisorder,
  sequenceAfter,
  sequenceDelta,
  timestampAfter,
  timestampDelta,
} from '../packet/sequence.ts'
import type { OutgoingStream } from '../packetize/outgoing-stream.ts'
import { maxLeadMs } from './stream-order.ts'

/**
 * One direction of a bridge: packets of a remote's stream go out as packets of ours. Sequence numbers and timestamps
 * keep their distances, so that losses, order and silences stay what they were; the first packet after our own audio
 * follows directly on it. Nothing is buffered.
 */
export class Relay {
  /** Timestamp units a millisecond of the stream that passes. */
  unitsPerMs = 8
  #running = false
  #ssrc = 0
  #sequenceOffset = 0
  #timestampOffset = 0
  /** Our stream's number at its beginning: an earlier packet is late for a stream that continued without it. */
  #begin = 0
  #highest = 0
  #audioTime = 0
  #receivedAt = 0

  /** True when the next packet continues what the remote receives. */
  get running(): boolean {
    return this.#running
  }

  /** Our own audio takes over; the next packet restarts. */
  interrupt(): void {
    this.#running = false
  }

  /** We sent a packet between two of these: the following ones are numbered after it. */
  insertedPacket(stream: OutgoingStream): void {
    if (!this.#running) return
    this.#sequenceOffset++
    this.#begin = stream.sequence
  }

  /**
   * Rewrites the header of `packet`, which has `headerLength` bytes of it, to be the next of `stream`. Returns false
   * when it is too late to be sent. `units`: how long its audio lasts in those of its timestamp; 0 for telephone-events
   * and comfort noise, whose timestamp is not that of their sending.
   */
  rewrite(
    packet: Uint8Array,
    stream: OutgoingStream,
    payloadType: number,
    payloadLength: number,
    units: number,
    now: number,
  ): boolean {
    const sequence = sequenceOf(packet)
    const timestamp = timestampOf(packet)
    if (!this.#running || this.#isNew(ssrcOf(packet), sequence, timestamp, units, now)) {
      this.#start(packet, stream)
    }
    const out = sequenceAfter(sequence, this.#sequenceOffset)
    if (sequenceDelta(out, this.#begin) < 0) return false
    if (sequenceDelta(sequence, this.#highest) >= 0) {
      this.#highest = sequence
      if (units > 0) this.#audioTime = timestamp
      this.#receivedAt = now
    }
    const outTime = timestampAfter(timestamp, this.#timestampOffset)
    stream.relayed(packet, payloadType, markerOf(packet), out, outTime, payloadLength, units)
    return true
  }

  #start(packet: Uint8Array, stream: OutgoingStream): void {
    const sequence = sequenceOf(packet)
    this.#running = true
    this.#ssrc = ssrcOf(packet)
    this.#sequenceOffset = sequenceDelta(stream.sequence, sequence)
    this.#timestampOffset = timestampDelta(stream.timestamp, timestampOf(packet))
    this.#begin = stream.sequence
    this.#highest = sequence
    this.#audioTime = timestampOf(packet)
    stream.mark()
  }

  #isNew(ssrc: number, sequence: number, timestamp: number, units: number, now: number): boolean {
    if (ssrc !== this.#ssrc) return true
    const step = sequenceDelta(sequence, this.#highest)
    if (step > maxDropout || step < -maxMisorder) return true
    if (step <= 0 || units === 0) return false
    const lead = timestampDelta(timestamp, this.#audioTime)
    return lead < 0 || lead > (now - this.#receivedAt + maxLeadMs) * this.unitsPerMs
  }
}

/** Turns a payload of G.711's one law into the other, in place. Same codec: untouched. */
export const changeLaw = (packet: Uint8Array, length: number, from: AudioCodecName, to: AudioCodecName): void => {
  if (from === to) return
  if (from === 'PCMU') pcmuToPcmaInto(packet, headerLength, packet, headerLength, length)
  else pcmaToPcmuInto(packet, headerLength, packet, headerLength, length)
}
