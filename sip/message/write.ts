import { TextWriter } from '../base/text-writer.ts'
import { headerKey, isHeader } from './header-name.ts'
import type { SipMessage } from './message.ts'

const contentLength = headerKey('Content-Length')
const writer = new TextWriter()

/**
 * `formatMessage`, for a switch that sends thousands of messages a second: the same bytes, written octet by octet. A string
 * put together of its parts leaves some 2 KB of garbage a message; a phone has room for that, and none for a second way.
 */
export function writeMessage(message: SipMessage): Uint8Array {
  const { headers, body } = message
  writer.clear()
  if (message.kind === 'request') {
    writer.write(message.method)
    writer.write(' ')
    writer.write(message.uri)
    writer.write(' SIP/2.0')
  } else {
    writer.write('SIP/2.0 ')
    writer.write(String(message.status))
    writer.write(' ')
    writer.write(message.reason)
  }
  for (const { name, value } of headers) {
    writer.endLine()
    writer.write(name)
    writer.write(':')
    const written = isHeader(name, contentLength) && Number(value) !== body.length ? String(body.length) : value
    if (written === '') continue
    writer.write(' ')
    writer.write(written)
  }
  writer.endLine()
  writer.endLine()
  return writer.bytesWith(body)
}
