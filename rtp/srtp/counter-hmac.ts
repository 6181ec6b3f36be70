import { sequenceOf, ssrcOf } from '../packet/header.ts'
import { CounterMode } from './counter-mode.ts'
import { HmacSha1 } from './hmac-sha1.ts'
import type { SessionKeys } from './key-derivation.ts'
import { forged, type PacketCipher } from './packet-cipher.ts'
import { type SrtpFacts, srtcpIndexLength } from './profile.ts'
import { encryptedBit, readWord, rtcpHeaderLength, rtcpSsrcOf, writeWord } from './srtcp-packet.ts'

/** AES in counter mode and HMAC-SHA1 (RFC 3711 §4.1.1, §4.2.1). */
export class CounterHmac implements PacketCipher {
  readonly #tagLength: number
  readonly #rtcpTagLength: number
  readonly #rtp: Keyed
  readonly #rtcp: Keyed
  readonly #iv = new Uint8Array(16)

  constructor(rtp: SessionKeys, rtcp: SessionKeys, { rtpTagLength, rtcpTagLength }: SrtpFacts) {
    this.#tagLength = rtpTagLength
    this.#rtcpTagLength = rtcpTagLength
    this.#rtp = keyed(rtp)
    this.#rtcp = keyed(rtcp)
  }

  sealRtp(packet: Uint8Array, from: number, length: number, rollover: number): number {
    this.#rtp.cipher.apply(packet, from, length - from, this.#ivOf(this.#rtp, packet, rollover))
    const tag = this.#rtp.hmac.take(packet, length, rollover)
    for (let i = 0; i < this.#tagLength; i++) packet[length + i] = tag[i]!
    return length + this.#tagLength
  }

  openRtp(packet: Uint8Array, from: number, length: number, rollover: number): number {
    const end = length - this.#tagLength
    if (end < from) return forged
    this.#rtp.hmac.take(packet, end, rollover)
    if (!this.#rtp.hmac.matches(packet, end, this.#tagLength)) return forged
    this.#rtp.cipher.apply(packet, from, end - from, this.#ivOf(this.#rtp, packet, rollover))
    return end
  }

  sealRtcp(packet: Uint8Array, length: number, index: number): number {
    this.#rtcp.cipher.apply(
      packet,
      rtcpHeaderLength,
      length - rtcpHeaderLength,
      this.#rtcpIv(rtcpSsrcOf(packet), index),
    )
    writeWord(packet, length, (encryptedBit | index) >>> 0)
    const end = length + srtcpIndexLength
    const tag = this.#rtcp.hmac.take(packet, end)
    for (let i = 0; i < this.#rtcpTagLength; i++) packet[end + i] = tag[i]!
    return end + this.#rtcpTagLength
  }

  openRtcp(packet: Uint8Array, length: number): number {
    const authenticated = length - this.#rtcpTagLength
    const end = authenticated - srtcpIndexLength
    if (end < rtcpHeaderLength) return forged
    this.#rtcp.hmac.take(packet, authenticated)
    if (!this.#rtcp.hmac.matches(packet, authenticated, this.#rtcpTagLength)) return forged
    const word = readWord(packet, end)
    // Without the E bit the packet is only authenticated.
    if (word >= encryptedBit) {
      const iv = this.#rtcpIv(rtcpSsrcOf(packet), word - encryptedBit)
      this.#rtcp.cipher.apply(packet, rtcpHeaderLength, end - rtcpHeaderLength, iv)
    }
    return end
  }

  // RFC 3711 §4.1.1: IV = (salt · 2^16) ⊕ (SSRC · 2^64) ⊕ (index · 2^16)
  #ivOf({ salt }: Keyed, packet: Uint8Array, rollover: number): Uint8Array {
    const iv = this.#iv
    const sequence = sequenceOf(packet)
    this.#setSsrc(salt, ssrcOf(packet))
    iv[8] = salt[8]! ^ (rollover >>> 24)
    iv[9] = salt[9]! ^ (rollover >>> 16)
    iv[10] = salt[10]! ^ (rollover >>> 8)
    iv[11] = salt[11]! ^ rollover
    iv[12] = salt[12]! ^ (sequence >> 8)
    iv[13] = salt[13]! ^ sequence
    return iv
  }

  #rtcpIv(ssrc: number, index: number): Uint8Array {
    const iv = this.#iv
    const { salt } = this.#rtcp
    this.#setSsrc(salt, ssrc)
    iv[8] = salt[8]!
    iv[9] = salt[9]!
    iv[10] = salt[10]! ^ (index >>> 24)
    iv[11] = salt[11]! ^ (index >>> 16)
    iv[12] = salt[12]! ^ (index >>> 8)
    iv[13] = salt[13]! ^ index
    return iv
  }

  #setSsrc(salt: Uint8Array, ssrc: number): void {
    const iv = this.#iv
    for (let i = 0; i < 4; i++) iv[i] = salt[i]!
    iv[4] = salt[4]! ^ (ssrc >>> 24)
    iv[5] = salt[5]! ^ (ssrc >>> 16)
    iv[6] = salt[6]! ^ (ssrc >>> 8)
    iv[7] = salt[7]! ^ ssrc
  }
}

interface Keyed {
  readonly cipher: CounterMode
  readonly hmac: HmacSha1
  readonly salt: Uint8Array
}

const keyed = ({ cipher, auth, salt }: SessionKeys): Keyed => ({
  cipher: new CounterMode(cipher),
  hmac: new HmacSha1(auth),
  salt,
})
