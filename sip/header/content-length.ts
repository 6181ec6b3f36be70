import type { Parsed } from '../base/parsed.ts'
import { boundedNumber } from '../grammar/token.ts'

/** No body is this long; a larger number is no length. */
const maxLength = 0x7fff_ffff

/** RFC 3261 §20.14: digits only, so a sign is a fault. */
export function parseContentLength(text: string): Parsed<number, 'bad-content-length'> {
  const value = boundedNumber(text, maxLength)
  return value === undefined ? { ok: false, reason: 'bad-content-length', at: 0 } : { ok: true, value }
}
