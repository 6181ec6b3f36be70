import { once } from 'node:events'
import { createServer, isIPv6, type Server, type Socket, connect as tcpConnect } from 'node:net'
import {
  createServer as createTlsServer,
  type SecureContextOptions,
  Server as TlsServer,
  connect as tlsConnect,
} from 'node:tls'
import { type Flow, isSecure, isStream, type StreamTransport } from '../network/flow.ts'
import type { Framed } from '../stream/framer.ts'
import { type ConnectionOwner, StreamConnection } from './connection.ts'
import { ConnectionAdmission, guardConnections, type Ticket } from './connection-admission.ts'
import type { TransportLimits } from './limits.ts'

interface StreamsConfig {
  readonly limits: TransportLimits
  readonly tls: SecureContextOptions | undefined
  readonly now: () => number
  readonly nextId: () => number
  /** What to write into Via and Contact towards the peer of this connection. */
  readonly local: (
    transport: StreamTransport,
    socketAddress: string,
  ) => { readonly host: string; readonly port: number }
  readonly framed: (flow: Flow, framed: Framed) => void
  readonly refused: (what: string) => void
  /** A trunk sends from that address. */
  readonly isPeer: (address: string) => boolean
  /** The connection of a softphone that had signed in. */
  readonly closed: (flow: Flow) => void
}

const plain = (address: string | undefined): string => (address ?? '').replace(/^::ffff:(?=\d+\.)/, '')

/** All TCP and TLS listeners and connections; a connection is used both ways (RFC 5923 in spirit). */
export class Streams implements ConnectionOwner {
  readonly #config: StreamsConfig
  readonly #servers: Server[] = []
  readonly #byId = new Map<number, StreamConnection>()
  /** Connections by where they lead, the latest one. */
  readonly #byPeer = new Map<string, StreamConnection>()
  readonly #admission: ConnectionAdmission
  /** Connections whose handshake goes on, by both ends' ports. */
  readonly #arriving = new Map<string, { readonly ticket: Ticket; readonly socket: Socket }>()

  constructor(config: StreamsConfig) {
    this.#config = config
    const { limits, isPeer, now, refused } = config
    this.#admission = new ConnectionAdmission({
      limits: {
        most: limits.connections,
        reserved: limits.reservedConnections,
        perAddress: limits.connectionsPerAddress,
        unknown: limits.unknownConnections,
        unknownPerAddress: limits.unknownConnectionsPerAddress,
      },
      isPeer,
      now,
      notice: refused,
    })
  }

  /** Connections refused or given up for others since the start. */
  get refusedCount(): number {
    return this.#admission.refused + this.#admission.displaced
  }

  get size(): number {
    return this.#byId.size
  }

  /** Rejects when the address cannot be bound. */
  async listen(
    transport: StreamTransport,
    address: string,
    port: number,
  ): Promise<{ readonly address: string; readonly port: number }> {
    const accept = (socket: Socket) => this.#accepted(transport, socket)
    const handshake = { handshakeTimeout: this.#config.limits.connectMs }
    const server = isSecure(transport)
      ? createTlsServer({ ...handshake, ...this.#config.tls }, accept)
      : createServer(accept)
    server.on('tlsClientError', () => {})
    guardConnections(server, socket => this.#admitted(socket))
    server.listen({ host: address, port, ipv6Only: isIPv6(address) })
    await once(server, 'listening')
    server.on('error', error => this.#config.refused(error.message))
    this.#servers.push(server)
    const bound = server.address()
    if (bound === null || typeof bound === 'string') throw new Error(`${transport}:${address}:${port} is no IP socket`)
    return { address: bound.address, port: bound.port }
  }

  /** A new certificate for `tls` connections that are accepted from now on. */
  replaceIdentity(identity: SecureContextOptions): void {
    for (const server of this.#servers) if (server instanceof TlsServer) server.setSecureContext(identity)
  }

  /** Over the connection that `flow` names, else over one that leads there, else over a new one. */
  send(flow: Flow, bytes: Uint8Array, failed: (() => void) | undefined): void {
    const known = flow.socket === undefined ? undefined : this.#byId.get(flow.socket)
    const connection = [known, this.#byPeer.get(peerKey(flow))].find(candidate => candidate?.isOpen)
    if (connection !== undefined) connection.send(bytes, failed)
    else {
      // A connection that is gone is only replaced where the endpoint knows of a port that listens.
      const port = flow.socket === undefined ? flow.port : flow.connectPort
      if (port !== undefined && isStream(flow.transport))
        this.#connect(flow.transport, { ...flow, port }, bytes, failed)
      else failed?.()
    }
  }

  trust(flow: Flow): void {
    const connection = flow.socket === undefined ? undefined : this.#byId.get(flow.socket)
    if (connection === undefined) return
    connection.isTrusted = true
    connection.know()
  }

  /** A known sender has used the connection of this flow. */
  know(flow: Flow): void {
    if (flow.socket !== undefined) this.#byId.get(flow.socket)?.know()
  }

  sweep(now: number): void {
    for (const connection of this.#byId.values()) connection.sweep(now)
  }

  async close(): Promise<void> {
    const closed = this.#servers.map(server => new Promise<void>(resolve => server.close(() => resolve())))
    const shaken = new Set([...this.#byId.values()].map(({ flow }) => `${flow.address} ${flow.port}`))
    for (const { socket } of this.#arriving.values())
      if (!shaken.has(`${plain(socket.remoteAddress)} ${socket.remotePort}`)) socket.destroy()
    for (const connection of this.#byId.values()) connection.end()
    const late = setTimeout(() => {
      for (const connection of this.#byId.values()) connection.destroy()
    }, 500)
    await Promise.all(closed)
    clearTimeout(late)
    for (const connection of this.#byId.values()) connection.destroy()
  }

  framed(connection: StreamConnection, framed: Framed): void {
    this.#config.framed(connection.flow, framed)
  }

  flooded({ flow }: StreamConnection): void {
    this.#admission.flooded(flow.address)
  }

  closed(connection: StreamConnection): void {
    const { flow } = connection
    if (flow.socket !== undefined) this.#byId.delete(flow.socket)
    if (this.#byPeer.get(peerKey(flow)) === connection) this.#byPeer.delete(peerKey(flow))
    if (connection.isTrusted) this.#config.closed(flow)
  }

  /** Before any handshake. */
  #admitted(socket: Socket): boolean {
    const address = plain(socket.remoteAddress)
    const ticket = address === '' ? undefined : this.#admission.admit(address, () => socket.destroy())
    if (ticket === undefined) return false
    const key = endsOf(socket)
    this.#arriving.set(key, { ticket, socket })
    socket.once('close', () => {
      this.#arriving.delete(key)
      ticket.leave()
    })
    return true
  }

  #accepted(transport: StreamTransport, socket: Socket): void {
    const address = plain(socket.remoteAddress)
    const ticket = this.#arriving.get(endsOf(socket))?.ticket
    if (address === '' || ticket === undefined) {
      socket.destroy()
      return
    }
    this.#add(transport, socket, address, socket.remotePort ?? 0, plain(socket.localAddress), ticket)
  }

  #add(
    transport: StreamTransport,
    socket: Socket,
    address: string,
    port: number,
    localAddress: string,
    ticket: Ticket | undefined,
  ) {
    const { limits, local, nextId, now } = this.#config
    const own = local(transport, localAddress)
    const flow: Flow = { transport, address, port, socket: nextId(), localHost: own.host, localPort: own.port }
    const connection = new StreamConnection(socket, flow, limits, this, now, ticket)
    if (flow.socket !== undefined) this.#byId.set(flow.socket, connection)
    this.#byPeer.set(peerKey(flow), connection)
    return connection
  }

  #connect(transport: StreamTransport, flow: Flow, bytes: Uint8Array, failed: (() => void) | undefined): void {
    const { limits } = this.#config
    if (this.#byId.size >= limits.connections) {
      failed?.()
      return
    }
    const options = { host: flow.address, port: flow.port }
    // The name in the certificate is the one that was dialled, not what DNS made of it (RFC 5922 §7).
    const servername = flow.serverName === undefined ? {} : { servername: flow.serverName }
    const secured = { ...options, ...servername, ca: this.#config.tls?.ca, minVersion: 'TLSv1.2' as const }
    const socket = isSecure(transport) ? tlsConnect(secured) : tcpConnect(options)
    // Writes wait in the socket until it is connected; what waits counts against the peer's allowance.
    const localAddress = flow.localHost.replace(/^\[|\]$/g, '')
    const connection = this.#add(transport, socket, flow.address, flow.port, localAddress, undefined)
    const tooLate = setTimeout(() => socket.destroy(), limits.connectMs)
    socket.once(isSecure(transport) ? 'secureConnect' : 'connect', () => clearTimeout(tooLate))
    socket.once('close', () => clearTimeout(tooLate))
    connection.send(bytes, failed)
  }
}

const peerKey = (flow: Flow): string => `${flow.transport} ${flow.address} ${flow.port}`

const endsOf = ({ remoteAddress, remotePort, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localPort}`
