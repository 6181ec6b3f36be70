import { clampedNumber, isToken, trimBlanks, trimBlanksEnd } from '../grammar/token.ts'
import type { ParseFault } from './fault.ts'

export type StartLine =
  | { readonly kind: 'request'; readonly method: string; readonly uri: string }
  | { readonly kind: 'response'; readonly status: number; readonly reason: string }

/** `line` is missing when so little was understood that there is nothing to answer. */
type ParsedStartLine =
  | { readonly ok: true; readonly line: StartLine }
  | { readonly ok: false; readonly reason: ParseFault; readonly line?: StartLine }

/** As nearly every sender writes it: known without a match of the patterns. */
const usualVersion = 'SIP/2.0'
const ours = /^SIP\/2\.0$/i
const anyVersion = /^SIP\/\d+\.\d+$/i
// White space ends the URI; brackets, quotes and controls are no part of any (RFC 4475 §3.1.2.7, §3.1.2.8).
const notInUri = /[\s<>"\x00-\x1f\x7f]/

/** RFC 3261 §7.1, §7.2. White space after the version is let pass (RFC 4475 §3.1.2.10). */
export function parseStartLine(text: string): ParsedStartLine {
  if (text.startsWith(usualVersion) || /^SIP\//i.test(text)) return parseStatusLine(text)
  const trimmed = trimBlanksEnd(text)
  const methodEnd = trimmed.indexOf(' ')
  const versionAt = trimmed.lastIndexOf(' ') + 1
  if (methodEnd <= 0) return { ok: false, reason: 'bad-start-line' }
  const method = trimmed.slice(0, methodEnd)
  const version = trimmed.slice(versionAt)
  if (!isToken(method)) return { ok: false, reason: 'bad-start-line' }
  const uri = trimmed.slice(methodEnd + 1, Math.max(versionAt - 1, methodEnd + 1))
  const line = { kind: 'request', method, uri } as const
  if (version !== usualVersion && !anyVersion.test(version)) return { ok: false, reason: 'bad-start-line' }
  if (uri === '' || notInUri.test(uri)) return { ok: false, reason: 'bad-start-line', line }
  return version === usualVersion || ours.test(version)
    ? { ok: true, line }
    : { ok: false, reason: 'bad-version', line }
}

function parseStatusLine(text: string): ParsedStartLine {
  if (text.slice(0, 8).toUpperCase() !== 'SIP/2.0 ') return { ok: false, reason: 'bad-version' }
  const status = clampedNumber(text.slice(8, 11), 999) ?? 0
  const isEnded = text.length === 11 || text.charCodeAt(11) === 0x20
  if (!isEnded || status < 100 || status > 699) return { ok: false, reason: 'bad-start-line' }
  return { ok: true, line: { kind: 'response', status, reason: trimBlanks(text.slice(12)) } }
}
