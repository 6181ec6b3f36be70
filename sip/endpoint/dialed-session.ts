import { Dialog } from '../dialog/dialog.ts'
import { headersOf } from '../message/headers.ts'
import type { HeaderField, SipRequest } from '../message/message.ts'
import type { IncomingResponse } from '../transaction/incoming.ts'
import type { Agent } from './agent.ts'
import type { Credentials } from './credentials.ts'
import { allowsMethod, contactUriOf } from './fields.ts'
import { Session, type SessionHost } from './session.ts'

/** An INVITE of ours and a 2xx to it. */
export interface DialAnswer {
  readonly callId: string
  readonly localTag: string
  readonly request: SipRequest
  readonly cseq: number
  readonly response: IncomingResponse
  /** What we offered. */
  readonly sdp: string
  /** Everything within the dialog goes over the flow of the INVITE. */
  readonly isFlowBound: boolean
  readonly credentials: Credentials | undefined
}

/** The dialog that a 2xx makes (RFC 3261 §12.1.2), as a session whose offer was ours. */
export function sessionOf(agent: Agent, host: SessionHost, answered: DialAnswer): Session {
  const { request, response } = answered
  const dialog = new Dialog({
    callId: answered.callId,
    localTag: answered.localTag,
    remoteTag: response.toTag ?? '',
    local: request.headers.find(header => header.name === 'From')?.value ?? '',
    remote: response.to,
    localSeq: answered.cseq,
    remoteSeq: undefined,
    remoteTarget: contactUriOf(response.message) ?? request.uri,
    // In reverse order.
    routeSet: [...headersOf(response.message, 'Record-Route')].reverse(),
  })
  const session = new Session(agent, host, dialog, response.flow, {
    state: 'open',
    offer: 'local-offer',
    weCalled: true,
    localSdp: answered.sdp,
    isFlowBound: answered.isFlowBound,
    credentials: answered.credentials,
  })
  if (allowsMethod(response.message, 'UPDATE')) session.peerAllowsUpdate = true
  return session
}

/** What an ACK repeats of its INVITE's credentials (RFC 3261 §22.1). */
export const authorizationOf = (request: SipRequest): HeaderField[] =>
  request.headers.filter(header => header.name === 'Authorization' || header.name === 'Proxy-Authorization')
