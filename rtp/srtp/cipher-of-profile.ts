import { CounterHmac } from './counter-hmac.ts'
import { GaloisCounter } from './galois-counter.ts'
import { deriveKeys } from './key-derivation.ts'
import type { PacketCipher } from './packet-cipher.ts'
import { type SrtpKeys, srtpFacts } from './profile.ts'

export const packetCipher = (keys: SrtpKeys): PacketCipher => {
  const rtp = deriveKeys(keys, 'rtp')
  const rtcp = deriveKeys(keys, 'rtcp')
  return keys.profile === 'AEAD_AES_128_GCM'
    ? new GaloisCounter(rtp, rtcp)
    : new CounterHmac(rtp, rtcp, srtpFacts[keys.profile])
}
