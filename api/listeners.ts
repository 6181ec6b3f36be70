import { once } from 'node:events'
import { type AddressInfo, createServer, isIPv6, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, Server as TlsServer } from 'node:tls'
import type { HttpListener } from '../core/index.ts'
import type { TlsFiles } from './base/door.ts'
import type { Api } from './base/fastify.ts'

/** Time that a client may take for its TLS handshake. */
const handshakeTimeoutMs = 8000
/** Unfinished handshakes of one address; more are closed at once. */
const maxHandshakesPerAddress = 100
const maxConnections = 10_000

/** TLS as `https:` listeners speak it: HTTP/1.1 by ALPN (RFC 7301), TLS 1.2 or newer. */
export const httpsOptions = (identity: { readonly cert: string; readonly key: string }) => ({
  ...identity,
  minVersion: 'TLSv1.2' as const,
  ALPNProtocols: ['http/1.1'],
  handshakeTimeout: handshakeTimeoutMs,
})

/** What really listens, and how to end it. */
export interface HttpListeners {
  readonly bound: readonly HttpListener[]
  /** Takes no more connections; resolves when the API has closed those that are open. */
  close(): Promise<void>
}

/** The listener whose server the API itself is: the first plain one, else the first. */
export const mainListener = (listeners: readonly HttpListener[]): HttpListener | undefined =>
  listeners.find(({ scheme }) => scheme === 'http') ?? listeners[0]

/**
 * Listens at all addresses. One HTTP server answers for all of them: sockets of the others are handed to it, so that limits
 * and timeouts hold for every connection alike. Rejects with nothing left open when an address cannot be bound.
 */
export async function listen(
  app: Api,
  listeners: readonly HttpListener[],
  tls: TlsFiles | undefined,
): Promise<HttpListeners> {
  const main = mainListener(listeners)
  if (main === undefined) throw new Error('SAUTI_HTTP names no listener')
  const accept = main.scheme === 'https' ? 'secureConnection' : 'connection'
  const servers: Server[] = []
  const close = async () => {
    await Promise.all(servers.map(server => new Promise<void>(resolve => server.close(() => resolve()))))
  }
  const bound: HttpListener[] = []
  try {
    for (const listener of listeners) {
      const { scheme, address, port } = listener
      if (listener === main) {
        await app.listen({ host: address, port })
        if (isTls(app.server)) limitHandshakes(app.server)
        bound.push(boundOf(scheme, app.server.address()))
        continue
      }
      const take = (socket: Socket) => app.server.emit(accept, socket)
      const server =
        scheme === 'https' ? createTlsServer(httpsOptions(mustHave(tls).current), take) : createServer(take)
      if (isTls(server)) limitHandshakes(server)
      server.maxConnections = maxConnections
      server.listen({ host: address, port, ipv6Only: isIPv6(address) })
      await once(server, 'listening')
      servers.push(server)
      bound.push(boundOf(scheme, server.address()))
    }
  } catch (fault) {
    await close()
    throw fault
  }
  const stopWatching = tls?.onReplaced(identity => {
    for (const server of [app.server, ...servers]) {
      if (isTls(server)) server.setSecureContext(httpsOptions(identity))
    }
  })
  return {
    bound,
    close: async () => {
      stopWatching?.()
      await close()
    },
  }
}

/** Counted before the handshake: connections that stay silent must not use up all of them. */
function limitHandshakes(server: TlsServer): void {
  const perAddress = new Map<string, number>()
  const unfinished = new Set<string>()
  const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`
  const finish = (name: string, address: string) => {
    if (!unfinished.delete(name)) return
    const left = (perAddress.get(address) ?? 1) - 1
    if (left === 0) perAddress.delete(address)
    else perAddress.set(address, left)
  }
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const count = perAddress.get(address) ?? 0
    if (count >= maxHandshakesPerAddress) {
      socket.destroy()
      return
    }
    const name = nameOf(socket)
    perAddress.set(address, count + 1)
    unfinished.add(name)
    socket.once('close', () => finish(name, address))
  })
  server.on('secureConnection', socket => finish(nameOf(socket), socket.remoteAddress ?? ''))
  server.on('tlsClientError', () => {})
}

// https.Server is a tls.Server of Node without being one of TypeScript's.
const isTls = (server: unknown): server is TlsServer => server instanceof TlsServer

function boundOf(scheme: HttpListener['scheme'], at: AddressInfo | string | null): HttpListener {
  if (at === null || typeof at === 'string') throw new Error('an HTTP listener has no IP address')
  return { scheme, address: at.address, port: at.port }
}

function mustHave(tls: TlsFiles | undefined): TlsFiles {
  if (tls === undefined) throw new Error('SAUTI_HTTP: https: needs a certificate: set SAUTI_TLS_CERT and SAUTI_TLS_KEY')
  return tls
}
