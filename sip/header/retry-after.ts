import type { Parsed } from '../base/parsed.ts'
import { clampedNumber, max32 } from '../grammar/token.ts'

// RFC 3261 §20.33: delta-seconds [ comment ] *( ;duration=… )
const seconds = /^(\d+)\s*(?:\(|;|$)/

/** Seconds. A comment or a duration is left aside. */
export function parseRetryAfter(text: string): Parsed<number, 'bad-retry-after'> {
  const value = clampedNumber(seconds.exec(text.trim())?.[1] ?? '', max32)
  return value === undefined ? { ok: false, reason: 'bad-retry-after', at: 0 } : { ok: true, value }
}
