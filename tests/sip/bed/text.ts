import { parseMessage, type SipMessage, type SipRequest } from '../../../sip/index.ts'

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
export const text = (data: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(data)
/** Lines with CRLF ends, as a head needs them. */
export const wire = (...lines: readonly string[]): string => lines.map(line => `${line}\r\n`).join('')

/** What must parse. */
export function parsed(data: Uint8Array | string): SipMessage {
  const result = parseMessage(typeof data === 'string' ? bytes(data) : data)
  if (!result.ok) throw new Error(`expected a message, got ${result.reason} at ${result.at}`)
  return result.value
}

export function parsedRequest(data: Uint8Array | string): SipRequest {
  const message = parsed(data)
  if (message.kind !== 'request') throw new Error('expected a request')
  return message
}

export const options = wire(
  'OPTIONS sip:bob@b.test SIP/2.0',
  'Via: SIP/2.0/UDP a.test:5060;branch=z9hG4bK1',
  'Max-Forwards: 70',
  'From: <sip:alice@a.test>;tag=1',
  'To: <sip:bob@b.test>',
  'Call-ID: 1@a.test',
  'CSeq: 1 OPTIONS',
  'Content-Length: 0',
  '',
)
