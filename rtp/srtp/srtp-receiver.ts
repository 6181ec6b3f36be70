import { headerLength, maxPacketLength, payloadOffsetOf, sequenceOf, ssrcOf } from '../packet/header.ts'
import { packetCipher } from './cipher-of-profile.ts'
import { forged, type PacketCipher } from './packet-cipher.ts'
import { type SrtpKeys, srtcpIndexLength, srtpFacts } from './profile.ts'
import { ReplayWindow } from './replay-window.ts'
import { indexOf, Rollover } from './rollover.ts'
import { readWord, rtcpHeaderLength, rtcpSsrcOf } from './srtcp-packet.ts'

/** Streams that one remote may send in the life of its keys. */
export const mostStreams = 64
/** What `openRtp` and `openRtcp` give for a packet that is dropped. */
export const rejected = -1

/** Packets that were not let through: too short, seen before, or not authentic. */
export interface SrtpCounters {
  malformed: number
  replayed: number
  forged: number
}

interface Stream {
  readonly rollover: Rollover
  readonly rtp: ReplayWindow
  readonly rtcp: ReplayWindow
}

/**
 * What a remote sends, opened in place. Nothing that is not authenticated changes anything: an unknown SSRC is a claim
 * until its first packet is real.
 */
export class SrtpReceiver {
  readonly counters: SrtpCounters = { malformed: 0, replayed: 0, forged: 0 }
  readonly #cipher: PacketCipher
  readonly #tagLength: number
  readonly #rtcpOverhead: number
  readonly #rtcpIndexBehind: number
  readonly #streams = new Map<number, Stream>()
  #before: SrtpReceiver | undefined
  /** The one that a claim is held against. */
  #unknown = firstSight()

  /** `before`: what the remote's packets were opened with until it took another key. */
  constructor(keys: SrtpKeys, before?: SrtpReceiver) {
    if (before !== undefined) before.#before = undefined
    this.#before = before
    const { rtpTagLength, rtcpTagLength } = srtpFacts[keys.profile]
    this.#cipher = packetCipher(keys)
    this.#tagLength = rtpTagLength
    this.#rtcpOverhead = rtcpTagLength + srtcpIndexLength
    this.#rtcpIndexBehind = keys.profile === 'AEAD_AES_128_GCM' ? srtcpIndexLength : this.#rtcpOverhead
  }

  /** The number of streams that were real. */
  get streams(): number {
    return this.#streams.size
  }

  /** The length of the plain packet, or `rejected`. */
  openRtp(packet: Uint8Array, length: number): number {
    if (!this.#isRtp(packet, length)) return this.#reject('malformed')
    const ssrc = ssrcOf(packet)
    const sequence = sequenceOf(packet)
    const known = this.#streams.get(ssrc)
    const stream = known ?? this.#unknown
    let rollover = stream.rollover.guess(sequence)
    if (rollover < 0 || stream.rtp.has(indexOf(sequence, rollover))) return this.#reject('replayed')
    if (known === undefined && this.#streams.size >= mostStreams) return this.#reject('malformed')
    let plain = this.#cipher.openRtp(packet, payloadOffsetOf(packet), length, rollover)
    if (plain === forged && !stream.rollover.hasBegun) {
      // RFC 3711 §3.3.1: a new key does not begin the count again; but many do. RTCP may have come before.
      rollover = this.#before?.guess(ssrc, sequence) ?? 0
      if (rollover > 0) plain = this.#cipher.openRtp(packet, payloadOffsetOf(packet), length, rollover)
    }
    if (plain === forged) return this.#reject('forged')
    if (known === undefined) this.#keep(ssrc)
    stream.rollover.advance(sequence, rollover)
    stream.rtp.add(indexOf(sequence, rollover))
    return plain
  }

  openRtcp(packet: Uint8Array, length: number): number {
    if (length < rtcpHeaderLength + this.#rtcpOverhead || length > maxPacketLength || packet[0]! >> 6 !== 2) {
      return this.#reject('malformed')
    }
    const ssrc = rtcpSsrcOf(packet)
    const known = this.#streams.get(ssrc)
    const stream = known ?? this.#unknown
    const index = readWord(packet, length - this.#rtcpIndexBehind) & 0x7fff_ffff
    if (stream.rtcp.has(index)) return this.#reject('replayed')
    if (known === undefined && this.#streams.size >= mostStreams) return this.#reject('malformed')
    const plain = this.#cipher.openRtcp(packet, length)
    if (plain === forged) return this.#reject('forged')
    if (known === undefined) this.#keep(ssrc)
    stream.rtcp.add(index)
    return plain
  }

  /** The rollovers that a packet of a known stream most likely has; 0 of another. */
  guess(ssrc: number, sequence: number): number {
    return this.#streams.get(ssrc)?.rollover.guess(sequence) ?? 0
  }

  /** `isRtp`, but for the padding, which is encrypted. */
  #isRtp(packet: Uint8Array, length: number): boolean {
    if (length < headerLength + this.#tagLength || length > maxPacketLength || packet[0]! >> 6 !== 2) return false
    const fixed = headerLength + ((packet[0]! & 0x0f) << 2)
    if (fixed + ((packet[0]! & 0x10) === 0 ? 0 : 4) > length) return false
    return payloadOffsetOf(packet) + this.#tagLength <= length
  }

  #keep(ssrc: number): void {
    this.#streams.set(ssrc, this.#unknown)
    this.#unknown = firstSight()
  }

  #reject(why: keyof SrtpCounters): typeof rejected {
    this.counters[why]++
    return rejected
  }
}

const firstSight = (): Stream => ({ rollover: new Rollover(), rtp: new ReplayWindow(), rtcp: new ReplayWindow() })
