import { headerOf, headersOf } from '../../../sip/message/headers.ts'
import type { SipRequest, SipResponse } from '../../../sip/message/message.ts'
import type { Packet, VirtualNetwork } from './virtual-network.ts'

const lines = (head: readonly string[], body = ''): string =>
  [...head, `Content-Length: ${new TextEncoder().encode(body).length}`, '', body].join('\r\n')

export interface Wants {
  readonly to?: string
  readonly toTag?: string
  readonly fromTag?: string
  readonly callId?: string
  readonly branch?: string
  readonly uri?: string
  readonly headers?: readonly string[]
  readonly body?: string
  readonly type?: string
}

/** A peer that sends exactly what a test orders. */
export class ScriptedPeer {
  readonly address: string
  readonly received: Packet[] = []
  readonly #send: (to: string, text: string) => void
  readonly #net: VirtualNetwork
  #branches = 0

  constructor(net: VirtualNetwork, address: string) {
    this.#net = net
    this.address = address
    this.#send = net.socket(address, packet => {
      this.received.push(packet)
      this.#acknowledgeRefusal(packet)
    })
  }

  /** RFC 3261 §17.1.1.3, as any client transaction does it. */
  #acknowledgeRefusal({ from, message }: Packet): void {
    const [cseq, method] = (headerOf(message, 'CSeq') ?? '').split(' ')
    if (message.kind !== 'response' || message.status < 300 || method !== 'INVITE') return
    const kept = ['Via', 'From', 'To', 'Call-ID'].map(name => `${name}: ${headerOf(message, name)}`)
    this.#send(from, lines([`ACK sip:${from} SIP/2.0`, ...kept, `CSeq: ${cseq} ACK`, 'Max-Forwards: 70']))
  }

  get statuses(): readonly number[] {
    return this.received.flatMap(({ message }) => (message.kind === 'response' ? [message.status] : []))
  }

  get methods(): readonly string[] {
    return this.received.flatMap(({ message }) => (message.kind === 'request' ? [message.method] : []))
  }

  lastRequest(method: string): SipRequest {
    for (const { message } of this.received.toReversed())
      if (message.kind === 'request' && message.method === method) return message
    throw new Error(`no ${method} came, but ${this.methods}`)
  }

  lastResponse(): SipResponse {
    for (const { message } of this.received.toReversed()) if (message.kind === 'response') return message
    throw new Error('no response came')
  }

  say(to: string, text: string): void {
    this.#send(to, text)
    this.#net.run(50)
  }

  request(method: string, to: string, cseq: number, wants: Wants = {}): void {
    const branch = wants.branch ?? `z9hG4bK${this.address}.${++this.#branches}`
    const toTag = wants.toTag === undefined ? '' : `;tag=${wants.toTag}`
    this.say(
      to,
      lines(
        [
          `${method} ${wants.uri ?? `sip:+254700000001@${to}`} SIP/2.0`,
          `Via: SIP/2.0/UDP ${this.address}:5060;branch=${branch}`,
          `From: <sip:peer@${this.address}>;tag=${wants.fromTag ?? 'peer'}`,
          `To: <sip:+254700000001@${to}>${toTag}`,
          `Call-ID: ${wants.callId ?? 'scripted'}`,
          `CSeq: ${cseq} ${method}`,
          'Max-Forwards: 70',
          `Contact: <sip:peer@${this.address}>`,
          ...(wants.headers ?? []),
          ...(wants.body === undefined ? [] : [`Content-Type: ${wants.type ?? 'application/sdp'}`]),
        ],
        wants.body,
      ),
    )
  }

  respond(to: string, request: SipRequest, status: number, wants: Wants = {}): void {
    const toTag = wants.toTag === undefined ? '' : `;tag=${wants.toTag}`
    this.say(
      to,
      lines(
        [
          `SIP/2.0 ${status} Scripted`,
          ...headersOf(request, 'Via').map(value => `Via: ${value}`),
          `From: ${headerOf(request, 'From')}`,
          `To: ${headerOf(request, 'To')}${toTag}`,
          `Call-ID: ${headerOf(request, 'Call-ID')}`,
          `CSeq: ${headerOf(request, 'CSeq')}`,
          `Contact: <sip:peer@${this.address}>`,
          ...(wants.headers ?? []),
          ...(wants.body === undefined ? [] : [`Content-Type: ${wants.type ?? 'application/sdp'}`]),
        ],
        wants.body,
      ),
    )
  }
}

export const tagOfTo = (message: SipRequest | SipResponse): string =>
  /;tag=([^;\s]+)/.exec(headerOf(message, 'To') ?? '')?.[1] ?? ''
