import { headersOf } from '../message/headers.ts'
import type { HeaderField } from '../message/message.ts'
import { reasonPhrase } from '../message/reason-phrase.ts'
import { MessageWriter } from '../message/write.ts'
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
const noBody = new Uint8Array(0)
const utf8 = new TextEncoder()
const writer = new MessageWriter()

/**
 * The bytes of a response (RFC 3261 §8.2.6): Via, From, To, Call-ID and CSeq as they came, the topmost Via stamped with the
 * source. What a bad request lacks, its answer lacks too.
 */
export function writeResponse(request: IncomingRequest, status: number, parts = noParts): Uint8Array {
  const { message, from, to, callId, cseqText } = request
  writer.beginResponse(status, reasonPhrase(status))
  writer.field('Via', request.via.stamped)
  const vias = headersOf(message, 'Via')
  for (let at = 1; at < vias.length; at++) writer.field('Via', vias[at]!)
  if (parts.recordRoute === true)
    for (const value of headersOf(message, 'Record-Route')) writer.field('Record-Route', value)
  if (from !== '') writer.field('From', from)
  const isTagged = request.toTag !== undefined || parts.toTag === undefined
  if (to !== '') writer.field('To', isTagged ? to : `${to};tag=${parts.toTag}`)
  if (callId !== '') writer.field('Call-ID', callId)
  if (cseqText !== '') writer.field('CSeq', cseqText)
  if (parts.fields !== undefined) for (const { name, value } of parts.fields) writer.field(name, value)
  const hasSdp = parts.sdp !== undefined && parts.sdp !== ''
  const body = hasSdp ? utf8.encode(parts.sdp) : noBody
  if (hasSdp) writer.field('Content-Type', 'application/sdp')
  writer.field('Content-Length', String(body.length))
  return writer.end(body)
}
