import { parseCallId } from '../header/call-id.ts'
import { parseContact } from '../header/contact.ts'
import { type CSeq, parseCSeq } from '../header/cseq.ts'
import { parseMaxForwards } from '../header/max-forwards.ts'
import { type NameAddr, parseNameAddr } from '../header/name-addr.ts'
import { branchOf, parseVia, type Via } from '../header/via.ts'
import { parseUri } from '../uri/parse.ts'
import type { Uri } from '../uri/uri.ts'
import { countOf, headerOf, headersOf } from './headers.ts'
import type { SipMessage, SipRequest, SipResponse } from './message.ts'
import { knownMethods } from './method.ts'

/** What every message must have and every layer asks for (RFC 3261 §8.1.1), read once. */
export interface Essentials {
  /** The topmost. */
  readonly via: Via
  /** The topmost Via as it stands. */
  readonly viaText: string
  readonly from: NameAddr
  readonly to: NameAddr
  readonly callId: string
  readonly cseq: CSeq
}

interface RequestEssentials extends Essentials {
  readonly uri: Uri
  /** Undefined: an RFC 2543 peer, which sends none. */
  readonly maxForwards: number | undefined
}

/** `reason` names the header and what is wrong with it, fit for a reason phrase. */
export interface Refusal {
  readonly ok: false
  readonly status: 400 | 501
  readonly reason: string
}

type Validated<T> = { readonly ok: true; readonly value: T } | Refusal

const refuse = (reason: string, status: Refusal['status'] = 400): Refusal => ({ ok: false, status, reason })

/** Header fields of which a message has one; a second one is another message for another reader (RFC 4475 §3.3.8). */
const single = ['From', 'To', 'Call-ID', 'CSeq', 'Max-Forwards', 'Content-Type', 'Expires'] as const

/**
 * RFC 3261 §8.2.2 and §16.3 as a user agent needs them: the mandatory fields once each and readable, the
 * Request-URI, CSeq's method, the branch, the Contact of an INVITE. Unknown schemes, methods and extensions pass:
 * 416, 501 and 420 are the endpoint's to say.
 */
export function validateRequest(request: SipRequest): Validated<RequestEssentials> {
  const uri = parseUri(request.uri)
  if (!uri.ok) return refuse('Bad Request-URI')
  // RFC 3261 §19.1.1: no headers in a Request-URI; they would become somebody's header fields (RFC 4475 §3.1.2.11).
  if (uri.value.kind === 'sip' && uri.value.headers.length > 0) return refuse('Headers in Request-URI')
  const essentials = readEssentials(request)
  if (!essentials.ok) return essentials
  const { cseq, via } = essentials.value
  if (cseq.method !== request.method) {
    return knownMethods.has(request.method) ? refuse('CSeq Method Mismatch') : refuse('Method Not Implemented', 501)
  }
  // RFC 4475 §3.2.1: a cookie with nothing after it is not unique.
  if (branchOf(via) === 'z9hG4bK') return refuse('Bad Via Branch')
  const hops = headerOf(request, 'Max-Forwards')
  const maxForwards = hops === undefined ? undefined : parseMaxForwards(hops)
  if (maxForwards?.ok === false) return refuse('Bad Max-Forwards')
  if (request.method === 'INVITE' && !hasRemoteTarget(request)) return refuse('Bad Contact')
  return { ok: true, value: { ...essentials.value, uri: uri.value, maxForwards: maxForwards?.value } }
}

/** A response without these is dropped. */
export function validateResponse(response: SipResponse): Validated<Essentials> {
  const essentials = readEssentials(response)
  return essentials.ok && branchOf(essentials.value.via) === undefined ? refuse('Missing Via Branch') : essentials
}

function readEssentials(message: SipMessage): Validated<Essentials> {
  const viaText = headersOf(message, 'Via')[0]
  const fromText = headerOf(message, 'From')
  const toText = headerOf(message, 'To')
  const callIdText = headerOf(message, 'Call-ID')
  const cseqText = headerOf(message, 'CSeq')
  if (viaText === undefined) return refuse('Missing Via')
  if (fromText === undefined) return refuse('Missing From')
  if (toText === undefined) return refuse('Missing To')
  if (callIdText === undefined) return refuse('Missing Call-ID')
  if (cseqText === undefined) return refuse('Missing CSeq')
  for (const name of single) if (countOf(message, name) > 1) return refuse(`Multiple ${name}`)
  const via = parseVia(viaText)
  if (!via.ok) return refuse('Bad Via')
  const from = parseNameAddr(fromText)
  if (!from.ok) return refuse('Bad From')
  const to = parseNameAddr(toText)
  if (!to.ok) return refuse('Bad To')
  const callId = parseCallId(callIdText)
  if (!callId.ok) return refuse('Bad Call-ID')
  const cseq = parseCSeq(cseqText)
  if (!cseq.ok) return refuse('Bad CSeq')
  return {
    ok: true,
    value: {
      via: via.value,
      viaText,
      from: from.value,
      to: to.value,
      callId: callId.value,
      cseq: cseq.value,
    },
  }
}

/** RFC 3261 §8.1.1.8: exactly one SIP or SIPS URI, which becomes the dialog's remote target. */
function hasRemoteTarget(invite: SipRequest): boolean {
  const contacts = headersOf(invite, 'Contact')
  const contact = parseContact(contacts[0] ?? '')
  return contacts.length === 1 && contact.ok && contact.value !== '*' && contact.value.uri.kind === 'sip'
}
