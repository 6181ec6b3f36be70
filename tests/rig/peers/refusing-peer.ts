import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'

/** A carrier on one UDP socket that refuses every call, by the number that is dialled. */
export class RefusingPeer {
  readonly port: number
  readonly #socket: Socket
  readonly #answers: Readonly<Record<string, string>>
  /** INVITEs that ring, by Call-ID: what their responses repeat. */
  readonly #ringing = new Map<string, readonly string[]>()

  private constructor(socket: Socket, answers: Readonly<Record<string, string>>) {
    this.#socket = socket
    this.port = socket.address().port
    this.#answers = answers
    socket.on('message', (bytes, from) => this.#received(bytes.toString(), from.port))
  }

  /** `answers`: status and reason by number, `486 Busy Here`; any other number gets 404. One that gets a 1xx rings until it is cancelled. */
  static async open(answers: Readonly<Record<string, string>>): Promise<RefusingPeer> {
    const socket = createSocket('udp4')
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    return new RefusingPeer(socket, answers)
  }

  close(): void {
    this.#socket.close()
  }

  #received(message: string, port: number): void {
    const [, method = '', number = ''] = /^(\w+) sip:([^@\s]*)@?/.exec(message) ?? []
    if (method === '' || method === 'ACK') return
    const header = (name: string) => new RegExp(`^${name}: *(.*)$`, 'im').exec(message)?.[1]?.trim() ?? ''
    const kept = ['Via', 'From', 'Call-ID', 'CSeq'].map(name => `${name}: ${header(name)}`)
    const to = `To: ${header('To').replace(/;tag=.*/, '')};tag=refusing`
    const answer = (status: string, fields: readonly string[]) =>
      this.#socket.send(
        [`SIP/2.0 ${status}`, ...fields, to, 'Content-Length: 0', '', ''].join('\r\n'),
        port,
        '127.0.0.1',
      )
    const status = method === 'INVITE' ? (this.#answers[number] ?? '404 Not Found') : '200 OK'
    answer(status, kept)
    const call = header('Call-ID')
    if (status.startsWith('1')) this.#ringing.set(call, kept)
    const invite = method === 'CANCEL' ? this.#ringing.get(call) : undefined
    if (invite !== undefined) answer('487 Request Terminated', invite)
  }
}
