import { dialogOfCaller, type RespondedInvite } from '../../dialog/dialog.ts'
import type { CredentialScope } from '../../digest/credential-scope.ts'
import type { HeaderField, SipRequest } from '../../message/message.ts'
import { allowsMethod, contactUriOf } from '../../message/typed-fields.ts'
import type { Flow } from '../../network/flow.ts'
import type { IncomingResponse } from '../../transaction/incoming.ts'
import type { ClientTransaction } from '../../transaction/transaction.ts'
import type { EndpointServices } from '../services/services.ts'
import type { DialogRemote } from '../session/dialog-remote.ts'
import { InviteSession } from '../session/invite-session.ts'
import type { InviteSessionOwner } from '../session/session-context.ts'

/** What of a call that we dial the dialogs with its forks have in common. */
export interface DialledCall {
  readonly callId: string
  readonly localTag: string
  /** Of the last INVITE. */
  readonly cseq: number
  /** What we offered; empty = the call is over, and its forks are only hung up. */
  readonly sdp: string
  /** The customer whose document named the target (`HopName`). */
  readonly customer: string | undefined
  readonly remote: DialogRemote
  readonly scope: CredentialScope | undefined
}

/** An INVITE of ours, and a 1xx or 2xx to it that makes a dialog. */
export interface DialAnswer extends RespondedInvite, DialledCall {
  /** Where the dialog's messages come from. */
  readonly near: Flow
}

/**
 * A 1xx or 2xx with a To tag to an INVITE of the call, with all that its dialog needs (RFC 3261 §12.1.2). `cseq`: of our last
 * request in that dialog; default: of the INVITE.
 */
export function answerTo(
  { callId, localTag, cseq: ofInvite, sdp, customer, remote, scope }: DialledCall,
  { request, flow }: ClientTransaction,
  response: IncomingResponse,
  cseq = ofInvite,
): DialAnswer {
  // A UDP source address can be forged. A target that a customer named stays at the address that was resolved and allowed.
  const near = customer === undefined || response.flow.address === flow.address ? response.flow : flow
  remote.learnFlow(near)
  return { callId, localTag, request, cseq, response, sdp, near, customer, remote, scope }
}

/** The dialog that a response makes (RFC 3261 §12.1.2), as a session whose offer was ours. `early`: no 2xx. */
export function sessionOf(
  services: EndpointServices,
  host: InviteSessionOwner,
  answered: DialAnswer,
  state: 'early' | 'open' = 'open',
): InviteSession {
  const { response } = answered
  const dialog = dialogOfCaller(answered, contactUriOf(response.message))
  return new InviteSession(services, host, dialog, answered.near, {
    state,
    offer: 'local-offer',
    weCalled: true,
    remoteAllowsUpdate: allowsMethod(response.message, 'UPDATE'),
    localSdp: answered.sdp,
    customer: answered.customer,
    remote: answered.remote,
    scope: answered.scope,
  })
}

/** What an ACK repeats of its INVITE's credentials (RFC 3261 §22.1). */
export const authorizationOf = (request: SipRequest): HeaderField[] =>
  request.headers.filter(header => header.name === 'Authorization' || header.name === 'Proxy-Authorization')
