import type { Parsed } from '../base/parsed.ts'
import { clampedNumber } from '../grammar/token.ts'

/** RFC 3261 §20.22: 0 to 255; larger ones are taken as 255 (RFC 4475 §3.1.2.4). */
const maxForwards = 255

export function parseMaxForwards(text: string): Parsed<number, 'bad-max-forwards'> {
  const value = clampedNumber(text, maxForwards)
  return value === undefined ? { ok: false, reason: 'bad-max-forwards', at: 0 } : { ok: true, value }
}
