import { dialogOfCaller, type RespondedInvite } from '../dialog/invite-dialog.ts'
import type { HeaderField, SipRequest } from '../message/message.ts'
import type { Flow } from '../transaction/flow.ts'
import type { Agent } from './agent.ts'
import type { CredentialScope } from './credential-scope.ts'
import type { DialogParty } from './dialog-party.ts'
import { allowsMethod, contactUriOf } from './fields.ts'
import { Session, type SessionHost } from './session.ts'

/** An INVITE of ours and a 2xx to it. */
export interface DialAnswer extends RespondedInvite {
  /** What we offered. */
  readonly sdp: string
  /** Where the dialog's messages come from. */
  readonly near: Flow
  /** The customer whose document named the target (`HopName`). */
  readonly customer: string | undefined
  readonly party: DialogParty
  readonly scope: CredentialScope | undefined
}

/** The dialog that a 2xx makes (RFC 3261 §12.1.2), as a session whose offer was ours. */
export function sessionOf(agent: Agent, host: SessionHost, answered: DialAnswer): Session {
  const { response } = answered
  const dialog = dialogOfCaller(answered, contactUriOf(response.message))
  const session = new Session(agent, host, dialog, answered.near, {
    state: 'open',
    offer: 'local-offer',
    weCalled: true,
    localSdp: answered.sdp,
    customer: answered.customer,
    party: answered.party,
    scope: answered.scope,
  })
  if (allowsMethod(response.message, 'UPDATE')) session.peerAllowsUpdate = true
  return session
}

/** What an ACK repeats of its INVITE's credentials (RFC 3261 §22.1). */
export const authorizationOf = (request: SipRequest): HeaderField[] =>
  request.headers.filter(header => header.name === 'Authorization' || header.name === 'Proxy-Authorization')
