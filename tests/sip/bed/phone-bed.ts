import { createHash } from 'node:crypto'
import { type DigestAlgorithm, hashNames } from '../../../sip/digest/algorithm.ts'
import { answerChallenge } from '../../../sip/digest/answer-challenge.ts'
import { parseChallenge } from '../../../sip/digest/challenge.ts'
import { Endpoint } from '../../../sip/endpoint/endpoint.ts'
import type { EndpointInput, EndpointOutput } from '../../../sip/endpoint/input.ts'
import type { PeerConfig } from '../../../sip/endpoint/peers/peer.ts'
import type { CallEvent } from '../../../sip/endpoint/services/call-event.ts'
import type { InviteGate } from '../../../sip/endpoint/services/invite-gate.ts'
import { defaultLimits } from '../../../sip/endpoint/services/settings.ts'
import { headerOf, headersOf } from '../../../sip/message/headers.ts'
import type { SipMessage, SipResponse } from '../../../sip/message/message.ts'
import { parseMessage } from '../../../sip/message/parse.ts'
import type { Flow } from '../../../sip/network/flow.ts'
import type { PhoneIdentity } from '../../../sip/registrar/phone.ts'
import type { RegistrarRules } from '../../../sip/registrar/registrar.ts'
import { defaultTimers } from '../../../sip/transaction/timer-settings.ts'
import { seeded } from '../../rig/probes/seeded.ts'

export const hash = (algorithm: DigestAlgorithm, text: string): string =>
  createHash(hashNames[algorithm]).update(text).digest('hex')

export const realm = 'sauti.test'

export interface Sent {
  readonly flow: Flow
  readonly message: SipMessage
}

export interface Ask {
  readonly method?: string
  readonly user?: string
  readonly uri?: string
  readonly callId?: string
  readonly cseq?: number
  readonly headers?: readonly string[]
  readonly body?: string
  readonly fromTag?: string
  readonly toTag?: string
  readonly branch?: string
}

/** A server's endpoint in virtual time, phones on flows of their own, and everything that is sent to them. */
export class PhoneBed {
  now = 1_000
  /** How often the tokens of a name were asked for. */
  lookUps = 0
  /** Octets of the last request. */
  lastAsked = 0
  readonly sent: Sent[] = []
  readonly events: CallEvent[] = []
  readonly trusted: Flow[] = []
  readonly tokens: PhoneIdentity[] = []
  readonly endpoint: Endpoint
  #sockets = 100
  #branches = 0

  constructor({ registrar, gate }: { readonly registrar?: RegistrarRules; readonly gate?: InviteGate } = {}) {
    const random = seeded(7)
    let ids = 0
    this.endpoint = new Endpoint({
      timers: defaultTimers,
      ...(gate === undefined ? {} : { gate }),
      limits: defaultLimits,
      realm,
      userAgent: 'Sauti',
      random: length => Uint8Array.from({ length }, () => Math.floor(random() * 256)),
      hash,
      newId: () => `call-${++ids}`,
      ...(registrar === undefined ? {} : { registrar }),
      unixNow: () => Date.UTC(2026, 0, 2, 3, 4, 5),
      phones: {
        byToken: token => this.tokens.find(({ password }) => password === token),
        byUser: user => {
          this.lookUps++
          return this.tokens.filter(token => token.user === user)
        },
      },
    })
  }

  token(user: string, set: Partial<PhoneIdentity> = {}): PhoneIdentity {
    const password = `token-${user}-${this.tokens.length}`
    const token = { tokenId: password, userId: `user-${user}`, user, password, isUsable: true, remainingMs: 3_600_000 }
    this.tokens.push({ ...token, ...set })
    return { ...token, ...set }
  }

  /** In place of a token: as it is now. */
  change(token: PhoneIdentity, set: Partial<PhoneIdentity>): void {
    this.tokens.splice(
      this.tokens.findIndex(({ tokenId }) => tokenId === token.tokenId),
      1,
      { ...token, ...set },
    )
  }

  peers(peers: readonly Partial<PeerConfig>[]): void {
    const plain = { host: '', port: 0, transport: 'udp', username: '', password: '', register: false } as const
    this.do({
      type: 'peers',
      peers: peers.map((peer, at) => ({ id: `peer${at}`, inboundHosts: [], optionsPingSeconds: 0, ...plain, ...peer })),
    })
  }

  flow(set: Partial<Flow> = {}): Flow {
    this.#sockets++
    const local = { localHost: '192.0.2.1', localPort: 8080 }
    return {
      transport: 'ws',
      address: '198.51.100.7',
      port: 40_000 + this.#sockets,
      socket: this.#sockets,
      ...local,
      ...set,
    }
  }

  do(input: EndpointInput): void {
    this.#take(this.endpoint.handle(input, this.now))
  }

  /** Runs every deadline within this many virtual milliseconds. */
  pass(ms: number): void {
    const until = this.now + ms
    for (let due = this.endpoint.deadline(); due !== undefined && due <= until; due = this.endpoint.deadline()) {
      this.now = Math.max(this.now, due)
      this.#take(this.endpoint.timeout(this.now))
    }
    this.now = until
  }

  /** Sends a request over the flow; returns the last response, if any. */
  ask(flow: Flow, ask: Ask = {}): SipResponse | undefined {
    const { method = 'REGISTER', user = '1001', callId = 'phone-call', cseq = 1, headers = [], body = '' } = ask
    const before = this.sent.length
    const tag = ask.toTag === undefined ? '' : `;tag=${ask.toTag}`
    const lines = [
      `${method} ${ask.uri ?? (method === 'REGISTER' ? `sip:${realm}` : `sip:1002@${realm}`)} SIP/2.0`,
      `Via: SIP/2.0/${flow.transport.toUpperCase()} df7jal23ls0d.invalid;branch=${ask.branch ?? `z9hG4bKp${++this.#branches}`}`,
      `From: <sip:${user}@${realm}>;tag=${ask.fromTag ?? 'ft'}`,
      `To: <sip:${method === 'REGISTER' ? user : '1002'}@${realm}>${tag}`,
      `Call-ID: ${callId}`,
      `CSeq: ${cseq} ${method}`,
      'Max-Forwards: 70',
      ...headers,
      ...(method === 'INVITE' && !headers.some(line => line.startsWith('Contact:'))
        ? ['Contact: <sip:x@df7jal23ls0d.invalid;transport=ws>']
        : []),
      ...(body === '' ? [] : ['Content-Type: application/sdp']),
      `Content-Length: ${body.length}`,
      '',
      body,
    ]
    const bytes = new TextEncoder().encode(lines.join('\r\n'))
    this.lastAsked = bytes.length
    this.do({ type: 'received', bytes, flow })
    const answer = this.sent.slice(before).findLast(({ message }) => message.kind === 'response')?.message
    return answer?.kind === 'response' ? answer : undefined
  }

  /** Registers a Contact by Bearer. */
  register(flow: Flow, token: PhoneIdentity, ask: Ask & { readonly contact?: string; readonly expires?: number } = {}) {
    const { contact = `<sip:x${flow.socket}@df7jal23ls0d.invalid;transport=ws>`, expires = 600 } = ask
    return this.ask(flow, {
      user: token.user,
      ...ask,
      headers: [
        `Authorization: Bearer ${token.password}`,
        `Contact: ${contact}`,
        `Expires: ${expires}`,
        ...(ask.headers ?? []),
      ],
    })
  }

  /** The Authorization that answers the last challenge of a 401, as the browsers' libraries do. */
  digest(
    response: SipResponse,
    token: { readonly user: string; readonly password: string },
    method: string,
    uri: string,
  ) {
    const parsed = parseChallenge(headersOf(response, 'WWW-Authenticate').at(-1) ?? '')
    if (!parsed.ok) throw new Error('no challenge')
    const { user: username, password } = token
    const rules = { hash, username, password, method, uri, cnonce: 'c0ffee', count: 1 }
    return `Authorization: ${answerChallenge(parsed.value, rules)}`
  }

  /** The phone's response to a request of ours. */
  answer(flow: Flow, request: SipMessage | undefined, status: number, body = ''): void {
    const text = [
      `SIP/2.0 ${status} So`,
      ...['Via', 'From', 'Call-ID', 'CSeq'].map(name => `${name}: ${field(request, name)}`),
      `To: ${field(request, 'To')};tag=them`,
      'Contact: <sip:abc@df7jal23ls0d.invalid;transport=ws;ob>',
      ...(body === '' ? [] : ['Content-Type: application/sdp']),
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n')
    this.do({ type: 'received', bytes: new TextEncoder().encode(text), flow })
  }

  requests(method: string): readonly Sent[] {
    return this.sent.filter(({ message }) => message.kind === 'request' && message.method === method)
  }

  bindings(user = '1001'): readonly string[] {
    return this.endpoint.registrar.bindingsOf(`user-${user}`).map(({ contact }) => contact)
  }

  #take(outputs: readonly EndpointOutput[]): void {
    for (const output of outputs) {
      if (output.type === 'call') this.events.push(output.event)
      else if (output.type === 'trusted') this.trusted.push(output.flow)
      else if (output.type === 'send') {
        const parsed = parseMessage(output.bytes)
        if (!parsed.ok) throw new Error(`sent what cannot be read: ${new TextDecoder().decode(output.bytes)}`)
        this.sent.push({ flow: output.flow, message: parsed.value })
      }
    }
  }
}

export const contactsOf = (response: SipResponse | undefined): readonly string[] =>
  response === undefined ? [] : headersOf(response, 'Contact')

export const field = (message: SipMessage | undefined, name: string): string | undefined =>
  message && headerOf(message, name)
