import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { membership } from './networks.ts'
import { networkOf } from './request-limits.ts'
import { UnreadAnswers } from './unread-answers.ts'

export interface ConnectionLimits {
  /** Connections at once, of all listeners; WebSockets have limits of their own. */
  readonly most: number
  /** Of one address, or one /64 of IPv6; trusted proxies excepted. */
  readonly perAddress: number
  /** One whose client reads nothing of an answer for so long is closed. */
  readonly unreadMs: number
}

export const defaultConnectionLimits: ConnectionLimits = { most: 10_000, perAddress: 1_000, unreadMs: 30_000 }

/** Looks at unread answers in the time after which they end their connection. */
const looksInTime = 10

/**
 * Who may hold HTTP connections. One address gets a share of them; when all are taken, the oldest that has not
 * shown a valid key is closed: a client asks as soon as it is connected, an attacker waits.
 */
export class HttpConnections {
  readonly #limits: ConnectionLimits
  readonly #isProxy: (address: string) => boolean
  readonly #perAddress = new Map<string, number>()
  /** In the order in which they came. */
  readonly #unproven = new Set<Socket>()
  readonly #keys = new Map<Socket, string>()
  readonly #looking: NodeJS.Timeout

  constructor(limits: ConnectionLimits, trustedProxies: readonly string[]) {
    this.#limits = limits
    this.#isProxy = membership(trustedProxies)
    const unread = new UnreadAnswers(limits.unreadMs)
    this.#looking = setInterval(
      () => unread.look(this.#keys.keys(), performance.now()),
      limits.unreadMs / looksInTime,
    ).unref()
  }

  close(): void {
    clearInterval(this.#looking)
  }

  /** Asks of every connection of the server before its own listeners see it. `event`: by which it gets them. */
  guard(server: Server, event: 'connection' | 'secureConnection'): void {
    const listeners = server.listeners(event)
    server.removeAllListeners(event)
    server.on(event, (socket: Socket) => {
      if (this.#admit(socket)) for (const listener of listeners) listener.call(server, socket)
      else socket.destroy()
    })
  }

  /** A request with a valid key or session came over it. */
  proven(socket: Socket): void {
    this.#unproven.delete(socket)
  }

  /** It has become a WebSocket, which is counted elsewhere. Until then it takes a place here. */
  takenOver(socket: Socket): void {
    this.#left(socket)
  }

  #admit(socket: Socket): boolean {
    const address = socket.remoteAddress
    if (address === undefined) return false
    const key = networkOf(address)
    const { most, perAddress } = this.#limits
    const count = this.#perAddress.get(key) ?? 0
    if (count >= perAddress && !this.#isProxy(address)) return false
    if (this.#keys.size >= most && !this.#displaceOldest()) return false
    this.#perAddress.set(key, count + 1)
    this.#keys.set(socket, key)
    this.#unproven.add(socket)
    socket.once('close', () => this.#left(socket))
    return true
  }

  #displaceOldest(): boolean {
    for (const oldest of this.#unproven) {
      this.#left(oldest)
      oldest.destroy()
      return true
    }
    return false
  }

  #left(socket: Socket): void {
    const key = this.#keys.get(socket)
    if (key === undefined) return
    this.#keys.delete(socket)
    this.#unproven.delete(socket)
    const count = (this.#perAddress.get(key) ?? 1) - 1
    if (count === 0) this.#perAddress.delete(key)
    else this.#perAddress.set(key, count)
  }
}
