import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import { isIPv6 } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SecureContextOptions } from 'node:tls'
import { WebSocketServer } from 'ws'
import type { Flow } from '../transaction/flow.ts'
import { formatHost } from '../uri/host.ts'
import type { TransportLimits } from './limits.ts'
import { WebSocketConnection, type WebSocketOwner } from './web-socket.ts'

export type WebSocketTransport = 'ws' | 'wss'

/** What became of a handshake; a refused one is still the caller's to answer. */
export type Upgraded =
  | { readonly ok: true }
  | { readonly ok: false; readonly status: 400 | 403 | 404 | 429 | 503; readonly detail: string }

export interface WebSocketsConfig {
  readonly limits: TransportLimits
  readonly tls: SecureContextOptions | undefined
  readonly externalAddress: string | undefined
  /** Whether a page of that origin may open a WebSocket on our own listeners. */
  readonly isAllowedOrigin: (request: IncomingMessage) => boolean
  readonly now: () => number
  readonly nextId: () => number
  readonly received: (flow: Flow, bytes: Uint8Array) => void
  /** The connection of somebody who had signed in. */
  readonly closed: (flow: Flow) => void
  readonly refused: (what: string) => void
}

/** RFC 7118 §4.1. */
const subprotocol = 'sip'
const paths: ReadonlySet<string> = new Set(['/', '/sip'])
const upgradeRequired = 426
/** So long closing waits for the peers' answers. */
const goodbyeMs = 500
const goodbyePollMs = 10

const plain = (address: string | undefined): string => (address ?? '').replace(/^::ffff:(?=\d+\.)/, '')

/** All WebSockets: those of our own listeners, and those that an HTTP server hands in. */
export class WebSockets implements WebSocketOwner {
  readonly #config: WebSocketsConfig
  readonly #servers: ReturnType<typeof createServer>[] = []
  readonly #handshake: WebSocketServer
  readonly #byId = new Map<number, WebSocketConnection>()
  readonly #unknown = new Map<string, number>()

  constructor(config: WebSocketsConfig) {
    this.#config = config
    this.#handshake = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      // Small messages, one by one: compression would cost memory for each connection and save nothing.
      perMessageDeflate: false,
      maxPayload: config.limits.messageBytes,
      handleProtocols: () => subprotocol,
    })
  }

  get size(): number {
    return this.#byId.size
  }

  /** A listener of our own over TLS. Rejects when the address cannot be bound, or the certificate is none. */
  async listen(address: string, port: number): Promise<{ readonly address: string; readonly port: number }> {
    const server = createServer({ minVersion: 'TLSv1.2', ...this.#config.tls }, (_request, response) => {
      response.writeHead(upgradeRequired, { upgrade: 'websocket', connection: 'upgrade' }).end()
    })
    server.maxConnections = this.#config.limits.webSockets
    server.headersTimeout = this.#config.limits.connectMs
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

  /** Takes a handshake over, whose origin and path the caller has looked at. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, transport: WebSocketTransport): Upgraded {
    const { limits, externalAddress, now, nextId } = this.#config
    const { remoteAddress, remotePort = 0, localAddress, localPort = 0 } = request.socket
    const address = plain(remoteAddress)
    const asked = (request.headers['sec-websocket-protocol'] ?? '').split(',')
    if (!asked.some(name => name.trim().toLowerCase() === subprotocol))
      return { ok: false, status: 400, detail: 'The subprotocol of this WebSocket is sip.' }
    if (address === '' || this.#byId.size >= limits.webSockets)
      return { ok: false, status: 503, detail: 'Too many phones are connected.' }
    if ((this.#unknown.get(address) ?? 0) >= limits.unknownPerAddress)
      return { ok: false, status: 429, detail: 'Too many connections of this address have not signed in.' }
    this.#handshake.handleUpgrade(request, socket, head, opened => {
      const flow: Flow = {
        transport,
        address,
        port: remotePort,
        socket: nextId(),
        localHost: formatHost(externalAddress ?? plain(localAddress)),
        localPort,
      }
      const connection = new WebSocketConnection(opened, flow, limits, this, now)
      if (flow.socket !== undefined) this.#byId.set(flow.socket, connection)
      this.#unknown.set(address, (this.#unknown.get(address) ?? 0) + 1)
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
    this.#forgetUnknown(flow.address)
  }

  sweep(now: number): void {
    for (const connection of this.#byId.values()) connection.sweep(now)
  }

  async close(): Promise<void> {
    const closed = this.#servers.map(server => new Promise<void>(resolve => server.close(() => resolve())))
    await this.disconnect()
    for (const server of this.#servers) server.closeAllConnections()
    await Promise.all(closed)
  }

  /** Says goodbye to everybody; resolves when all have gone, or were cut. */
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
    if (isTrusted) this.#config.closed(flow)
    else this.#forgetUnknown(flow.address)
  }

  #forgetUnknown(address: string): void {
    const left = (this.#unknown.get(address) ?? 1) - 1
    if (left > 0) this.#unknown.set(address, left)
    else this.#unknown.delete(address)
  }

  #arrived(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => {})
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    const isOurs = paths.has(path.replace(/(?<=.)\/+$/, ''))
    const upgraded: Upgraded = !isOurs
      ? { ok: false, status: 404, detail: '' }
      : this.#config.isAllowedOrigin(request)
        ? this.upgrade(request, socket, head, 'wss')
        : { ok: false, status: 403, detail: '' }
    if (!upgraded.ok)
      socket.end(`HTTP/1.1 ${upgraded.status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  }
}
