import { clampedNumber, skipBlanks, tokenEnd, trimBlanks, trimBlanksEnd } from '../grammar/token.ts'
import { type MessageFault, type ParseFault, parseFaults } from './fault.ts'
import { headerKey, headerNameAt, isHeader } from './header-name.ts'
import { messageLimits } from './limits.ts'
import type { HeaderField, SipMessage } from './message.ts'
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
// A larger value is treated as this one: too large in any case.
const maxDeclaredLength = 0x7fff_ffff

/**
 * Reads a head from its start line up to, not including, the empty line. A line end is CRLF or LF; a CR elsewhere is
 * refused, since others might take it for a line end and find other header fields than we did.
 */
export function parseHead(text: string): Head {
  const headers: HeaderField[] = []
  // The first is the one that counts.
  let fault: Head['fault']
  let at = lineEnd(text, 0)
  const start = parseStartLine(text.slice(0, withoutCr(text, 0, at)))
  if (!start.ok) fault = { reason: start.reason, at: 0 }
  at++
  let nextCr = -1
  while (at < text.length) {
    const lineAt = at
    const end = lineEnd(text, at)
    const contentEnd = withoutCr(text, at, end)
    at = end + 1
    let field: HeaderField | undefined
    if (isFold(text, at)) {
      const [line, next] = unfold(text, lineAt)
      at = next
      if (!line.includes('\r')) field = fieldAt(line, 0, line.length)
    } else {
      if (nextCr < lineAt) nextCr = indexOrEnd(text, '\r', lineAt)
      if (nextCr >= contentEnd) field = fieldAt(text, lineAt, contentEnd)
    }
    if (field === undefined) fault ??= { reason: 'bad-header', at: lineAt }
    else if (headers.length === messageLimits.headers) {
      fault ??= { reason: 'too-many-headers', at: lineAt }
      break
    } else headers.push(field)
  }

  const length = declaredLength(headers)
  if (length === 'bad') fault ??= { reason: 'bad-content-length', at: 0 }
  return { line: start.line, headers, contentLength: length === 'bad' ? undefined : length, fault }
}

/** The field of a line, read where it stands: of each, one string is made. Undefined: it is none. */
function fieldAt(text: string, at: number, end: number): HeaderField | undefined {
  const nameEnd = tokenEnd(text, at)
  const colon = skipBlanks(text, nameEnd)
  if (nameEnd === at || colon >= end || text.charCodeAt(colon) !== 0x3a) return undefined
  const value = trimBlanksEnd(text.slice(skipBlanks(text, colon + 1), end))
  return { name: headerNameAt(text, at, nameEnd), value }
}

/** RFC 3261 §7.3.1: a line and those that go on with it as one, and where the next line begins. */
function unfold(text: string, lineAt: number): readonly [line: string, next: number] {
  const parts: string[] = []
  let at = lineAt
  do {
    const end = lineEnd(text, at)
    const part = text.slice(at, withoutCr(text, at, end))
    parts.push(at === lineAt ? trimBlanksEnd(part) : trimBlanks(part))
    at = end + 1
  } while (isFold(text, at))
  return [parts.join(' '), at]
}

const lineEnd = (text: string, at: number): number => indexOrEnd(text, '\n', at)

function indexOrEnd(text: string, mark: string, at: number): number {
  const index = text.indexOf(mark, at)
  return index === -1 ? text.length : index
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

const nothing = new Uint8Array()

/** The message of a head that has a start line. */
export function assemble(head: Head, body: Uint8Array): SipMessage | undefined {
  const { line, headers } = head
  if (line === undefined) return undefined
  return line.kind === 'request'
    ? { kind: 'request', method: line.method, uri: line.uri, headers, body }
    : { kind: 'response', status: line.status, reason: line.reason, headers, body }
}

/** The fault with what may be answered: only requests are, with what was understood of their head. */
export function messageFault(reason: ParseFault, at: number, head?: Head): MessageFault {
  const status = parseFaults[reason]
  const partial = head === undefined ? undefined : assemble(head, nothing)
  if (status === undefined || partial?.kind !== 'request') return { ok: false, reason, at }
  return { ok: false, reason, at, status, partial }
}
