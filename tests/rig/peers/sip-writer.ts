import { randomUUID } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { sleep, until } from '../probes/wait.ts'

interface WrittenCall {
  readonly to: string
  /** Of From, with its brackets and its display name. */
  readonly from: string
  readonly headers?: readonly string[]
  /** From its answer to its BYE. Default 0. */
  readonly talkMs?: number
}

/** A SIP peer on one UDP socket whose every header a test writes: for words that no real peer would send. */
export class SipWriter {
  /** What calls that come here are answered with: status, reason phrase and headers. */
  refusal: { readonly status: string; readonly headers: readonly string[] } = { status: '486 Busy Here', headers: [] }
  /** INVITEs that came here. */
  invited = 0
  readonly #socket: Socket
  readonly #sipPort: number
  readonly #finals = new Map<string, string>()
  readonly #toTags = new Map<string, string>()
  #calls = 0
  /** Another writer at the same port would otherwise repeat its transactions. */
  readonly #name = randomUUID().slice(0, 8)

  private constructor(socket: Socket, sipPort: number) {
    this.#socket = socket
    this.#sipPort = sipPort
    socket.on('message', bytes => this.#received(bytes.toString()))
  }

  static async open(localPort: number, sipPort: number): Promise<SipWriter> {
    const socket = createSocket('udp4')
    socket.bind(localPort, '127.0.0.1')
    await once(socket, 'listening')
    return new SipWriter(socket, sipPort)
  }

  /** Calls, and resolves with the final response's status line. */
  async call(wants: WrittenCall, whenRinging?: () => Promise<void>): Promise<string> {
    const callId = `written-${this.#name}-${++this.#calls}`
    const { port } = this.#socket.address()
    const sdp = [
      'v=0',
      'o=- 1 1 IN IP4 127.0.0.1',
      's=-',
      'c=IN IP4 127.0.0.1',
      't=0 0',
      'm=audio 40000 RTP/AVP 8',
      '',
    ].join('\r\n')
    const send = (method: string, cseq: number, headers: readonly string[], body = '') => {
      const tag = this.#toTags.get(callId)
      const message = [
        `${method} sip:${wants.to}@127.0.0.1:${this.#sipPort} SIP/2.0`,
        `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bK${callId}${cseq}${method}`,
        'Max-Forwards: 70',
        `From: ${wants.from};tag=written`,
        `To: <sip:${wants.to}@127.0.0.1>${tag === undefined ? '' : `;tag=${tag}`}`,
        `Call-ID: ${callId}`,
        `CSeq: ${cseq} ${method}`,
        `Contact: <sip:written@127.0.0.1:${port}>`,
        ...headers,
        ...(body === '' ? [] : ['Content-Type: application/sdp']),
        `Content-Length: ${Buffer.byteLength(body)}`,
        '',
        body,
      ].join('\r\n')
      this.#socket.send(message, this.#sipPort, '127.0.0.1')
    }
    const headers = wants.headers ?? []
    send('INVITE', 1, headers, sdp)
    await whenRinging?.()
    const final = await until(`a final response to ${callId}`, () => this.#finals.get(callId), 30_000)
    send('ACK', 1, [])
    if (!final.startsWith('2')) return final
    await sleep(wants.talkMs ?? 0)
    send('BYE', 2, headers)
    return final
  }

  close(): void {
    this.#socket.close()
  }

  #received(message: string): void {
    const header = (name: string) => new RegExp(`^${name}: *(.*)$`, 'im').exec(message)?.[1]?.trim() ?? ''
    const status = /^SIP\/2\.0 (\d{3}.*)/.exec(message)?.[1]?.trim()
    if (status !== undefined) {
      const tag = /;tag=([^;\s]+)/.exec(header('To'))?.[1]
      if (tag !== undefined) this.#toTags.set(header('Call-ID'), tag)
      if (!status.startsWith('1')) this.#finals.set(header('Call-ID'), status)
      return
    }
    const method = message.slice(0, message.indexOf(' '))
    if (method === 'ACK') return
    const isInvite = method === 'INVITE'
    if (isInvite) this.invited++
    const kept = ['Via', 'From', 'Call-ID', 'CSeq'].map(name => `${name}: ${header(name)}`)
    const to = header('To')
    const answer = [
      `SIP/2.0 ${isInvite ? this.refusal.status : '200 OK'}`,
      ...kept,
      `To: ${to.includes(';tag=') ? to : `${to};tag=here`}`,
      ...(isInvite ? this.refusal.headers : []),
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n')
    this.#socket.send(answer, this.#sipPort, '127.0.0.1')
  }
}
