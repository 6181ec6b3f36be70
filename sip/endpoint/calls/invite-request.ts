import { quote } from '../../grammar/quoted-string.ts'
import type { HeaderField, SipRequest } from '../../message/message.ts'
import type { Flow } from '../../network/flow.ts'
import { escapeUser } from '../../uri/escape.ts'
import type { CallCommand, DialTarget } from '../services/call-command.ts'
import { buildRequest, contactOf, viaOf } from '../services/request.ts'
import { acceptField, allowField, type EndpointSettings, supported, supportedByCaller } from '../services/settings.ts'

/** RFC 3261 §8.1.1.6. */
const usualForwards = 70

type DialCommand = Extract<CallCommand, { type: 'dial' }>
/** A dial whose target is known. */
export type ResolvedDial = Omit<DialCommand, 'target'> & { readonly target: DialTarget }

interface InviteNames {
  readonly branch: string
  readonly callId: string
  readonly localTag: string
  readonly cseq: number
  /** Provisional responses may be reliable. */
  readonly isReliable: boolean
  /** Credentials, and what only softphones get. */
  readonly extra: readonly HeaderField[]
}

/** The INVITE that opens a dialled call (RFC 3261 §13.2.1); who calls stands in From and in P-Asserted-Identity. */
export function inviteOf(settings: EndpointSettings, dial: ResolvedDial, flow: Flow, names: InviteNames): SipRequest {
  const { target, from, sdp, maxForwards = usualForwards } = dial
  // A realm that only this machine knows would mean the peer itself.
  const domain = settings.realm === 'localhost' ? flow.localHost : settings.realm
  const display = from.displayName === undefined || from.displayName === '' ? '' : `${quote(from.displayName)} `
  const identity = `${display}<sip:${escapeUser(from.user)}@${domain}>`
  return buildRequest({
    method: 'INVITE',
    uri: target.uri,
    via: viaOf(flow, names.branch),
    head: [
      { name: 'Max-Forwards', value: String(maxForwards) },
      { name: 'From', value: `${identity};tag=${names.localTag}` },
      { name: 'To', value: `<${target.to ?? target.uri}>` },
      { name: 'Call-ID', value: names.callId },
      { name: 'CSeq', value: `${names.cseq} INVITE` },
    ],
    fields: [
      { name: 'Contact', value: contactOf(flow) },
      { name: 'P-Asserted-Identity', value: identity },
      allowField,
      { name: 'Supported', value: names.isReliable ? supported : supportedByCaller },
      acceptField,
      { name: 'User-Agent', value: settings.userAgent },
      ...names.extra,
    ],
    sdp,
  })
}

const cancelKeeps: ReadonlySet<string> = new Set(['Route', 'Max-Forwards', 'From', 'To', 'Call-ID'])

/** RFC 3261 §9.1: the INVITE's Request-URI, Call-ID, To, From, CSeq number, topmost Via and Route. */
export function cancelOf(invite: SipRequest, cseq: number, fields: readonly HeaderField[]) {
  const via = invite.headers.find(({ name }) => name === 'Via')?.value ?? ''
  const cancel = buildRequest({
    method: 'CANCEL',
    uri: invite.uri,
    via,
    head: [...invite.headers.filter(({ name }) => cancelKeeps.has(name)), { name: 'CSeq', value: `${cseq} CANCEL` }],
    fields,
  })
  return { cancel, branch: /;branch=([^;]+)/.exec(via)?.[1] ?? '' }
}
