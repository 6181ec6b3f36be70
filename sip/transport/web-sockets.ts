import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import { isIPv6, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SecureContextOptions } from 'node:tls'
import { WebSocketServer } from 'ws'
import { withoutTrailing } from '../base/trailing.ts'
import type { Flow, WebSocketTransport } from '../network/flow.ts'
import { formatHost } from '../uri/host.ts'
import { ConnectionAdmission, guardConnections, type Ticket } from './connection-admission.ts'
import type { TransportLimits } from './limits.ts'
import { externalFor } from './own-addresses.ts'
import { WebSocketConnection, type WebSocketOwner } from './web-socket.ts'

/** What became of a handshake; a refused one is still the caller's to answer. */
export type Upgraded =
  | { readonly ok: true }
  | { readonly ok: false; readonly status: 400 | 403 | 404 | 429 | 503; readonly detail: string }

interface WebSocketsConfig {
  readonly limits: TransportLimits
  readonly tls: SecureContextOptions | undefined
  readonly externalAddresses: readonly string[]
  /** Whether a page of that origin may open a WebSocket on our own listeners. */
  readonly isAllowedOrigin: (request: IncomingMessage) => boolean
  readonly now: () => number
  readonly nextId: () => number
  readonly received: (flow: Flow, bytes: Uint8Array) => void
  /** The connection of a signed-in phone. */
  readonly closed: (flow: Flow) => void
  readonly refused: (what: string) => void
}

/** RFC 7118 §4.1. */
const subprotocol = 'sip'
const paths: ReadonlySet<string> = new Set(['/', '/sip'])
const upgradeRequired = 426
/** Time that closing waits for the peers' answers. */
const goodbyeMs = 500
const goodbyePollMs = 10

const endsOf = ({ remoteAddress, remotePort, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localPort}`
const plain = (address: string | undefined): string => (address ?? '').replace(/^::ffff:(?=\d+\.)/, '')

/** All WebSockets: those of our own listeners, and those that an HTTP server hands in. */
export class WebSockets implements WebSocketOwner {
  readonly #config: WebSocketsConfig
  readonly #servers: ReturnType<typeof createServer>[] = []
  readonly #handshake: WebSocketServer
  readonly #byId = new Map<number, WebSocketConnection>()
  readonly #admission: ConnectionAdmission
  /** Connections of our own listeners whose handshake goes on. */
  readonly #handshakes: ConnectionAdmission
  readonly #shaking = new Map<string, { readonly socket: Socket; readonly end: () => void }>()
  readonly #tickets = new Map<WebSocketConnection, Ticket>()

  constructor(config: WebSocketsConfig) {
    this.#config = config
    const { limits, now, refused: notice } = config
    const { webSockets, unknownWebSockets, unknownPerAddress, unknownConnections, unknownConnectionsPerAddress } =
      limits
    // A phone is never known by its address.
    const isPeer = () => false
    const phones = { perAddress: webSockets, unknown: unknownWebSockets, unknownPerAddress }
    this.#admission = new ConnectionAdmission({
      limits: { most: webSockets, reserved: 0, ...phones },
      isPeer,
      now,
      notice,
    })
    const room = { most: webSockets, reserved: 0, perAddress: webSockets, unknown: unknownConnections }
    const handshakes = { ...room, unknownPerAddress: unknownConnectionsPerAddress }
    this.#handshakes = new ConnectionAdmission({ limits: handshakes, isPeer, now, notice })
    this.#handshake = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      // Small messages, one by one: compression would cost memory for each connection and save nothing.
      perMessageDeflate: false,
      maxPayload: limits.messageBytes,
      maxFragments: limits.messageFragments,
      maxBufferedChunks: limits.frameReads,
      handleProtocols: () => subprotocol,
    })
  }

  /** WebSockets refused or given up for others since the start. */
  get refusedCount(): number {
    const { refused, displaced } = this.#admission
    return refused + displaced + this.#handshakes.refused + this.#handshakes.displaced
  }

  get size(): number {
    return this.#byId.size
  }

  /** A listener of our own over TLS. Rejects when the address cannot be bound, or the certificate is none. */
  async listen(address: string, port: number): Promise<{ readonly address: string; readonly port: number }> {
    const { connectMs } = this.#config.limits
    const server = createServer(
      { minVersion: 'TLSv1.2', handshakeTimeout: connectMs, ...this.#config.tls },
      (_request, response) => {
        response.writeHead(upgradeRequired, { upgrade: 'websocket', connection: 'upgrade' }).end()
      },
    )
    guardConnections(server, socket => this.#admitted(socket))
    server.on('upgrade', (request, socket, head) => this.#arrived(request, socket, head))
    server.on('tlsClientError', () => {})
    server.listen({ host: address, port, ipv6Only: isIPv6(address) })
    await once(server, 'listening')
    server.on('error', error => this.#config.refused(error.message))
    this.#servers.push(server)
    const bound = server.address()
    if (bound === null || typeof bound === 'string') throw new Error(`wss:${address}:${port} is no IP socket`)
    return { address: bound.address, port: bound.port }
  }

  /** A new certificate for connections that are accepted from now on. */
  replaceIdentity(identity: SecureContextOptions): void {
    for (const server of this.#servers) server.setSecureContext({ minVersion: 'TLSv1.2', ...identity })
  }

  /**
   * Takes a handshake over, whose origin and path the caller has looked at. `clientAddress`: the phone's, where a proxy
   * stands between.
   */
  upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    transport: WebSocketTransport,
    clientAddress = request.socket.remoteAddress,
  ): Upgraded {
    const { limits, externalAddresses, now, nextId } = this.#config
    const { remotePort = 0, localPort = 0 } = request.socket
    const localAddress = plain(request.socket.localAddress)
    const address = plain(clientAddress)
    const asked = (request.headers['sec-websocket-protocol'] ?? '').split(',')
    if (!asked.some(name => name.trim().toLowerCase() === subprotocol))
      return { ok: false, status: 400, detail: 'The subprotocol of this WebSocket is sip.' }
    if (address === '' || this.#byId.size >= limits.webSockets)
      return { ok: false, status: 503, detail: 'Too many phones are connected.' }
    const ticket = this.#admission.admit(address, () => socket.destroy())
    if (ticket === undefined)
      return { ok: false, status: 429, detail: 'Too many connections of this address have not signed in.' }
    socket.once('close', () => ticket.leave())
    this.#handshake.handleUpgrade(request, socket, head, opened => {
      const flow: Flow = {
        transport,
        address,
        port: remotePort,
        socket: nextId(),
        localHost: formatHost(externalFor(externalAddresses, localAddress) ?? localAddress),
        localPort,
      }
      const connection = new WebSocketConnection(opened, flow, limits, this, now)
      if (flow.socket !== undefined) this.#byId.set(flow.socket, connection)
      this.#tickets.set(connection, ticket)
    })
    return { ok: true }
  }

  send(flow: Flow, bytes: Uint8Array, failed: (() => void) | undefined): void {
    const connection = flow.socket === undefined ? undefined : this.#byId.get(flow.socket)
    if (connection === undefined) failed?.()
    else connection.send(bytes, failed)
  }

  trust(flow: Flow): void {
    const connection = flow.socket === undefined ? undefined : this.#byId.get(flow.socket)
    if (connection === undefined || connection.isTrusted) return
    connection.isTrusted = true
    this.#tickets.get(connection)?.know()
  }

  sweep(now: number): void {
    for (const connection of this.#byId.values()) connection.sweep(now)
  }

  async close(): Promise<void> {
    const closed = this.#servers.map(server => new Promise<void>(resolve => server.close(() => resolve())))
    await this.disconnect()
    for (const { socket } of this.#shaking.values()) socket.destroy()
    for (const server of this.#servers) server.closeAllConnections()
    await Promise.all(closed)
  }

  /** Sends a close to all; resolves when all have gone, or were cut. */
  async disconnect(): Promise<void> {
    for (const connection of this.#byId.values()) connection.end()
    const until = performance.now() + goodbyeMs
    while (this.#byId.size > 0 && performance.now() < until) await sleep(goodbyePollMs)
    for (const connection of this.#byId.values()) connection.destroy()
  }

  received(connection: WebSocketConnection, bytes: Uint8Array): void {
    this.#config.received(connection.flow, bytes)
  }

  closed(connection: WebSocketConnection): void {
    const { flow, isTrusted } = connection
    if (flow.socket !== undefined) this.#byId.delete(flow.socket)
    this.#tickets.get(connection)?.leave()
    this.#tickets.delete(connection)
    if (isTrusted) this.#config.closed(flow)
  }

  /** Before the TLS handshake, which must become a WebSocket in time. */
  #admitted(socket: Socket): boolean {
    const address = plain(socket.remoteAddress)
    const ticket = address === '' ? undefined : this.#handshakes.admit(address, () => socket.destroy())
    if (ticket === undefined) return false
    const late = setTimeout(() => socket.destroy(), this.#config.limits.connectMs)
    const key = endsOf(socket)
    const end = () => {
      clearTimeout(late)
      this.#shaking.delete(key)
      ticket.leave()
    }
    this.#shaking.set(key, { socket, end })
    socket.once('close', end)
    return true
  }

  #arrived(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => {})
    this.#shaking.get(endsOf(request.socket))?.end()
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    const isOurs = paths.has(withoutTrailing(path, '/', 1))
    const upgraded: Upgraded = !isOurs
      ? { ok: false, status: 404, detail: '' }
      : this.#config.isAllowedOrigin(request)
        ? this.upgrade(request, socket, head, 'wss')
        : { ok: false, status: 403, detail: '' }
    if (upgraded.ok) return
    // It may never close its side, and no other timer watches it any more.
    const late = setTimeout(() => socket.destroy(), this.#config.limits.lingerMs)
    socket.once('close', () => clearTimeout(late))
    socket.end(`HTTP/1.1 ${upgraded.status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  }
}
