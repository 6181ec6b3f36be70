import { CounterMode } from './counter-mode.ts'
import type { SrtpKeys } from './profile.ts'

/** RFC 3711 §4.3.1, table of labels. */
const labels = { rtp: { cipher: 0, auth: 1, salt: 2 }, rtcp: { cipher: 3, auth: 4, salt: 5 } } as const

const authKeyLength = 20

export interface SessionKeys {
  readonly cipher: Uint8Array
  readonly auth: Uint8Array
  readonly salt: Uint8Array
}

/** RFC 3711 §4.3 with a key derivation rate of 0: once, for the life of the stream. */
export const deriveKeys = ({ key, salt }: SrtpKeys, kind: 'rtp' | 'rtcp'): SessionKeys => {
  const { cipher, auth, salt: saltLabel } = labels[kind]
  return {
    cipher: deriveKey(key, salt, cipher, key.length),
    auth: deriveKey(key, salt, auth, authKeyLength),
    salt: deriveKey(key, salt, saltLabel, salt.length),
  }
}

/** The pseudo-random function AES-CM (RFC 3711 §4.3.3). A salt of 96 bits has zeros after it (RFC 7714 §11). */
export const deriveKey = (masterKey: Uint8Array, masterSalt: Uint8Array, label: number, length: number): Uint8Array => {
  const iv = new Uint8Array(16)
  iv.set(masterSalt)
  iv[7]! ^= label
  const derived = new Uint8Array(length)
  new CounterMode(masterKey).apply(derived, 0, length, iv)
  return derived
}
