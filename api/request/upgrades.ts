import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Log } from '../../core/index.ts'
import { clientAddresses } from '../access/client-address.ts'
import type { HttpConnections } from '../access/http-connections.ts'
import { checkHost } from '../access/request-form.ts'
import { networkOf } from '../access/request-limits.ts'
import { bodyOf, Refusal } from '../answer/refusal.ts'
import type { SwitchDoor } from '../base/door.ts'
import type { WorkTurns } from '../base/work-turns.ts'

/** Takes the socket over, or throws or rejects with a Refusal before it has written anything. */
export type UpgradeHandler = (request: IncomingMessage, url: URL, socket: Duplex, head: Buffer) => void | Promise<void>

/** A client that offers to change to anything else (curl: h2c) is answered as if it had not. */
export const isWebSocket = (request: IncomingMessage): boolean => request.headers.upgrade?.toLowerCase() === 'websocket'

/**
 * Upgrades of one network that wait for their turn, as many as it may have connections: behind a proxy those have no bound
 * of their own. A further one is not worth an answer. After a restart hundreds of one office come back at once.
 */
const mostWaiting = 1000

/** The paths at which the HTTP server becomes something else. */
export class Upgrades {
  readonly #handlers = new Map<string, UpgradeHandler>()

  readonly #log: Log
  readonly #turns: WorkTurns
  readonly #connections: Pick<HttpConnections, 'takenOver'>
  readonly #addressOf: (request: IncomingMessage) => string | undefined
  /** Upgrades of each network that wait for their turn. */
  readonly #waiting = new Map<string, number>()

  constructor(
    app: { readonly server: Server },
    { log, settings }: Pick<SwitchDoor, 'log' | 'settings'>,
    turns: WorkTurns,
    connections: Pick<HttpConnections, 'takenOver'>,
  ) {
    this.#log = log
    this.#turns = turns
    this.#connections = connections
    this.#addressOf = clientAddresses(settings.trustedProxies)
    app.server.on('upgrade', (request, socket, head) => void this.#upgrade(request, socket, head))
  }

  /** `path` without a trailing slash. */
  at(path: string, handler: UpgradeHandler): void {
    this.#handlers.set(path, handler)
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // There is no other listener until the socket is taken over.
    socket.on('error', ignore)
    try {
      checkHost(request)
      const url = parseUrl(request.url)
      const handler = url === undefined ? undefined : this.#handlers.get(withoutSlashes(url.pathname))
      if (url === undefined || handler === undefined) throw new Refusal(404, 'Nothing can be opened at this path.')
      // However many come at once: one in a turn of the event loop, and addresses take turns.
      if (!(await this.#turnOf(networkOf(this.#addressOf(request) ?? '')))) {
        socket.destroy()
        return
      }
      await handler(request, url, socket, head)
      this.#connections.takenOver(request.socket)
    } catch (fault) {
      refuse(socket, this.#refusalOf(fault))
    }
  }

  /** False: too many of its network wait already. */
  async #turnOf(network: string): Promise<boolean> {
    const waiting = this.#waiting.get(network) ?? 0
    if (waiting >= mostWaiting) return false
    this.#waiting.set(network, waiting + 1)
    await this.#turns.next(network)
    const left = (this.#waiting.get(network) ?? 1) - 1
    if (left === 0) this.#waiting.delete(network)
    else this.#waiting.set(network, left)
    return true
  }

  #refusalOf(fault: unknown): Refusal {
    if (fault instanceof Refusal) return fault
    this.#log.error({ error: fault instanceof Error ? fault.stack : String(fault) }, 'an upgrade failed')
    return new Refusal(500, 'The service could not answer this request.')
  }
}

const ignore = (): void => {}

/** As `sip/base/trailing.ts`, which the API does not import: a regular expression would not take linear time. */
function withoutSlashes(path: string): string {
  let end = path.length
  while (end > 1 && path[end - 1] === '/') end--
  return path.slice(0, end)
}

const parseUrl = (target: string | undefined): URL | undefined =>
  URL.canParse(target ?? '', 'http://localhost') ? new URL(target ?? '', 'http://localhost') : undefined

/** Time that a refused client may take to close its side: no server watches the socket any more. */
const lingerMs = 2000

/** An HTTP answer on the bare socket, which closes after it. */
function refuse(socket: Duplex, refusal: Refusal): void {
  const body = JSON.stringify(bodyOf(refusal))
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...refusal.extras.headers,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const late = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(late))
  socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${body}`)
}
