import type { HeaderField, SipRequest } from '../../message/message.ts'
import type { Binding } from '../../registrar/binding.ts'
import { branchCookie } from '../../transaction/key.ts'
import type { ClientOwner } from '../../transaction/transaction.ts'
import { escapeUser } from '../../uri/escape.ts'
import { formatHost } from '../../uri/host.ts'
import { reasonFields } from '../services/reason-header.ts'
import { contactOf, viaOf } from '../services/request.ts'
import type { EndpointServices } from '../services/services.ts'
import { tokenEnded } from './phone-sign-in.ts'

const unwatched: ClientOwner = { responded() {}, failed() {}, finished() {} }
const utf8 = new TextEncoder()
const escapeXml = (text: string): string => text.replace(/[<>&"]/g, character => `&#${character.charCodeAt(0)};`)

/**
 * Notifies a softphone that the switch has ended its registration: the registration event of RFC 3680, unasked for. Its
 * connection stands, since live calls go on over it (docs/phones.md). A phone that takes no NOTIFY learns it from its next
 * REGISTER.
 */
export function notifyRegistrationEnded(services: EndpointServices, binding: Binding, now: number): void {
  const { flow, contact, user, id } = binding
  const record = `sip:${escapeUser(user)}@${formatHost(services.settings.realm)}`
  const branch = branchCookie + services.tokens.take(16)
  const body = utf8.encode(
    `<?xml version="1.0"?>\r\n<reginfo xmlns="urn:ietf:params:xml:ns:reginfo" version="0" state="partial">` +
      `<registration aor="${escapeXml(record)}" id="${escapeXml(user)}" state="terminated">` +
      `<contact id="${id}" state="terminated" event="rejected"><uri>${escapeXml(contact)}</uri></contact>` +
      '</registration></reginfo>\r\n',
  )
  const headers: HeaderField[] = [
    { name: 'Via', value: viaOf(flow, branch) },
    { name: 'Max-Forwards', value: '70' },
    { name: 'From', value: `<${record}>;tag=${services.tokens.take(12)}` },
    { name: 'To', value: `<${record}>` },
    { name: 'Call-ID', value: services.tokens.take(26) },
    { name: 'CSeq', value: '1 NOTIFY' },
    { name: 'Contact', value: contactOf(flow) },
    { name: 'Event', value: 'reg' },
    { name: 'Subscription-State', value: 'terminated;reason=rejected' },
    ...reasonFields(tokenEnded),
    { name: 'Content-Type', value: 'application/reginfo+xml' },
    { name: 'Content-Length', value: String(body.length) },
  ]
  const request: SipRequest = { kind: 'request', method: 'NOTIFY', uri: contact, headers, body }
  services.layer.request(request, branch, flow, unwatched, now)
}
