import { payloadOffsetOf, sequenceOf, ssrcOf } from '../packet/header.ts'
import { packetCipher } from './cipher-of-profile.ts'
import type { PacketCipher } from './packet-cipher.ts'
import type { SrtpKeys } from './profile.ts'
import { ReplayWindow } from './replay-window.ts'
import { indexOf, Rollover } from './rollover.ts'

/** Packets of SRTCP under one key (RFC 3711 §9.2). */
const mostRtcpIndexes = 0x7fff_ffff

/** SSRCs under one key whose indexes are remembered; one that is older has not been sent for many codecs. */
const mostSources = 64

interface Source {
  readonly rollover: Rollover
  /** An index twice is a keystream twice (RFC 3711 §9.1): what was relayed twice, or far too late, goes out never. */
  readonly used: ReplayWindow
}

/**
 * What we send, protected in place; the buffer has room for what packets grow by. Each SSRC counts its own rollovers
 * (RFC 3711 §3.2.3): a stream goes on as another when its clock changes.
 */
export class SrtpSender {
  readonly #cipher: PacketCipher
  readonly #sources = new Map<number, Source>()
  #rtcpIndex = 0

  constructor(keys: SrtpKeys) {
    this.#cipher = packetCipher(keys)
  }

  /** Returns the length of the protected packet; 0 = it must not be sent. */
  sealRtp(packet: Uint8Array, length: number): number {
    const sequence = sequenceOf(packet)
    const { rollover, used } = this.#sources.get(ssrcOf(packet)) ?? this.#newSource(ssrcOf(packet))
    const count = rollover.guess(sequence)
    if (count < 0 || used.has(indexOf(sequence, count))) return 0
    used.add(indexOf(sequence, count))
    rollover.advance(sequence, count)
    return this.#cipher.sealRtp(packet, payloadOffsetOf(packet), length, count)
  }

  sealRtcp(packet: Uint8Array, length: number): number {
    if (this.#rtcpIndex >= mostRtcpIndexes) return 0
    return this.#cipher.sealRtcp(packet, length, ++this.#rtcpIndex)
  }
  #newSource(ssrc: number): Source {
    if (this.#sources.size >= mostSources) {
      for (const oldest of this.#sources.keys()) {
        this.#sources.delete(oldest)
        break
      }
    }
    const source = { rollover: new Rollover(), used: new ReplayWindow() }
    this.#sources.set(ssrc, source)
    return source
  }
}
