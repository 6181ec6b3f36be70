import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

/** HMAC-SHA256 of the text, base64url without padding: 43 characters. */
export const signatureOf = (text: string, key: KeyObject): string =>
  createHmac('sha256', key).update(text).digest('base64url')

/**
 * Compares as text, in constant time. Decoded first, two texts could be the same signature: the last character of 43
 * carries two bits that base64 throws away.
 */
export function isSignatureOf(signature: string, text: string, key: KeyObject): boolean {
  const presented = Buffer.from(signature)
  const right = Buffer.from(signatureOf(text, key))
  return presented.length === right.length && timingSafeEqual(presented, right)
}
