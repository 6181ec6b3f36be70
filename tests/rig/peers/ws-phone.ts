import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type RawData, WebSocket } from 'ws'
import type { DigestAlgorithm } from '../../../sip/digest/algorithm.ts'
import { answerChallenge } from '../../../sip/digest/answer-challenge.ts'
import { parseChallenge } from '../../../sip/digest/challenge.ts'
import {
  hashNames,
  headerOf,
  headersOf,
  parseMessage,
  type SipMessage,
  type SipRequest,
  type SipResponse,
} from '../../../sip/index.ts'
import { until } from '../probes/wait.ts'
import { TcpLine } from './tcp-line.ts'

interface SignInCredentials {
  readonly extension: string
  readonly token: string
  /** Default: Bearer at once. */
  readonly by?: 'bearer' | 'digest'
}

export interface PhoneOptions extends SignInCredentials {
  readonly realm?: string
  readonly binary?: boolean
  /** Written into From in place of the extension. */
  readonly pretends?: string
}

const hash = (algorithm: DigestAlgorithm, text: string): string =>
  createHash(hashNames[algorithm]).update(text).digest('hex')
const word = () => randomBytes(8).toString('hex')

/** Plain G.711 on one port of 127.0.0.1. */
export const plainSdp = (port: number): string =>
  [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    `m=audio ${port} RTP/AVP 0 101`,
    'a=rtpmap:0 PCMU/8000',
    'a=rtpmap:101 telephone-event/8000',
    'a=sendrecv',
    '',
  ].join('\r\n')

/** A softphone of a test's own making: SIP over one WebSocket (or `tcp://`, as desk phones do), message by message. */
export class WsPhone {
  readonly received: SipMessage[] = []
  readonly options: PhoneOptions
  readonly contact: string
  readonly sentBy = `${word()}.invalid`
  readonly instance = `"<urn:uuid:${word()}>"`
  closed: { readonly code: number; readonly why: string } | undefined
  pongs = 0
  #socket: WebSocket | TcpLine
  #cseq = 0

  private constructor(socket: WebSocket | TcpLine, options: PhoneOptions) {
    this.#socket = socket
    this.contact =
      socket instanceof TcpLine
        ? `<sip:${options.extension}@127.0.0.1:${socket.localPort};transport=tcp>`
        : `<sip:${word()}@${word()}.invalid;transport=ws>`
    this.options = options
    this.#listen(socket)
  }

  static async open(url: string, options: PhoneOptions): Promise<WsPhone> {
    return new WsPhone(await connected(url), options)
  }

  get socket(): WebSocket {
    if (this.#socket instanceof TcpLine) throw new Error('this phone has no WebSocket')
    return this.#socket
  }

  get transport(): 'WS' | 'TCP' {
    return this.#socket instanceof TcpLine ? 'TCP' : 'WS'
  }

  get realm(): string {
    return this.options.realm ?? 'localhost'
  }

  /** The same phone over a new connection; the old one is cut without a word. */
  async reconnect(url: string): Promise<void> {
    this.#socket.terminate()
    this.#socket = await connected(url)
    this.closed = undefined
    this.#listen(this.#socket)
  }

  sendText(text: string | Uint8Array): void {
    this.#socket.send(text, { binary: this.options.binary === true })
  }

  async register(
    expires = 600,
    contact = `${this.contact};+sip.instance=${this.instance};reg-id=1`,
  ): Promise<SipResponse> {
    return (await this.ask('REGISTER', { headers: [`Contact: ${contact}`, `Expires: ${expires}`] })).final
  }

  /** A request of its own, signed in; resolves with its final response. */
  async ask(
    method: string,
    wants: { readonly to?: string; readonly headers?: readonly string[]; readonly sdp?: string } = {},
  ): Promise<{ readonly call: PhoneCall; readonly final: SipResponse }> {
    const call = this.begin(method, wants)
    return { call, final: await call.final() }
  }

  begin(
    method: string,
    wants: { readonly to?: string; readonly headers?: readonly string[]; readonly sdp?: string } = {},
  ): PhoneCall {
    const uri =
      wants.to === undefined ? `sip:${this.realm}` : wants.to.includes(':') ? wants.to : `sip:${wants.to}@${this.realm}`
    return new PhoneCall(this, { method, uri, headers: wants.headers ?? [], sdp: wants.sdp ?? '' })
  }

  nextCseq(): number {
    return ++this.#cseq
  }

  /** The next INVITE that has not been taken yet. */
  incoming(timeoutMs = 5_000): Promise<SipRequest> {
    return until(
      'an INVITE',
      () => {
        const at = this.received.findIndex(message => message.kind === 'request' && message.method === 'INVITE')
        const found = at === -1 ? undefined : this.received.splice(at, 1)[0]
        return found?.kind === 'request' ? found : undefined
      },
      timeoutMs,
    )
  }

  request(method: string, timeoutMs = 5_000): Promise<SipRequest> {
    return until(
      method,
      () => {
        const found = this.received.find(message => message.kind === 'request' && message.method === method)
        return found?.kind === 'request' ? found : undefined
      },
      timeoutMs,
    )
  }

  answer(request: SipRequest, status: number, options: { readonly sdp?: string; readonly tag?: string } = {}): void {
    const { sdp = '', tag = 'callee' } = options
    const to = headerOf(request, 'To') ?? ''
    this.sendText(
      [
        `SIP/2.0 ${status} So`,
        ...headersOf(request, 'Via').map(value => `Via: ${value}`),
        `From: ${headerOf(request, 'From')}`,
        `To: ${to.includes(';tag=') || status === 100 ? to : `${to};tag=${tag}`}`,
        `Call-ID: ${headerOf(request, 'Call-ID')}`,
        `CSeq: ${headerOf(request, 'CSeq')}`,
        `Contact: ${this.contact}`,
        ...(sdp === '' ? [] : ['Content-Type: application/sdp']),
        `Content-Length: ${sdp.length}`,
        '',
        sdp,
      ].join('\r\n'),
    )
  }

  close(): void {
    this.#socket.close()
  }

  #listen(socket: WebSocket | TcpLine): void {
    socket.on('message', (data: RawData) => {
      const bytes = new Uint8Array(data as Buffer)
      if (bytes.length <= 4) {
        this.pongs++
        return
      }
      const parsed = parseMessage(bytes)
      if (parsed.ok) this.received.push(parsed.value)
    })
    socket.on('close', (code: number, why: Buffer) => {
      if (socket === this.#socket) this.closed = { code, why: String(why) }
    })
    socket.on('error', () => {})
  }
}

async function connected(url: string): Promise<WebSocket | TcpLine> {
  if (url.startsWith('tcp:')) return TcpLine.open(url)
  const socket = new WebSocket(url, 'sip', { rejectUnauthorized: false })
  await once(socket, 'open')
  return socket
}

/** One request of a phone with its credentials, and the dialog that an INVITE opens. */
export class PhoneCall {
  readonly callId = word()
  readonly fromTag = word()
  readonly #phone: WsPhone
  readonly #wants: {
    readonly method: string
    readonly uri: string
    readonly headers: readonly string[]
    readonly sdp: string
  }
  readonly #final: Promise<SipResponse>
  #branch = ''
  #cseq = 0
  toTag = ''

  constructor(phone: WsPhone, wants: { method: string; uri: string; headers: readonly string[]; sdp: string }) {
    this.#phone = phone
    this.#wants = wants
    this.#final = this.#run()
  }

  final(): Promise<SipResponse> {
    return this.#final
  }

  /** Responses that have come for this call, with this method. */
  responses(method = this.#wants.method): readonly SipResponse[] {
    return this.#phone.received.filter(
      (message): message is SipResponse =>
        message.kind === 'response' &&
        headerOf(message, 'Call-ID') === this.callId &&
        (headerOf(message, 'CSeq') ?? '').endsWith(` ${method}`),
    )
  }

  async ringing(): Promise<SipResponse> {
    return until('180', () => this.responses().find(({ status }) => status === 180))
  }

  acknowledge(): void {
    this.send('ACK', { cseq: this.#cseq })
  }

  cancel(): void {
    this.send('CANCEL', { cseq: this.#cseq, branch: this.#branch, isOutside: true })
  }

  async bye(): Promise<SipResponse> {
    this.send('BYE')
    return until('the answer to BYE', () => this.responses('BYE')[0])
  }

  send(
    method: string,
    how: { cseq?: number; branch?: string; headers?: readonly string[]; sdp?: string; isOutside?: boolean } = {},
  ): void {
    const { realm, contact, sentBy, options } = this.#phone
    const { headers = [], sdp = '' } = how
    const cseq = how.cseq ?? this.#phone.nextCseq()
    const self = `sip:${options.pretends ?? options.extension}@${realm}`
    const whom = this.#wants.method === 'REGISTER' ? self : this.#wants.uri
    const tag = how.isOutside === true || this.toTag === '' ? '' : `;tag=${this.toTag}`
    this.#phone.sendText(
      [
        `${method} ${this.#wants.uri} SIP/2.0`,
        `Via: SIP/2.0/${this.#phone.transport} ${sentBy};branch=${how.branch ?? `z9hG4bK${word()}`}`,
        `From: <${self}>;tag=${this.fromTag}`,
        `To: <${whom}>${tag}`,
        `Call-ID: ${this.callId}`,
        `CSeq: ${cseq} ${method}`,
        'Max-Forwards: 70',
        ...(method === 'INVITE' ? [`Contact: ${contact}`] : []),
        ...headers,
        ...(sdp === '' ? [] : ['Content-Type: application/sdp']),
        `Content-Length: ${sdp.length}`,
        '',
        sdp,
      ].join('\r\n'),
    )
  }

  /** Sends, answers one challenge, and acknowledges a refusal or takes the dialog's tag of an answer. */
  async #run(): Promise<SipResponse> {
    const { method, headers, sdp, uri } = this.#wants
    const { extension, token, by = 'bearer' } = this.#phone.options
    let credentials = by === 'bearer' ? [`Authorization: Bearer ${token}`] : []
    for (let attempt = 0; ; attempt++) {
      this.#branch = `z9hG4bK${word()}`
      this.#cseq = this.#phone.nextCseq()
      this.send(method, { cseq: this.#cseq, branch: this.#branch, headers: [...credentials, ...headers], sdp })
      const final = await until(
        `a final response to ${method}`,
        () =>
          this.responses().find(
            response => response.status >= 200 && headerOf(response, 'CSeq') === `${this.#cseq} ${method}`,
          ),
        30_000,
      )
      if (method === 'INVITE') this.toTag = /;tag=([^;]+)/.exec(headerOf(final, 'To') ?? '')?.[1] ?? ''
      if (method === 'INVITE' && final.status >= 300) {
        this.send('ACK', { cseq: this.#cseq, branch: this.#branch })
        this.toTag = ''
      }
      const challenge = parseChallenge(headersOf(final, 'WWW-Authenticate').at(-1) ?? '')
      if (final.status !== 401 || by !== 'digest' || attempt > 0 || !challenge.ok) return final
      const rules = { hash, username: extension, password: token, method, uri, cnonce: word(), count: 1 }
      credentials = [`Authorization: ${answerChallenge(challenge.value, rules)}`]
    }
  }
}
