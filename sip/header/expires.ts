import type { Parsed } from '../base/parsed.ts'
import { clampedNumber, max32 } from '../grammar/token.ts'

/** Expires and Min-Expires (RFC 3261 §20.19): seconds; larger ones than 2^32 − 1 are taken as that. */
export function parseExpires(text: string): Parsed<number, 'bad-expires'> {
  const value = clampedNumber(text, max32)
  return value === undefined ? { ok: false, reason: 'bad-expires', at: 0 } : { ok: true, value }
}
