import {
  formatMessage,
  headerOf,
  headersOf,
  parseMessage,
  type SipMessage,
  type SipRequest,
  type SipResponse,
} from '../../../sip/index.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function parse(bytes: Uint8Array): SipMessage {
  const parsed = parseMessage(bytes)
  if (!parsed.ok) throw new Error(`not SIP: ${parsed.reason}\n${decoder.decode(bytes)}`)
  return parsed.value
}

export const bodyOf = (message: SipMessage): string => decoder.decode(message.body)
export const tagIn = (value: string | undefined): string => /;tag=([^;>]+)/.exec(value ?? '')?.[1] ?? ''

export interface Extra {
  readonly headers?: Readonly<Record<string, string>>
  readonly sdp?: string
  readonly toTag?: string
}

/** The bytes of a response to a request of the phone. */
export function responseTo(request: SipRequest, status: number, reason: string, extra: Extra = {}): Uint8Array {
  const to = headerOf(request, 'To') ?? ''
  const body = encoder.encode(extra.sdp ?? '')
  const copied = (name: string) => headersOf(request, name).map(value => ({ name, value }))
  return formatMessage({
    kind: 'response',
    status,
    reason,
    headers: [
      ...copied('Via'),
      ...copied('From'),
      { name: 'To', value: tagIn(to) !== '' || status === 100 ? to : `${to};tag=${extra.toTag ?? 'switch'}` },
      ...copied('Call-ID'),
      ...copied('CSeq'),
      ...Object.entries(extra.headers ?? {}).map(([name, value]) => ({ name, value })),
      ...(body.length > 0 ? [{ name: 'Content-Type', value: 'application/sdp' }] : []),
      { name: 'Content-Length', value: String(body.length) },
    ],
    body,
  } satisfies SipResponse)
}

let branches = 0

/** The bytes of a request of the switch. `dialog`: To and From with tags, as the switch sees them. */
export function requestOf(
  method: string,
  fields: { from: string; to: string; callId: string; cseq: number; branch?: string },
  extra: Extra = {},
): Uint8Array {
  const body = encoder.encode(extra.sdp ?? '')
  return formatMessage({
    kind: 'request',
    method,
    uri: 'sip:1001@phone.invalid;transport=ws',
    headers: [
      { name: 'Via', value: `SIP/2.0/WS switch.test;branch=z9hG4bK${fields.branch ?? `s${++branches}`}` },
      { name: 'Max-Forwards', value: '70' },
      { name: 'From', value: fields.from },
      { name: 'To', value: fields.to },
      { name: 'Call-ID', value: fields.callId },
      { name: 'CSeq', value: `${fields.cseq} ${method}` },
      ...(method === 'INVITE' || method === 'UPDATE'
        ? [{ name: 'Contact', value: '<sip:sauti@switch.test;transport=ws>' }]
        : []),
      ...Object.entries(extra.headers ?? {}).map(([name, value]) => ({ name, value })),
      ...(body.length > 0 ? [{ name: 'Content-Type', value: 'application/sdp' }] : []),
      { name: 'Content-Length', value: String(body.length) },
    ],
    body,
  })
}
