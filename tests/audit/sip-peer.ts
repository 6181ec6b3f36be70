import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { until } from '../rig/probes/wait.ts'

/** One SIP message as text, with what a probe asks of it. Written without the switch's own parser. */
export class SipText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  get status(): number {
    return Number(/^SIP\/2\.0 (\d{3})/.exec(this.text)?.[1] ?? 0)
  }

  get method(): string {
    return this.status > 0 ? '' : (/^([A-Z]+) /.exec(this.text)?.[1] ?? '')
  }

  get uri(): string {
    return /^[A-Z]+ (\S+)/.exec(this.text)?.[1] ?? ''
  }

  header(name: string): string {
    return new RegExp(`^${name}[ \\t]*:[ \\t]*(.*)$`, 'im').exec(this.text)?.[1]?.trim() ?? ''
  }

  get body(): string {
    return this.text.slice(this.text.indexOf('\r\n\r\n') + 4)
  }
}

export interface CallText {
  readonly callId: string
  readonly from: string
  readonly fromTag: string
  readonly to: string
  readonly branch: string
  cseq: number
  toTag: string
  contact: string
  /** The request other than ACK that was sent last, as it was written. */
  lastRequest: string
}

type Answerer = (request: SipText, peer: SipPeer) => void

// Timer E of a request that is not an INVITE: T1, doubled until T2 (RFC 3261 §17.1.2.2).
const t1Ms = 500
const t2Ms = 4000

const word = (): string => randomBytes(6).toString('hex')

export const plainSdp = (address: string, port: number, more = ''): string =>
  `v=0\r\no=- 1 ${Date.now()} IN IP4 ${address}\r\ns=-\r\nc=IN IP4 ${address}\r\nt=0 0\r\nm=audio ${port} RTP/AVP 0\r\na=sendrecv\r\n${more}`

/** A SIP peer on one UDP socket, at any address of loopback, that sends exactly what a probe writes. */
export class SipPeer {
  readonly received: SipText[] = []
  readonly socket: Socket
  readonly switchPort: number
  /** What it does with requests; by default every one but ACK gets 200. */
  answer: Answerer = (request, peer) => peer.respond(request, 200)

  private constructor(socket: Socket, switchPort: number) {
    this.socket = socket
    this.switchPort = switchPort
    socket.on('message', bytes => {
      const message = new SipText(bytes.toString('latin1'))
      this.received.push(message)
      if (message.method !== '' && message.method !== 'ACK') this.answer(message, this)
    })
  }

  static async open(switchPort: number, address: string, port = 0): Promise<SipPeer> {
    const socket = createSocket('udp4')
    socket.bind(port, address)
    await once(socket, 'listening')
    return new SipPeer(socket, switchPort)
  }

  get address(): string {
    return this.socket.address().address
  }

  get port(): number {
    return this.socket.address().port
  }

  requests(method: string): readonly SipText[] {
    return this.received.filter(message => message.method === method)
  }

  send(text: string): void {
    this.socket.send(Buffer.from(text, 'latin1'), this.switchPort, '127.0.0.1')
  }

  /** A request from whole cloth; `lines` are the headers after Max-Forwards. */
  request(method: string, uri: string, lines: readonly string[], body = '', branch = `z9hG4bK${word()}`): string {
    const text = [
      `${method} ${uri} SIP/2.0`,
      `Via: SIP/2.0/UDP ${this.address}:${this.port};branch=${branch};rport`,
      'Max-Forwards: 70',
      ...lines,
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n')
    this.send(text)
    return text
  }

  /** Sends an INVITE; the dialog's parts come with the answer. */
  invite(to: string, options: { from?: string; sdp?: string; headers?: readonly string[] } = {}): CallText {
    const call: CallText = {
      callId: word(),
      from: options.from ?? '+254733000001',
      fromTag: word(),
      to,
      branch: `z9hG4bK${word()}`,
      cseq: 1,
      toTag: '',
      contact: '',
      lastRequest: '',
    }
    const sdp = options.sdp ?? plainSdp(this.address, 4000)
    this.#inDialog(call, 'INVITE', `sip:${to}@127.0.0.1:${this.switchPort}`, sdp, options.headers, call.branch)
    return call
  }

  /**
   * The final response to the request that was sent last in this call; an INVITE's is acknowledged,
   * any other request is sent again while nothing answers it: UDP may lose it, or its response, in a full buffer.
   */
  async final(call: CallText, method = 'INVITE', ms = 10_000): Promise<SipText> {
    const fits = (message: SipText) =>
      message.status >= 200 &&
      message.header('Call-ID') === call.callId &&
      message.header('CSeq') === `${call.cseq} ${method}`
    let againAfterMs = t1Ms
    let againAt = performance.now() + againAfterMs
    const look = () => {
      const answer = this.received.find(fits)
      if (answer !== undefined || method === 'INVITE' || performance.now() < againAt) return answer
      againAfterMs = Math.min(2 * againAfterMs, t2Ms)
      againAt += againAfterMs
      this.send(call.lastRequest)
      return undefined
    }
    const found = await until(`an answer to ${method}`, look, ms)
    if (method !== 'INVITE') return found
    if (found.status < 300) {
      call.toTag = /;tag=([^;\s]+)/.exec(found.header('To'))?.[1] ?? ''
      call.contact = /<([^>]+)>/.exec(found.header('Contact'))?.[1] ?? ''
    }
    this.#inDialog(
      call,
      'ACK',
      call.contact || `sip:${call.to}@127.0.0.1:${this.switchPort}`,
      '',
      [],
      found.status < 300 ? undefined : call.branch,
    )
    return found
  }

  /** A request within the dialog. `by`: another peer that knows the tags sends it. */
  within(
    call: CallText,
    method: string,
    options: { sdp?: string; headers?: readonly string[]; by?: SipPeer } = {},
  ): void {
    if (method !== 'CANCEL' && method !== 'ACK') call.cseq++
    const by = options.by ?? this
    by.#inDialog(call, method, call.contact, options.sdp ?? '', options.headers)
  }

  respond(request: SipText, status: number, headers: readonly string[] = [], body = ''): void {
    const vias = [...request.text.matchAll(/^Via[ \t]*:.*$/gim)].map(([line]) => line.trim())
    const to = request.header('To')
    const tagged = /;tag=/.test(to) || status === 100 ? to : `${to};tag=peer${this.port}`
    const text = [
      `SIP/2.0 ${status} Answer`,
      ...vias,
      `From: ${request.header('From')}`,
      `To: ${tagged}`,
      `Call-ID: ${request.header('Call-ID')}`,
      `CSeq: ${request.header('CSeq')}`,
      ...(headers.some(line => /^Contact/i.test(line)) ? [] : [`Contact: <sip:peer@${this.address}:${this.port}>`]),
      ...headers,
      ...(body === '' ? [] : ['Content-Type: application/sdp']),
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n')
    this.send(text)
  }

  close(): void {
    this.socket.close()
  }

  #inDialog(
    call: CallText,
    method: string,
    uri: string,
    sdp: string,
    headers: readonly string[] = [],
    branch?: string,
  ): void {
    const cseq = method === 'ACK' || method === 'CANCEL' ? 1 : call.cseq
    const text = this.request(
      method,
      uri,
      [
        `From: <sip:${call.from}@${this.address}>;tag=${call.fromTag}`,
        `To: <sip:${call.to}@127.0.0.1>${call.toTag === '' ? '' : `;tag=${call.toTag}`}`,
        `Call-ID: ${call.callId}`,
        `CSeq: ${method === 'ACK' ? call.cseq : cseq} ${method}`,
        `Contact: <sip:probe@${this.address}:${this.port}>`,
        ...headers,
        ...(sdp === '' || headers.some(line => /^Content-Type/i.test(line)) ? [] : ['Content-Type: application/sdp']),
      ],
      sdp,
      branch ?? (method === 'CANCEL' ? call.branch : undefined),
    )
    if (method !== 'ACK') call.lastRequest = text
  }
}
