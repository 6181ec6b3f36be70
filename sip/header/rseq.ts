import type { Parsed } from '../base/parsed.ts'
import { boundedNumber, max32 } from '../grammar/token.ts'

/** RFC 3262 §7.1: 1 to 2^32 − 1. */
export function parseRSeq(text: string): Parsed<number, 'bad-rseq'> {
  const value = boundedNumber(text, max32)
  return value === undefined || value === 0 ? { ok: false, reason: 'bad-rseq', at: 0 } : { ok: true, value }
}
