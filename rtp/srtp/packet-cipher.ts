import { CounterHmac } from './counter-hmac.ts'
import { GaloisCounter } from './galois-counter.ts'
import { deriveKeys } from './key-derivation.ts'
import { type SrtpKeys, srtpFacts } from './profile.ts'

/** Not authentic. */
export const forged = -1

/**
 * One direction's protection of single packets, in place. Lengths go in and come out; who calls knows the index of the
 * packet and that there is room for what it grows by.
 */
export interface PacketCipher {
  /** `from`: where the payload begins; `rollover` and the packet's sequence number make its index. */
  sealRtp(packet: Uint8Array, from: number, length: number, rollover: number): number
  /** `forged`, with nothing changed, or the length of the plain packet. */
  openRtp(packet: Uint8Array, from: number, length: number, rollover: number): number
  sealRtcp(packet: Uint8Array, length: number, index: number): number
  openRtcp(packet: Uint8Array, length: number): number
}

export const packetCipher = (keys: SrtpKeys): PacketCipher => {
  const rtp = deriveKeys(keys, 'rtp')
  const rtcp = deriveKeys(keys, 'rtcp')
  return keys.profile === 'AEAD_AES_128_GCM'
    ? new GaloisCounter(rtp, rtcp)
    : new CounterHmac(rtp, rtcp, srtpFacts[keys.profile])
}
