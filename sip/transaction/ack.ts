import { formatMessage } from '../message/format.ts'
import { headersOf } from '../message/headers.ts'
import type { HeaderField, SipRequest } from '../message/message.ts'
import type { IncomingResponse } from './incoming.ts'

/** RFC 3261 §17.1.1.3: the ACK to a final response that is not 2xx has the INVITE's Via and Route, and its To. */
export function formatAckTo(request: SipRequest, response: IncomingResponse): Uint8Array {
  const [via = ''] = headersOf(request, 'Via')
  const headers: HeaderField[] = [{ name: 'Via', value: via }]
  for (const field of request.headers) if (field.name === 'Route' || field.name === 'From') headers.push(field)
  headers.push(
    { name: 'To', value: response.to },
    { name: 'Call-ID', value: response.callId },
    { name: 'CSeq', value: `${response.cseq} ACK` },
    { name: 'Max-Forwards', value: '70' },
    { name: 'Content-Length', value: '0' },
  )
  return formatMessage({ kind: 'request', method: 'ACK', uri: request.uri, headers, body: new Uint8Array(0) })
}
