import { headerKey, isHeader } from './header-name.ts'
import type { SipMessage } from './message.ts'

const encoder = new TextEncoder()
const contentLength = headerKey('Content-Length')

// A line end inside a value would begin a foreign header field: it becomes a space.
const breaks = /[\r\n]/
const oneLine = (text: string): string => (breaks.test(text) ? text.replace(/[\r\n]+/g, ' ') : text)

/**
 * The bytes of a message: header fields as they stand, in their order, unfolded. A Content-Length that does not state
 * the body's length is put right; a missing one stays missing (`withBody` adds it).
 */
export function formatMessage(message: SipMessage): Uint8Array {
  const { body } = message
  let text =
    message.kind === 'request'
      ? `${oneLine(message.method)} ${oneLine(message.uri)} SIP/2.0\r\n`
      : `SIP/2.0 ${message.status} ${oneLine(message.reason)}\r\n`
  for (const { name, value } of message.headers) {
    const written =
      isHeader(name, contentLength) && Number(value) !== body.length ? String(body.length) : oneLine(value)
    text += written === '' ? `${oneLine(name)}:\r\n` : `${oneLine(name)}: ${written}\r\n`
  }
  const head = encoder.encode(`${text}\r\n`)
  if (body.length === 0) return head
  const bytes = new Uint8Array(head.length + body.length)
  bytes.set(head)
  bytes.set(body, head.length)
  return bytes
}
