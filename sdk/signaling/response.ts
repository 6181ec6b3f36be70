import { type HeaderField, headersOf, type IncomingRequest, type SipResponse } from '../../sip/index.ts'

export interface ResponseParts {
  /** Our tag, for a To without one. */
  readonly toTag?: string
  readonly fields?: readonly HeaderField[]
  readonly sdp?: string
}

/** What this phone ever answers. */
const phrases: Readonly<Record<number, string>> = {
  180: 'Ringing',
  200: 'OK',
  405: 'Method Not Allowed',
  420: 'Bad Extension',
  480: 'Temporarily Unavailable',
  481: 'Call Does Not Exist',
  482: 'Loop Detected',
  486: 'Busy Here',
  487: 'Request Terminated',
  488: 'Not Acceptable Here',
  491: 'Request Pending',
  500: 'Server Internal Error',
}

const encoder = new TextEncoder()

/** RFC 3261 §8.2.6 and §12.1.1: Via, Record-Route, From, To, Call-ID and CSeq as they came. */
export function buildResponse(request: IncomingRequest, status: number, parts: ResponseParts): SipResponse {
  const same = (name: string) => headersOf(request.message, name).map(value => ({ name, value }))
  const to = request.toTag === undefined && parts.toTag !== undefined ? `${request.to};tag=${parts.toTag}` : request.to
  const body = encoder.encode(parts.sdp ?? '')
  const headers: HeaderField[] = [
    ...same('Via'),
    ...same('Record-Route'),
    { name: 'From', value: request.from },
    { name: 'To', value: to },
    { name: 'Call-ID', value: request.callId },
    { name: 'CSeq', value: request.cseqText },
    ...(parts.fields ?? []),
  ]
  if (body.length > 0) headers.push({ name: 'Content-Type', value: 'application/sdp' })
  headers.push({ name: 'Content-Length', value: String(body.length) })
  return { kind: 'response', status, reason: phrases[status] ?? '', headers, body }
}
