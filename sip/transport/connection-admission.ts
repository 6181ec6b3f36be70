import type { Server, Socket } from 'node:net'
import { NoticeLimit } from '../base/notice-limit.ts'
import { sourceKey } from '../network/source-network.ts'

interface ConnectionLimits {
  /** Connections that came in and that are admitted at once. */
  readonly most: number
  /** Connections of these that are kept free for peers, which are known by their address. */
  readonly reserved: number
  /** Connections of one address (one /64 of IPv6). */
  readonly perAddress: number
  /** Connections without a sign-in: in all, and of one address. */
  readonly unknown: number
  readonly unknownPerAddress: number
}

interface ConnectionAdmissionConfig {
  readonly limits: ConnectionLimits
  /** A trunk sends from there. */
  readonly isPeer: (address: string) => boolean
  readonly now: () => number
  /** A line for the operator, one a minute for each kind and address. */
  readonly notice: (what: string) => void
}

/** What a connection costs of the limits, from its first packet to its end. */
export interface Ticket {
  /** A trunk sends from its address. */
  readonly isPeer: boolean
  readonly isKnown: boolean
  /** A known sender has used it: the connection no longer counts as unknown. */
  know(): void
  leave(): void
}

class Held implements Ticket {
  isKnown: boolean
  readonly isPeer: boolean
  readonly key: string
  readonly drop: () => void
  readonly #owner: ConnectionAdmission
  #isIn = true

  constructor(owner: ConnectionAdmission, key: string, isKnown: boolean, drop: () => void) {
    this.#owner = owner
    this.key = key
    this.isKnown = isKnown
    this.isPeer = isKnown
    this.drop = drop
  }

  know(): void {
    if (!this.#isIn || this.isKnown) return
    this.#owner.forgetUnknown(this)
    this.isKnown = true
  }

  leave(): void {
    if (!this.#isIn) return
    this.#isIn = false
    this.#owner.left(this)
  }
}

/**
 * Decides who may hold a connection, before a handshake costs anything. An unknown sender gets little room and little
 * time; when the room is full its oldest connection is closed, as a phone signs in at once and an attacker waits.
 */
export class ConnectionAdmission {
  /** Connections that were closed at once because of a limit. */
  refused = 0
  /** Unknown ones that made room for later ones. */
  displaced = 0
  readonly #config: ConnectionAdmissionConfig
  readonly #perKey = new Map<string, number>()
  readonly #unknownPerKey = new Map<string, number>()
  /** In the order in which they came. */
  readonly #unknown = new Set<Held>()
  readonly #notices = new NoticeLimit()
  #count = 0

  constructor(config: ConnectionAdmissionConfig) {
    this.#config = config
  }

  /** Undefined: over a limit, to be closed. `drop` closes it when its room is needed. */
  admit(address: string, drop: () => void): Ticket | undefined {
    const { limits, isPeer } = this.#config
    const isKnown = isPeer(address)
    const key = sourceKey(address)
    if (this.#count >= (isKnown ? limits.most : limits.most - limits.reserved)) return this.#refuse('all', address)
    if (countIn(this.#perKey, key) >= limits.perAddress) return this.#refuse('address', address)
    if (!isKnown) {
      if (countIn(this.#unknownPerKey, key) >= limits.unknownPerAddress) return this.#refuse('unknown', address)
      if (this.#unknown.size >= limits.unknown) this.#displace()
    }
    const ticket = new Held(this, key, isKnown, drop)
    this.#count++
    add(this.#perKey, key, 1)
    if (!isKnown) {
      this.#unknown.add(ticket)
      add(this.#unknownPerKey, key, 1)
    }
    return ticket
  }

  /** One that brings too many messages was closed. */
  flooded(address: string): void {
    this.#refuse('flood', address)
  }

  /** The ticket's own. */
  forgetUnknown(ticket: Held): void {
    if (this.#unknown.delete(ticket)) add(this.#unknownPerKey, ticket.key, -1)
  }

  /** The ticket's own. */
  left(ticket: Held): void {
    this.#count--
    add(this.#perKey, ticket.key, -1)
    this.forgetUnknown(ticket)
  }

  #displace(): void {
    for (const oldest of this.#unknown) {
      this.displaced++
      oldest.leave()
      oldest.drop()
      return
    }
  }

  #refuse(kind: keyof typeof reasons, address: string): undefined {
    this.refused++
    const count = this.#notices.count(`${kind} ${sourceKey(address)}`, this.#config.now())
    if (count !== undefined) this.#config.notice(`refused connections from ${address}: ${count}; ${reasons[kind]}`)
    return undefined
  }
}

const reasons = {
  all: 'there are as many connections as there may be',
  address: 'that address has as many as one may have',
  unknown: 'nobody has signed in on those that it has',
  flood: 'more messages came than one connection may bring',
} as const

const countIn = (counts: ReadonlyMap<string, number>, key: string): number => counts.get(key) ?? 0

function add(counts: Map<string, number>, key: string, more: number): void {
  const count = (counts.get(key) ?? 0) + more
  if (count > 0) counts.set(key, count)
  else counts.delete(key)
}

/** Asks `admit` of every connection before the server's own listeners (the TLS handshake, HTTP) see it; closes the rest. */
export function guardConnections(server: Server, admit: (socket: Socket) => boolean): void {
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (admit(socket)) for (const listener of listeners) listener.call(server, socket)
    else socket.destroy()
  })
}
