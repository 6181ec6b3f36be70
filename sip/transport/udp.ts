import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import type { Datagrams, OpenDatagrams } from './datagrams.ts'

/** Room for a burst of calls while the thread is busy with something else; the kernel may grant less. */
const receiveBufferBytes = 4 * 1024 * 1024
/** The event loop reads so many datagrams of a socket in one turn; after as many there may be more. */
const dgramPerTurn = 32
/** In batches: some milliseconds of refusals, after which calls that live have their turn. */
const batchedPerTurn = 256

/** Where a datagram came from. */
export type Source = Pick<RemoteInfo, 'address' | 'port'>
/** `isLent`: the bytes are gone after the call. */
type Received = (listener: UdpListener, bytes: Uint8Array, from: Source, isLent: boolean) => void

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
  /** As many datagrams in one turn of the event loop: there may be more in the socket. */
  readonly mostPerTurn: number
  readonly #socket: Socket
  readonly #received: Received
  #datagrams: Datagrams | undefined
  /** Of the datagrams that are queued: whom it concerns when one is refused. */
  readonly #failures: ((() => void) | undefined)[]
  #queued = 0

  private constructor(id: number, socket: Socket, received: Received, datagrams: Datagrams | undefined) {
    this.id = id
    this.#socket = socket
    this.#received = received
    this.#datagrams = datagrams
    this.#failures = new Array(datagrams?.mostQueued ?? 0)
    this.mostPerTurn = datagrams === undefined ? dgramPerTurn : batchedPerTurn
    const bound = socket.address()
    this.address = bound.address
    this.port = bound.port
  }

  /** Rejects when the address cannot be bound. */
  static async open(
    id: number,
    address: string,
    port: number,
    received: Received,
    broken: (error: Error) => void,
    openDatagrams?: OpenDatagrams,
  ): Promise<UdpListener> {
    const type = isIPv6(address) ? 'udp6' : 'udp4'
    const datagrams = openDatagrams?.(address, port)
    const socket = createSocket({ type, ipv6Only: type === 'udp6', lookup: literalLookup })
    // Asked before it begins: without a name to look up, the socket listens at once.
    const listening = once(socket, 'listening')
    if (datagrams === undefined) socket.bind(port, address)
    else socket.bind({ fd: datagrams.descriptor, exclusive: true })
    await listening
    try {
      if (socket.getRecvBufferSize() < receiveBufferBytes) socket.setRecvBufferSize(receiveBufferBytes)
    } catch {
      // The system's ceiling is lower: the default size stays.
    }
    const listener = new UdpListener(id, socket, received, datagrams)
    socket.on('message', (bytes, from) => listener.#arrived(bytes, from))
    socket.on('error', broken)
    return listener
  }

  /**
   * It goes at the end of this callback of the event loop, by one call with all others. `failed` is called when the system refuses to
   * send it.
   */
  send(bytes: Uint8Array, port: number, address: string, failed: (() => void) | undefined): void {
    if (!this.#queue(bytes, port, address, failed)) this.#sendAlone(bytes, port, address, failed)
  }

  /** The same of bytes that are only lent. */
  sendLent(bytes: Uint8Array, port: number, address: string): void {
    if (!this.#queue(bytes, port, address, undefined)) this.#sendAlone(bytes.slice(), port, address, undefined)
  }

  #queue(bytes: Uint8Array, port: number, address: string, failed: (() => void) | undefined): boolean {
    const datagrams = this.#datagrams
    if (datagrams === undefined || !datagrams.queue(bytes, address, port)) return false
    this.#failures[this.#queued++] = failed
    if (this.#queued === 1) queueMicrotask(this.#flush)
    else if (this.#queued === datagrams.mostQueued) this.#flush()
    return true
  }

  readonly #flush = (): void => {
    const queued = this.#queued
    if (queued === 0) return
    this.#queued = 0
    const unsent = this.#datagrams?.flush() ?? []
    // More may be queued while these are sent.
    const failures = unsent.length === 0 ? undefined : this.#failures.slice(0, queued)
    for (let at = 0; at < queued; at++) this.#failures[at] = undefined
    for (const { at, bytes, port, address } of unsent) this.#sendAlone(bytes, port, address, failures?.[at])
  }

  /** By node:dgram, which waits until the socket has room again, or says why the datagram cannot go. */
  #sendAlone(bytes: Uint8Array, port: number, address: string, failed: (() => void) | undefined): void {
    const callback = failed && ((error: Error | null) => error !== null && error !== undefined && failed())
    try {
      this.#socket.send(bytes, port, address, callback)
    } catch {
      // The socket is closed, or the port is none.
      failed?.()
    }
  }

  close(): Promise<void> {
    this.#flush()
    this.#datagrams = undefined
    return new Promise(resolve => this.#socket.close(() => resolve()))
  }

  /** The event loop took the first; what waits after it is taken here, all at once. */
  #arrived(bytes: Uint8Array, from: Source): void {
    this.#received(this, bytes, from, false)
    this.#datagrams?.receive(this.mostPerTurn - 1, (lent, address, port) =>
      this.#received(this, lent, { address, port }, true),
    )
  }
}
