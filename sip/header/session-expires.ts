import type { Parsed } from '../base/parsed.ts'
import { parameterOf, parseParameters } from '../grammar/parameters.ts'
import { clampedNumber, max32 } from '../grammar/token.ts'

/** RFC 4028 §4: the session's interval, and who refreshes it. */
export interface SessionExpires {
  readonly seconds: number
  readonly refresher: 'uac' | 'uas' | undefined
}

/** Reads Session-Expires; the interval in seconds. */
export function parseSessionExpires(text: string): Parsed<SessionExpires, 'bad-session-expires' | 'bad-parameter'> {
  const semicolon = text.indexOf(';')
  const end = semicolon === -1 ? text.length : semicolon
  const seconds = clampedNumber(text.slice(0, end).trim(), max32)
  if (seconds === undefined) return { ok: false, reason: 'bad-session-expires', at: 0 }
  const parameters = parseParameters(text, end)
  if (!parameters.ok) return parameters
  const refresher = parameterOf(parameters.value, 'refresher')?.toLowerCase()
  return {
    ok: true,
    value: { seconds, refresher: refresher === 'uac' || refresher === 'uas' ? refresher : undefined },
  }
}

/** The value of Session-Expires: `1800;refresher=uac`. */
export const formatSessionExpires = ({ seconds, refresher }: SessionExpires): string =>
  refresher === undefined ? String(seconds) : `${seconds};refresher=${refresher}`

/** Min-SE (RFC 4028 §5): seconds; its parameters mean nothing yet. */
export function parseMinSe(text: string): Parsed<number, 'bad-session-expires'> {
  const value = clampedNumber((text.split(';', 1)[0] ?? '').trim(), max32)
  return value === undefined ? { ok: false, reason: 'bad-session-expires', at: 0 } : { ok: true, value }
}
