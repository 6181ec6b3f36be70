import { headersOf } from '../message/headers.ts'
import type { HeaderField, SipResponse } from '../message/message.ts'
import { reasonPhrase } from '../message/reason-phrase.ts'
import { addSdp } from '../message/sdp-body.ts'
import type { IncomingRequest } from './incoming.ts'

export interface ResponseParts {
  /** Our tag, added to a To without one (RFC 3261 §8.2.6.2). */
  readonly toTag?: string
  readonly fields?: readonly HeaderField[]
  readonly sdp?: string
  /** Record-Route goes back in responses that make a dialog (RFC 3261 §12.1.1). */
  readonly recordRoute?: boolean
}

const noParts: ResponseParts = {}

/** RFC 3261 §8.2.6: Via, From, To, Call-ID and CSeq as they came, the topmost Via stamped with the source. */
export function buildResponse(request: IncomingRequest, status: number, parts = noParts): SipResponse {
  const headers: HeaderField[] = []
  headers.push({ name: 'Via', value: request.via.stamped })
  const vias = headersOf(request.message, 'Via')
  for (let at = 1; at < vias.length; at++) headers.push({ name: 'Via', value: vias[at]! })
  if (parts.recordRoute === true)
    for (const value of headersOf(request.message, 'Record-Route')) headers.push({ name: 'Record-Route', value })
  const to = request.toTag !== undefined || parts.toTag === undefined ? request.to : `${request.to};tag=${parts.toTag}`
  // What a bad request lacks, its answer lacks too.
  if (request.from !== '') headers.push({ name: 'From', value: request.from })
  if (request.to !== '') headers.push({ name: 'To', value: to })
  if (request.callId !== '') headers.push({ name: 'Call-ID', value: request.callId })
  if (request.cseqText !== '') headers.push({ name: 'CSeq', value: request.cseqText })
  if (parts.fields !== undefined) for (const field of parts.fields) headers.push(field)
  const body = addSdp(headers, parts.sdp)
  return { kind: 'response', status, reason: reasonPhrase(status), headers, body }
}
