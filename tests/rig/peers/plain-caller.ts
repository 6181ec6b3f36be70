import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { until } from '../probes/wait.ts'

interface PlainCallerOptions {
  /** Where the switch listens for SIP. */
  readonly sipPort: number
  readonly to: string
  readonly from: string
  /** Its own SIP address. Default 127.0.0.1. */
  readonly address?: string
  /** It answers requests within the dialog. Default true; a BYE is answered by all. */
  readonly isThere?: boolean
}

interface Response {
  readonly status: number
  /** The whole message. */
  readonly text: string
  readonly sdp: string
}

/** Where an SDP of this caller wants its media, and in which direction. */
export interface WantedMedia {
  readonly address: string
  readonly port: number
  readonly rtcpPort?: number
  readonly direction?: 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive'
}

/** A caller on one UDP socket whose every SDP a test writes: for addresses that no real phone would name. */
export class PlainCaller {
  /** Methods that the switch has sent, in order. */
  readonly requests: string[] = []
  readonly #socket: Socket
  readonly #options: PlainCallerOptions
  readonly #callId = `plain-${Math.random().toString(36).slice(2)}`
  readonly #responses = new Map<number, Response>()
  #cseq = 0
  #toTag = ''
  #contact = ''

  private constructor(socket: Socket, options: PlainCallerOptions) {
    this.#socket = socket
    this.#options = options
    socket.on('message', bytes => this.#received(bytes.toString()))
    socket.unref()
  }

  static async open(options: PlainCallerOptions): Promise<PlainCaller> {
    const socket = createSocket('udp4')
    socket.bind(0, options.address ?? '127.0.0.1')
    await once(socket, 'listening')
    return new PlainCaller(socket, options)
  }

  get hasEnded(): boolean {
    return this.requests.includes('BYE')
  }

  /** INVITE, or re-INVITE when there is a dialog; resolves with the final response, acknowledged. A text is the whole SDP. */
  async invite(media: WantedMedia | string): Promise<Response & { readonly port: number }> {
    const cseq = ++this.#cseq
    this.#send('INVITE', cseq, typeof media === 'string' ? media : sdpOf(media, cseq))
    const response = await until(`an answer to INVITE ${cseq}`, () => this.#responses.get(cseq), 20_000)
    this.#send('ACK', cseq)
    return { ...response, port: Number(/^m=audio (\d+)/m.exec(response.sdp)?.[1] ?? 0) }
  }

  /** Gives the INVITE up before its final response (RFC 3261 §9.1: the branch and number of the INVITE). */
  cancel(): void {
    this.#send('CANCEL', this.#cseq)
  }

  async bye(): Promise<void> {
    const cseq = ++this.#cseq
    this.#send('BYE', cseq)
    await until('an answer to BYE', () => this.#responses.get(cseq))
  }

  close(): void {
    this.#socket.close()
  }

  #send(method: string, cseq: number, sdp = ''): void {
    const { to, from, sipPort } = this.#options
    const { address, port } = this.#socket.address()
    const uri = this.#contact === '' ? `sip:${to}@127.0.0.1:${sipPort}` : this.#contact
    const branch = `z9hG4bK${this.#callId}${cseq}${method === 'ACK' && this.#toTag !== '' ? 'ack' : ''}`
    const message = [
      `${method} ${uri} SIP/2.0`,
      `Via: SIP/2.0/UDP ${address}:${port};branch=${branch}`,
      'Max-Forwards: 70',
      `From: <sip:${from}@${address}>;tag=plain`,
      `To: <sip:${to}@127.0.0.1>${this.#toTag === '' ? '' : `;tag=${this.#toTag}`}`,
      `Call-ID: ${this.#callId}`,
      `CSeq: ${cseq} ${method}`,
      `Contact: <sip:plain@${address}:${port}>`,
      ...(sdp === '' ? [] : ['Content-Type: application/sdp']),
      `Content-Length: ${sdp.length}`,
      '',
      sdp,
    ].join('\r\n')
    this.#socket.send(message, sipPort, '127.0.0.1')
  }

  #received(message: string): void {
    const header = (name: string) => new RegExp(`^${name}: *(.*)$`, 'im').exec(message)?.[1]?.trim() ?? ''
    const [cseqText = '0', method = ''] = header('CSeq').split(' ')
    const status = /^SIP\/2\.0 (\d{3})/.exec(message)?.[1]
    if (status === undefined) {
      if (method === 'ACK') return
      this.requests.push(method)
      if (this.#options.isThere === false && method !== 'BYE') return
      const kept = ['Via', 'From', 'To', 'Call-ID', 'CSeq'].map(name => `${name}: ${header(name)}`)
      const answer = ['SIP/2.0 200 OK', ...kept, 'Content-Length: 0', '', ''].join('\r\n')
      this.#socket.send(answer, this.#options.sipPort, '127.0.0.1')
      return
    }
    if (Number(status) < 200) return
    if (Number(status) < 300 && method === 'INVITE') {
      this.#toTag = /;tag=([^;\s]+)/.exec(header('To'))?.[1] ?? this.#toTag
      this.#contact = /<([^>]+)>/.exec(header('Contact'))?.[1] ?? this.#contact
    }
    const [, sdp = ''] = message.split('\r\n\r\n')
    if (method !== 'CANCEL') this.#responses.set(Number(cseqText), { status: Number(status), text: message, sdp })
  }
}

const sdpOf = ({ address, port, rtcpPort = port + 1, direction = 'sendrecv' }: WantedMedia, version: number): string =>
  [
    'v=0',
    `o=- 7 ${version} IN IP4 ${address}`,
    's=-',
    `c=IN IP4 ${address}`,
    't=0 0',
    `m=audio ${port} RTP/AVP 0`,
    `a=rtcp:${rtcpPort}`,
    `a=${direction}`,
    '',
  ].join('\r\n')
