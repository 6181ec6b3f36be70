import { payloadOffsetOf, sequenceOf } from '../packet/header.ts'
import { type PacketCipher, packetCipher } from './packet-cipher.ts'
import type { SrtpKeys } from './profile.ts'
import { ReplayWindow } from './replay-window.ts'
import { indexOf, Rollover } from './rollover.ts'

/** Packets of SRTCP under one key (RFC 3711 §9.2). */
const mostRtcpIndexes = 0x7fff_ffff

/** What we send, one SSRC, protected in place; the buffer has room for what packets grow by. */
export class SrtpSender {
  readonly #cipher: PacketCipher
  readonly #rollover = new Rollover()
  /** An index twice is a keystream twice (RFC 3711 §9.1): what was relayed twice, or far too late, goes out never. */
  readonly #used = new ReplayWindow()
  #rtcpIndex = 0

  constructor(keys: SrtpKeys) {
    this.#cipher = packetCipher(keys)
  }

  /** Returns the length of the protected packet; 0 = it must not be sent. */
  sealRtp(packet: Uint8Array, length: number): number {
    const sequence = sequenceOf(packet)
    const rollover = this.#rollover.guess(sequence)
    if (rollover < 0 || this.#used.has(indexOf(sequence, rollover))) return 0
    this.#used.add(indexOf(sequence, rollover))
    this.#rollover.advance(sequence, rollover)
    return this.#cipher.sealRtp(packet, payloadOffsetOf(packet), length, rollover)
  }

  sealRtcp(packet: Uint8Array, length: number): number {
    if (this.#rtcpIndex >= mostRtcpIndexes) return 0
    return this.#cipher.sealRtcp(packet, length, ++this.#rtcpIndex)
  }
}
