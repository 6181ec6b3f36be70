import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto'
import { sequenceOf, ssrcOf } from '../packet/header.ts'
import type { SessionKeys } from './key-derivation.ts'
import { forged, type PacketCipher } from './packet-cipher.ts'
import { srtcpIndexLength, srtpFacts } from './profile.ts'
import { encryptedBit, readWord, rtcpHeaderLength, rtcpSsrcOf, writeWord } from './srtcp-packet.ts'

const { rtpTagLength: tagLength } = srtpFacts.AEAD_AES_128_GCM
const algorithm = 'aes-128-gcm'
const options = { authTagLength: tagLength }
const nothing = new Uint8Array(0)

interface Keyed {
  readonly key: KeyObject
  readonly salt: Uint8Array
}

const keyed = ({ cipher, salt }: SessionKeys): Keyed => ({ key: createSecretKey(cipher), salt })

/** AEAD_AES_128_GCM (RFC 7714). Node has no GCM object for more than one message: a packet costs two. */
export class GaloisCounter implements PacketCipher {
  readonly #rtp: Keyed
  readonly #rtcp: Keyed
  readonly #iv = new Uint8Array(12)
  readonly #associated = new Uint8Array(rtcpHeaderLength + srtcpIndexLength)

  constructor(rtp: SessionKeys, rtcp: SessionKeys) {
    this.#rtp = keyed(rtp)
    this.#rtcp = keyed(rtcp)
  }

  sealRtp(packet: Uint8Array, from: number, length: number, rollover: number): number {
    const iv = this.#ivOf(this.#rtp.salt, ssrcOf(packet), rollover, sequenceOf(packet))
    return this.#seal(this.#rtp.key, iv, packet.subarray(0, from), packet, from, length)
  }

  openRtp(packet: Uint8Array, from: number, length: number, rollover: number): number {
    const iv = this.#ivOf(this.#rtp.salt, ssrcOf(packet), rollover, sequenceOf(packet))
    return this.#open(this.#rtp.key, iv, packet.subarray(0, from), packet, from, length)
  }

  sealRtcp(packet: Uint8Array, length: number, index: number): number {
    const word = (encryptedBit | index) >>> 0
    const iv = this.#ivOf(this.#rtcp.salt, rtcpSsrcOf(packet), index >>> 16, index & 0xffff)
    const end = this.#seal(this.#rtcp.key, iv, this.#associate(packet, word), packet, rtcpHeaderLength, length)
    writeWord(packet, end, word)
    return end + srtcpIndexLength
  }

  openRtcp(packet: Uint8Array, length: number): number {
    const end = length - srtcpIndexLength
    if (end < rtcpHeaderLength + tagLength) return forged
    const word = readWord(packet, end)
    const index = word & 0x7fff_ffff
    const iv = this.#ivOf(this.#rtcp.salt, rtcpSsrcOf(packet), index >>> 16, index & 0xffff)
    if (word >= encryptedBit) {
      return this.#open(this.#rtcp.key, iv, this.#associate(packet, word), packet, rtcpHeaderLength, end)
    }
    // RFC 7714 §9.3: in clear, all of it is associated data.
    const clear = end - tagLength
    const associated = new Uint8Array(clear + srtcpIndexLength)
    associated.set(packet.subarray(0, clear))
    writeWord(associated, clear, word)
    return this.#open(this.#rtcp.key, iv, associated, packet, clear, end)
  }

  // RFC 7714 §8.1, §9.1: 0 0 | SSRC | 32 bits | 16 bits, ⊕ salt
  #ivOf(salt: Uint8Array, ssrc: number, high: number, low: number): Uint8Array {
    const iv = this.#iv
    iv[0] = 0
    iv[1] = 0
    writeWord(iv, 2, ssrc)
    writeWord(iv, 6, high)
    iv[10] = low >> 8
    iv[11] = low
    for (let i = 0; i < iv.length; i++) iv[i]! ^= salt[i]!
    return iv
  }

  #associate(packet: Uint8Array, word: number): Uint8Array {
    for (let i = 0; i < rtcpHeaderLength; i++) this.#associated[i] = packet[i]!
    writeWord(this.#associated, rtcpHeaderLength, word)
    return this.#associated
  }

  #seal(
    key: KeyObject,
    iv: Uint8Array,
    associated: Uint8Array,
    packet: Uint8Array,
    from: number,
    length: number,
  ): number {
    const cipher = createCipheriv(algorithm, key, iv, options).setAAD(associated)
    packet.set(cipher.update(packet.subarray(from, length)), from)
    cipher.final()
    packet.set(cipher.getAuthTag(), length)
    return length + tagLength
  }

  #open(
    key: KeyObject,
    iv: Uint8Array,
    associated: Uint8Array,
    packet: Uint8Array,
    from: number,
    length: number,
  ): number {
    const end = length - tagLength
    if (end < from) return forged
    const decipher = createDecipheriv(algorithm, key, iv, options)
      .setAAD(associated)
      .setAuthTag(packet.subarray(end, length))
    const plain = decipher.update(from === end ? nothing : packet.subarray(from, end))
    try {
      decipher.final()
    } catch {
      return forged
    }
    packet.set(plain, from)
    return end
  }
}
