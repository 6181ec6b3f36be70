import { createHash, createHmac } from 'node:crypto'
import { ascii, concat } from './wire.ts'

export const sha256 = (...parts: readonly Uint8Array[]): Uint8Array => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** The pseudo-random function of TLS 1.2 with SHA-256 (RFC 5246 §5). */
export const prf = (secret: Uint8Array, label: string, seed: Uint8Array, length: number): Uint8Array => {
  const hmac = (message: Uint8Array): Uint8Array => createHmac('sha256', secret).update(message).digest()
  const labelled = concat(ascii(label), seed)
  const out = new Uint8Array(length)
  let a = labelled
  for (let at = 0; at < length; at += 32) {
    a = hmac(a)
    out.set(hmac(concat(a, labelled)).subarray(0, length - at), at)
  }
  return out
}
