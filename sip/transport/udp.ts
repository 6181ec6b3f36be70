import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'

/** Room for a burst of calls while the thread is busy with something else; the kernel may grant less. */
const receiveBufferBytes = 4 * 1024 * 1024

type Lookup = (
  host: string,
  options: unknown,
  callback: (error: NodeJS.ErrnoException | null, address: string, family: number) => void,
) => void
/** We only ever send to literals: nothing is looked up, and nothing waits for a thread of the resolver. */
const literalLookup: Lookup = (host, _options, callback) => callback(null, host, isIPv6(host) ? 6 : 4)

/** One bound UDP socket. */
export class UdpListener {
  readonly id: number
  readonly address: string
  readonly port: number
  readonly #socket: Socket

  private constructor(id: number, socket: Socket) {
    this.id = id
    this.#socket = socket
    const bound = socket.address()
    this.address = bound.address
    this.port = bound.port
  }

  /** Rejects when the address cannot be bound. */
  static async open(
    id: number,
    address: string,
    port: number,
    received: (listener: UdpListener, bytes: Uint8Array, from: RemoteInfo) => void,
    broken: (error: Error) => void,
  ): Promise<UdpListener> {
    const type = isIPv6(address) ? 'udp6' : 'udp4'
    const socket = createSocket({ type, ipv6Only: type === 'udp6', lookup: literalLookup })
    // Asked before it begins: without a name to look up, the socket listens at once.
    const listening = once(socket, 'listening')
    socket.bind(port, address)
    await listening
    try {
      socket.setRecvBufferSize(receiveBufferBytes)
    } catch {
      // The system's ceiling is lower: the default size stays.
    }
    const listener = new UdpListener(id, socket)
    socket.on('message', (bytes, from) => received(listener, bytes, from))
    socket.on('error', broken)
    return listener
  }

  /** `failed` is called when the system refuses to send. */
  send(bytes: Uint8Array, port: number, address: string, failed: (() => void) | undefined): void {
    const callback = failed && ((error: Error | null) => error !== null && error !== undefined && failed())
    try {
      this.#socket.send(bytes, port, address, callback)
    } catch {
      // The socket is closed, or the port is none.
      failed?.()
    }
  }

  close(): Promise<void> {
    return new Promise(resolve => this.#socket.close(() => resolve()))
  }
}
