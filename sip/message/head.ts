import { clampedNumber, isToken, trimBlanks, trimBlanksEnd } from '../grammar/token.ts'
import type { ParseFault } from './fault.ts'
import { headerKey, internHeaderName, isHeader } from './header-name.ts'
import { messageLimits } from './limits.ts'
import type { HeaderField } from './message.ts'
import { parseStartLine, type StartLine } from './start-line.ts'

/** What a head says: everything that could be read, and the first thing that was wrong with it. */
export interface Head {
  readonly line: StartLine | undefined
  readonly headers: readonly HeaderField[]
  /** As declared, at most `maxDeclaredLength`; undefined = not declared. */
  readonly contentLength: number | undefined
  readonly fault: { readonly reason: ParseFault; readonly at: number } | undefined
}

const contentLengthKey = headerKey('Content-Length')
// What is larger is this large: too large for anybody.
const maxDeclaredLength = 0x7fff_ffff

/**
 * Reads a head from its start line up to, not including, the empty line. A line end is CRLF or LF; a CR elsewhere is
 * refused, since others might take it for a line end and find other header fields than we did.
 */
export function parseHead(text: string): Head {
  const headers: HeaderField[] = []
  let fault: Head['fault']
  const wrong = (reason: ParseFault, at: number) => {
    fault ??= { reason, at }
  }

  let at = lineEnd(text, 0)
  const start = parseStartLine(text.slice(0, withoutCr(text, 0, at)))
  if (!start.ok) wrong(start.reason, 0)
  at++
  while (at < text.length) {
    const lineAt = at
    let end = lineEnd(text, at)
    let line = text.slice(at, withoutCr(text, at, end))
    at = end + 1
    if (isFold(text, at)) {
      const parts = [trimBlanksEnd(line)]
      do {
        end = lineEnd(text, at)
        parts.push(trimBlanks(text.slice(at, withoutCr(text, at, end))))
        at = end + 1
      } while (isFold(text, at))
      line = parts.join(' ')
    }
    const colon = line.indexOf(':')
    const name = trimBlanksEnd(line.slice(0, Math.max(colon, 0)))
    if (!isToken(name) || line.includes('\r')) wrong('bad-header', lineAt)
    else if (headers.length === messageLimits.headers) {
      wrong('too-many-headers', lineAt)
      break
    } else headers.push({ name: internHeaderName(name), value: trimBlanks(line.slice(colon + 1)) })
  }

  const length = declaredLength(headers)
  if (length === 'bad') wrong('bad-content-length', 0)
  return { line: start.line, headers, contentLength: length === 'bad' ? undefined : length, fault }
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

const withoutCr = (text: string, at: number, end: number): number =>
  end > at && text.charCodeAt(end - 1) === 0x0d ? end - 1 : end

function isFold(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code === 0x20 || code === 0x09
}

/** Two lengths are two messages for two readers (RFC 4475 §3.3.9): refused even when they agree. */
function declaredLength(headers: readonly HeaderField[]): number | undefined | 'bad' {
  let declared: number | undefined
  for (const { name, value } of headers) {
    if (!isHeader(name, contentLengthKey)) continue
    const length = clampedNumber(value, maxDeclaredLength)
    if (length === undefined || declared !== undefined) return 'bad'
    declared = length
  }
  return declared
}
