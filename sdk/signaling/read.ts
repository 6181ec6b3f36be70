import {
  assemble,
  type Flow,
  headerOf,
  headersOf,
  type IncomingRequest,
  type IncomingResponse,
  parseHead,
  type SipMessage,
} from '../../sip/index.ts'

// The full grammar of addresses weighs more than the rest of the phone's reading: what comes here is written by the
// switch, and what cannot be read so is dropped.

const decoder = new TextDecoder()
const encoder = new TextEncoder()

/**
 * What one WebSocket message holds: one SIP message (RFC 7118 §5), whose body is what follows its head, or nothing but
 * line ends. Undefined: it cannot be read.
 */
export function readMessage(bytes: Uint8Array): SipMessage | 'keep-alive' | undefined {
  const text = decoder.decode(bytes).trimStart()
  if (text === '') return 'keep-alive'
  const [written = ''] = text.split('\r\n\r\n', 1)
  const head = parseHead(written)
  return head.fault === undefined ? assemble(head, encoder.encode(text.slice(written.length + 4))) : undefined
}

export interface Address {
  readonly displayName: string
  readonly uri: string
  /** User part, unescaped; '' when there is none. */
  readonly user: string
  readonly tag: string
}

/** A From, To, Contact or P-Asserted-Identity (RFC 3261 §20.10). */
export function readAddress(value: string): Address {
  const quoted = /^\s*"((?:\\.|[^"\\])*)"/.exec(value)
  const rest = value.slice(quoted?.[0].length ?? 0)
  const bracketed = /^([^<]*)<([^>]*)>/.exec(rest)
  const uri = (bracketed?.[2] ?? rest.split(';', 1)[0] ?? '').trim()
  const displayName = quoted?.[1]?.replace(/\\(.)/g, '$1') ?? bracketed?.[1]?.trim() ?? ''
  const tag = /;\s*tag\s*=\s*([^\s;,]+)/i.exec(rest.slice(bracketed?.[0].length ?? uri.length))?.[1] ?? ''
  const [, sip, tel] = /^(?:sips?:([^@;?]*)@|tel:([^;?]*))/i.exec(uri) ?? []
  return { displayName, uri, user: unescaped(sip ?? tel ?? ''), tag }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The remote target: the Contact's URI, without the header fields that a URI may carry. */
export const contactOf = (message: SipMessage): string | undefined =>
  readAddress(headersOf(message, 'Contact')[0] ?? '').uri.split('?', 1)[0] || undefined

export const sdpOf = (message: SipMessage): string | undefined =>
  message.body.length > 0 && /^application\/sdp\b/i.test(headerOf(message, 'Content-Type') ?? '')
    ? decoder.decode(message.body)
    : undefined

export const numberOf = (message: SipMessage, name: string): number | undefined => {
  const digits = /^\s*(\d{1,9})/.exec(headerOf(message, name) ?? '')
  return digits === null ? undefined : Number(digits[1])
}

interface Essentials {
  readonly via: string
  readonly branch: string
  readonly from: string
  readonly to: string
  readonly callId: string
  readonly cseqText: string
  readonly cseq: number
  readonly cseqMethod: string
}

/** Undefined: it lacks a field that every message has (RFC 3261 §8.1.1). */
function essentialsOf(message: SipMessage): Essentials | undefined {
  const [via] = headersOf(message, 'Via')
  const branch = /;\s*branch\s*=\s*([^\s;,]+)/i.exec(via ?? '')?.[1]
  const [from, to, callId, cseqText] = ['From', 'To', 'Call-ID', 'CSeq'].map(name => headerOf(message, name))
  const [, cseq, cseqMethod] = /^(\d{1,10})\s+(\S+)$/.exec(cseqText?.trim() ?? '') ?? []
  if (!via || !branch || !from || !to || !callId || !cseqText || !cseq || !cseqMethod) return undefined
  return { via, branch, from, to, callId, cseqText, cseq: Number(cseq), cseqMethod }
}

export function readRequest(message: IncomingRequest['message'], flow: Flow): IncomingRequest | undefined {
  const read = essentialsOf(message)
  if (read === undefined || read.cseqMethod !== message.method) return undefined
  const { via, branch, from, to } = read
  const host = /^\S+\s+([^\s;,]+)/.exec(via)?.[1]?.toLowerCase() ?? ''
  return {
    message,
    flow,
    replyTo: flow,
    // There is one way back: nothing needs to be stamped into Via.
    via: { branch, host, port: undefined, text: via, stamped: via },
    from,
    to,
    callId: read.callId,
    fromTag: readAddress(from).tag,
    toTag: readAddress(to).tag || undefined,
    cseq: read.cseq,
    cseqText: read.cseqText,
  }
}

export function readResponse(message: IncomingResponse['message'], flow: Flow): IncomingResponse | undefined {
  const read = essentialsOf(message)
  if (read === undefined) return undefined
  const { branch, to, callId, cseq, cseqMethod } = read
  const toTag = readAddress(to).tag || undefined
  return { message, flow, branch, to, callId, fromTag: readAddress(read.from).tag, toTag, cseq, cseqMethod }
}
