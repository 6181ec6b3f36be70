import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { formatMessage } from '../../../sip/index.ts'
import { StreamFramer } from '../../../sip/stream/framer.ts'

/** A TCP connection with the face of a WebSocket: a message in, a message out. */
export class TcpLine extends EventEmitter {
  readonly #socket: Socket
  readonly #framer = new StreamFramer()

  private constructor(socket: Socket) {
    super()
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => {
      for (const framed of this.#framer.push(new Uint8Array(chunk)))
        if (framed.kind === 'message') this.emit('message', Buffer.from(formatMessage(framed.message)))
    })
    socket.on('error', () => {})
    socket.on('close', () => this.emit('close', 0, ''))
  }

  /** `tcp://host:port` */
  static async open(url: string): Promise<TcpLine> {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    return new TcpLine(socket)
  }

  get localPort(): number {
    return this.#socket.localPort ?? 0
  }

  send(data: string | Uint8Array, _how?: { readonly binary: boolean }): void {
    this.#socket.write(data)
  }

  close(): void {
    this.#socket.end()
  }

  terminate(): void {
    this.#socket.destroy()
  }
}
