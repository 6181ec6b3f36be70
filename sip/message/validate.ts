import { splitList } from '../grammar/comma-list.ts'
import { parseCallId } from '../header/call-id.ts'
import { parseContact } from '../header/contact.ts'
import { type CSeq, parseCSeq } from '../header/cseq.ts'
import { parseMaxForwards } from '../header/max-forwards.ts'
import { isUsualAddress, tagOfAddress } from '../header/name-addr.ts'
import { branchOf, parseVia, type Via } from '../header/via.ts'
import { parseUri } from '../uri/parse.ts'
import type { Uri } from '../uri/uri.ts'
import { headerKey, isHeader } from './header-name.ts'
import { firstOfList, headersOf } from './headers.ts'
import type { SipMessage, SipRequest, SipResponse } from './message.ts'
import { knownMethods } from './method.ts'

/** What every message must have and every layer asks for (RFC 3261 §8.1.1), read once. */
export interface Essentials {
  /** The topmost. */
  readonly via: Via
  /** The topmost Via as it stands. */
  readonly viaText: string
  /** Values of Via. */
  readonly vias: number
  /** From and To as they stand; they can be read. */
  readonly fromText: string
  readonly toText: string
  /** '' = none. */
  readonly fromTag: string
  readonly toTag: string
  readonly callId: string
  readonly cseq: CSeq
  readonly cseqText: string
  readonly maxForwardsText: string | undefined
}

interface RequestEssentials {
  readonly essentials: Essentials
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
  const { cseq, via, maxForwardsText: hops } = essentials.value
  if (cseq.method !== request.method) {
    return knownMethods.has(request.method) ? refuse('CSeq Method Mismatch') : refuse('Method Not Implemented', 501)
  }
  // RFC 4475 §3.2.1: a cookie with nothing after it is not unique.
  if (branchOf(via) === 'z9hG4bK') return refuse('Bad Via Branch')
  const maxForwards = hops === undefined ? undefined : parseMaxForwards(hops)
  if (maxForwards?.ok === false) return refuse('Bad Max-Forwards')
  if (request.method === 'INVITE' && !hasRemoteTarget(request)) return refuse('Bad Contact')
  return { ok: true, value: { essentials: essentials.value, uri: uri.value, maxForwards: maxForwards?.value } }
}

/** A response without these is dropped. */
export function validateResponse(response: SipResponse): Validated<Essentials> {
  const essentials = readEssentials(response)
  return essentials.ok && branchOf(essentials.value.via) === undefined ? refuse('Missing Via Branch') : essentials
}

/** Header fields of which a message has one; a second one is another message for another reader (RFC 4475 §3.3.8). */
const single = ['From', 'To', 'Call-ID', 'CSeq', 'Max-Forwards', 'Content-Type', 'Expires'] as const
const singleKeys = single.map(headerKey)
const viaKey = headerKey('Via')
const noVia: Via = { transport: '', host: '', port: undefined, parameters: [] }
const noCSeq: CSeq = { sequence: 0, method: '' }

/** The fields that a message is judged by: found in one pass over its header, then read. One object for each message. */
class ReadFields implements Essentials {
  via = noVia
  viaText = ''
  vias = 0
  fromText = ''
  toText = ''
  fromTag = ''
  toTag = ''
  callId = ''
  cseq = noCSeq
  cseqText = ''
  maxForwardsText: string | undefined
  /** Which of `single` stand there, a bit each. */
  #seen = 0
  /** Header fields that stand there twice. */
  #repeated = 0

  /** Names in their usual spelling are shared strings: comparing them costs nothing. */
  constructor({ headers }: SipMessage) {
    for (const { name, value } of headers) {
      switch (name) {
        case 'Via':
          this.#takeVia(value)
          break
        case 'From':
          this.#take(0, value)
          break
        case 'To':
          this.#take(1, value)
          break
        case 'Call-ID':
          this.#take(2, value)
          break
        case 'CSeq':
          this.#take(3, value)
          break
        case 'Max-Forwards':
          this.#take(4, value)
          break
        case 'Content-Type':
          this.#take(5, value)
          break
        default:
          if (isHeader(name, viaKey)) this.#takeVia(value)
          else this.#take(singleIndexOf(name), value)
      }
    }
  }

  /** What is wrong with them, fit for a reason phrase; undefined: nothing is, and all are read. */
  read(): string | undefined {
    if (this.vias === 0) return 'Missing Via'
    for (let which = 0; which < 4; which++) if (!this.#has(which)) return `Missing ${single[which]}`
    if (this.#repeated !== 0) return `Multiple ${single[Math.log2(this.#repeated & -this.#repeated)]}`
    const via = parseVia(this.viaText)
    if (!via.ok) return 'Bad Via'
    const fromTag = tagOfAddress(this.fromText)
    if (fromTag === undefined) return 'Bad From'
    const toTag = tagOfAddress(this.toText)
    if (toTag === undefined) return 'Bad To'
    if (!parseCallId(this.callId).ok) return 'Bad Call-ID'
    const cseq = parseCSeq(this.cseqText)
    if (!cseq.ok) return 'Bad CSeq'
    this.via = via.value
    this.fromTag = fromTag
    this.toTag = toTag
    this.cseq = cseq.value
    return undefined
  }

  #has(which: number): boolean {
    return (this.#seen & (1 << which)) !== 0
  }

  #takeVia(value: string): void {
    if (value === '') return
    if (this.vias === 0) this.viaText = firstOfList(value) ?? ''
    this.vias += value.includes(',') ? splitList(value).length : 1
  }

  #take(which: number, value: string): void {
    if (which === -1) return
    if (this.#has(which)) {
      this.#repeated |= 1 << which
      return
    }
    this.#seen |= 1 << which
    if (which === 0) this.fromText = value
    else if (which === 1) this.toText = value
    else if (which === 2) this.callId = value
    else if (which === 3) this.cseqText = value
    else if (which === 4) this.maxForwardsText = value
  }
}

function singleIndexOf(name: string): number {
  for (let which = 0; which < singleKeys.length; which++) if (isHeader(name, singleKeys[which]!)) return which
  return -1
}

function readEssentials(message: SipMessage): Validated<Essentials> {
  const fields = new ReadFields(message)
  const wrong = fields.read()
  return wrong === undefined ? { ok: true, value: fields } : refuse(wrong)
}

/** RFC 3261 §8.1.1.8: exactly one SIP or SIPS URI, which becomes the dialog's remote target. */
function hasRemoteTarget(invite: SipRequest): boolean {
  const contacts = headersOf(invite, 'Contact')
  const [first = ''] = contacts
  if (contacts.length === 1 && isUsualAddress(first)) return true
  const contact = parseContact(first)
  return contacts.length === 1 && contact.ok && contact.value !== '*' && contact.value.uri.kind === 'sip'
}
