import { headerOf, headersOf } from '../message/headers.ts'
import type { SipRequest } from '../message/message.ts'
import type { IncomingRequest, IncomingResponse } from '../transaction/incoming.ts'
import { Dialog } from './dialog.ts'

/** The dialog of the UAS (RFC 3261 §12.1.1). `contact`: the URI in the INVITE's Contact. */
export const dialogOfCallee = (request: IncomingRequest, localTag: string, contact: string | undefined): Dialog =>
  new Dialog({
    callId: request.callId,
    localTag,
    remoteTag: request.fromTag,
    local: `${request.to};tag=${localTag}`,
    remote: request.from,
    localSeq: 0,
    remoteSeq: request.cseq,
    remoteTarget: contact ?? request.message.uri,
    routeSet: headersOf(request.message, 'Record-Route'),
  })

/** An INVITE of ours, and a response to it with a tag. */
export interface RespondedInvite {
  readonly callId: string
  readonly localTag: string
  readonly request: SipRequest
  readonly cseq: number
  readonly response: IncomingResponse
}

/** The dialog of the UAC (RFC 3261 §12.1.2). `contact`: the URI in the response's Contact. */
export const dialogOfCaller = (
  { callId, localTag, request, cseq, response }: RespondedInvite,
  contact: string | undefined,
): Dialog =>
  new Dialog({
    callId,
    localTag,
    remoteTag: response.toTag ?? '',
    local: headerOf(request, 'From') ?? '',
    remote: response.to,
    localSeq: cseq,
    remoteSeq: undefined,
    remoteTarget: contact ?? request.uri,
    // In reverse order.
    routeSet: [...headersOf(response.message, 'Record-Route')].reverse(),
  })
