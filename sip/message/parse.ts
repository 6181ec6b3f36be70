import type { ParsedMessage } from './fault.ts'
import { assemble, type Head, messageFault, parseHead } from './head.ts'
import { headerKey, isHeader } from './header-name.ts'
import { messageLimits } from './limits.ts'

// The bytes of a mark at the start stay: a name that begins with one is no token.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const contentLength = headerKey('Content-Length')
// A session description has more; fewer surplus bytes may be stray line ends after a correct body.
const leastLines = 6
const lf = 0x0a
const cr = 0x0d
const noBody = new Uint8Array()

/** The head of a message: UTF-8, without the empty line that ends it. */
export const decodeHead = (bytes: Uint8Array): string => decoder.decode(bytes)

/**
 * One datagram, one message (RFC 3261 §7, §18.3). Bytes beyond Content-Length are cut, fewer are a fault; without a
 * Content-Length the body is the rest. The body is a view into `bytes`. `empty`: nothing but line ends, a keep-alive.
 */
export function parseMessage(bytes: Uint8Array): ParsedMessage {
  let start = 0
  while (start < bytes.length && (bytes[start] === cr || bytes[start] === lf)) start++
  if (start === bytes.length) return messageFault('empty', 0)
  if (bytes.length - start > messageLimits.bytes) return messageFault('message-too-large', messageLimits.bytes)
  const headEnd = headEndOf(bytes, start)
  const bodyAt = bytes[headEnd] === cr ? headEnd + 2 : headEnd + 1
  const head = parseHead(decodeHead(bytes.subarray(start, headEnd)))
  if (head.fault !== undefined) return messageFault(head.fault.reason, head.fault.at, head)
  // The archive of RFC 4475 holds a message without its empty line; one that stops inside a line is torn.
  if (bodyAt > bytes.length && bytes[bytes.length - 1] !== lf) return messageFault('head-unfinished', headEnd, head)
  return withBodyOf(head, bodyAt < bytes.length ? bytes.subarray(bodyAt) : noBody, headEnd)
}

function withBodyOf(head: Head, rest: Uint8Array, at: number): ParsedMessage {
  const declared = head.contentLength
  if (declared !== undefined && declared > rest.length) return messageFault('body-too-short', at, head)
  if (declared === undefined || declared === rest.length) return complete(head, rest)
  return isCountedWithoutCrs(rest, declared)
    ? complete(withLength(head, rest.length), rest)
    : complete(head, rest.subarray(0, declared))
}

function complete(head: Head, body: Uint8Array): ParsedMessage {
  const message = assemble(head, body)
  return message === undefined ? messageFault('bad-start-line', 0) : { ok: true, value: message }
}

/** Where the head ends: past its last line end, before the empty line; at the end when no empty line is there. */
function headEndOf(bytes: Uint8Array, start: number): number {
  // By hand: `indexOf` for each line costs more than the whole loop.
  for (let at = start; at < bytes.length; at++) {
    if (bytes[at] !== lf) continue
    if (bytes[at + 1] === lf || (bytes[at + 1] === cr && bytes[at + 2] === lf)) return at + 1
  }
  return bytes.length
}

/**
 * A known fault of senders, three messages of RFC 5118 among them: the length was counted with LF line ends (one more
 * or less), the body sent with CRLF. Cutting there would leave half a line, so such a body is taken whole and its
 * length put right.
 */
function isCountedWithoutCrs(body: Uint8Array, declared: number): boolean {
  if (declared === 0 || body[declared - 1] === lf || body[body.length - 1] !== lf) return false
  let lineEnds = 0
  for (let at = body.indexOf(lf); at !== -1; at = body.indexOf(lf, at + 1)) if (body[at - 1] === cr) lineEnds++
  return lineEnds >= leastLines && Math.abs(body.length - declared - lineEnds) <= 1
}

const withLength = (head: Head, length: number): Head => ({
  ...head,
  headers: head.headers.map(header =>
    isHeader(header.name, contentLength) ? { name: header.name, value: String(length) } : header,
  ),
  contentLength: length,
})
