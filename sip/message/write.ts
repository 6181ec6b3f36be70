import { headerKey, isHeader } from './header-name.ts'
import type { SipMessage } from './message.ts'

const encoder = new TextEncoder()
const contentLength = headerKey('Content-Length')
const cr = 0x0d
const lf = 0x0a
const lastAscii = 0x7f
/** One character of a string is at most so many bytes of UTF-8. */
const mostBytesOfCharacter = 3
/** ` SIP/2.0`, `: ` and line ends around what a line says. */
const aroundLine = 16

/** The message is put together here; what is given away is a copy. It grows with the longest message so far. */
let scratch = new Uint8Array(4096)

// A line end inside a value would begin a foreign header field: it becomes a space.
const oneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ')

/**
 * `formatMessage`, for a switch that sends thousands of messages a second: the same bytes, written octet by octet. A string
 * put together of its parts leaves some 2 KB of garbage a message; a phone has room for that, and none for a second way.
 */
export function writeMessage(message: SipMessage): Uint8Array {
  const { headers, body } = message
  makeRoom(message)
  let at: number
  if (message.kind === 'request') {
    at = write(message.method, 0)
    scratch[at++] = 0x20
    at = write(message.uri, at)
    at = write(' SIP/2.0', at)
  } else {
    at = write('SIP/2.0 ', 0)
    at = write(String(message.status), at)
    scratch[at++] = 0x20
    at = write(message.reason, at)
  }
  for (const { name, value } of headers) {
    at = endLine(at)
    at = write(name, at)
    scratch[at++] = 0x3a
    const written = isHeader(name, contentLength) && Number(value) !== body.length ? String(body.length) : value
    if (written === '') continue
    scratch[at++] = 0x20
    at = write(written, at)
  }
  at = endLine(endLine(at))
  scratch.set(body, at)
  return scratch.slice(0, at + body.length)
}

function makeRoom(message: SipMessage): void {
  const line = message.kind === 'request' ? message.method.length + message.uri.length : message.reason.length
  let characters = line + aroundLine
  for (const { name, value } of message.headers) characters += name.length + value.length + aroundLine
  const most = characters * mostBytesOfCharacter + message.body.length
  if (scratch.length < most) scratch = new Uint8Array(2 * most)
}

function endLine(at: number): number {
  scratch[at] = cr
  scratch[at + 1] = lf
  return at + 2
}

/** Nearly everything in SIP is ASCII; what is not is written by the encoder. */
function write(text: string, at: number): number {
  const bytes = scratch
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > lastAscii || code === cr || code === lf) return encode(text, at)
    bytes[at + i] = code
  }
  return at + text.length
}

const encode = (text: string, at: number): number =>
  at + encoder.encodeInto(oneLine(text), scratch.subarray(at)).written
