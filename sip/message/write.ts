import { TextWriter } from '../base/text-writer.ts'
import { headerKey, isHeader } from './header-name.ts'
import type { SipMessage } from './message.ts'

const contentLength = headerKey('Content-Length')

/**
 * A message written octet by octet, line by line. A string put together of its parts leaves some 2 KB of garbage a message,
 * and a list of fields to be written as much again.
 */
export class MessageWriter {
  readonly #text = new TextWriter()

  beginRequest(method: string, uri: string): void {
    this.#text.clear()
    this.#text.write(method)
    this.#text.write(' ')
    this.#text.write(uri)
    this.#text.write(' SIP/2.0')
  }

  beginResponse(status: number, reason: string): void {
    this.#text.clear()
    this.#text.write('SIP/2.0 ')
    this.#text.write(String(status))
    this.#text.write(' ')
    this.#text.write(reason)
  }

  field(name: string, value: string): void {
    this.#text.endLine()
    this.#text.write(name)
    this.#text.write(':')
    if (value === '') return
    this.#text.write(' ')
    this.#text.write(value)
  }

  /** The whole message. */
  end(body: Uint8Array): Uint8Array {
    this.#text.endLine()
    this.#text.endLine()
    return this.#text.bytesWith(body)
  }
}

const writer = new MessageWriter()

/**
 * `formatMessage`, for a switch that sends thousands of messages a second: the same bytes. A phone has room for the garbage of
 * `formatMessage`, and none for a second way.
 */
export function writeMessage(message: SipMessage): Uint8Array {
  const { headers, body } = message
  if (message.kind === 'request') writer.beginRequest(message.method, message.uri)
  else writer.beginResponse(message.status, message.reason)
  for (const { name, value } of headers) {
    const isWrong = isHeader(name, contentLength) && Number(value) !== body.length
    writer.field(name, isWrong ? String(body.length) : value)
  }
  return writer.end(body)
}
