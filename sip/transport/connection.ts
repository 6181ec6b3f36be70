import type { Socket } from 'node:net'
import type { Flow } from '../network/flow.ts'
import { type Framed, StreamFramer } from '../stream/framer.ts'
import type { Ticket } from './connection-admission.ts'
import type { TransportLimits } from './limits.ts'
import { MessageAllowance } from './message-allowance.ts'

const crlf = new Uint8Array([0x0d, 0x0a])

/** What a connection reports to its owner. */
export interface ConnectionOwner {
  framed(connection: StreamConnection, framed: Framed): void
  closed(connection: StreamConnection): void
  /** It is closed because it brings too many messages. */
  flooded(connection: StreamConnection): void
}

/** One TCP or TLS connection: framing, keep-alives, and what a slow peer may cost (RFC 3261 §18, RFC 5626 §3.5.1). */
export class StreamConnection {
  readonly flow: Flow
  /** A softphone has signed in over it. */
  isTrusted = false
  readonly #ticket: Ticket | undefined
  readonly #openedAt: number
  readonly #socket: Socket
  readonly #limits: TransportLimits
  readonly #framer = new StreamFramer()
  readonly #allowance: MessageAllowance
  #isOpen = true
  #hasSpoken = false
  /** Octets thrown away since we have closed. */
  #unheard = 0
  /** When the last whole message or ping came, and since when a part of one is here. */
  #activeAt: number
  #partialSince: number | undefined
  readonly #unsent = new Set<() => void>()

  /** `ticket`: its place among those that came in; undefined for one that we opened. */
  constructor(
    socket: Socket,
    flow: Flow,
    limits: TransportLimits,
    owner: ConnectionOwner,
    now: () => number,
    ticket: Ticket | undefined,
  ) {
    this.#ticket = ticket
    this.#openedAt = now()
    this.flow = flow
    this.#socket = socket
    this.#limits = limits
    this.#activeAt = now()
    this.#allowance = new MessageAllowance(limits, this.#activeAt)
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 60_000)
    socket.on('data', (chunk: Uint8Array) => this.#received(chunk, owner, now()))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      this.#isOpen = false
      for (const failed of this.#unsent) failed()
      this.#unsent.clear()
      ticket?.leave()
      owner.closed(this)
    })
  }

  /** False once nothing more can be sent over it. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** `failed` is called when the bytes cannot have gone out. */
  send(bytes: Uint8Array, failed: (() => void) | undefined): void {
    if (!this.#isOpen || this.#socket.destroyed) {
      failed?.()
      return
    }
    if (this.#socket.writableLength + bytes.length > this.#limits.unsentBytes) {
      this.#socket.destroy()
      failed?.()
      return
    }
    this.#hasSpoken = true
    if (failed === undefined) {
      this.#socket.write(bytes)
      return
    }
    this.#unsent.add(failed)
    this.#socket.write(bytes, error => {
      if (this.#unsent.delete(failed) && error) failed()
    })
  }

  /** A known sender has used it: the connection may stay. */
  know(): void {
    this.#ticket?.know()
  }

  /** True when it has been closed: as idle, as of an unknown source, or as one that never finishes its message. */
  sweep(now: number): boolean {
    const isIdle = now - this.#activeAt > this.#limits.idleMs
    const isStuck = this.#partialSince !== undefined && now - this.#partialSince > this.#limits.partialMs
    const isNobodys = this.#ticket?.isKnown === false && now - this.#openedAt > this.#limits.unknownMs
    if (isIdle || isStuck || isNobodys) this.#socket.destroy()
    return isIdle || isStuck || isNobodys
  }

  /** Sends what is left, then closes. */
  end(): void {
    this.#socket.end()
    this.#socket.destroySoon()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  /**
   * No further message can be found in the stream. Unread bytes at a close would cause a reset, which may overtake
   * our answer (RFC 1122 §4.2.2.13): so the connection is half closed, and the rest is read for a while.
   */
  #giveUp(): void {
    this.#isOpen = false
    if (!this.#hasSpoken) {
      this.#socket.destroy()
      return
    }
    this.#socket.end()
    const late = setTimeout(() => this.#socket.destroy(), this.#limits.lingerMs)
    this.#socket.once('close', () => clearTimeout(late))
  }

  /** Trunks, and where we have connected to, may bring any number. */
  #mayBring(now: number): boolean {
    const ticket = this.#ticket
    if (ticket === undefined || ticket.isPeer) return true
    return this.#allowance.take(now, ticket.isKnown && !this.isTrusted ? this.#limits.knownMessageTimes : 1)
  }

  #flooded(owner: ConnectionOwner): void {
    this.#isOpen = false
    this.#socket.destroy()
    owner.flooded(this)
  }

  #received(chunk: Uint8Array, owner: ConnectionOwner, now: number): void {
    if (!this.#isOpen) {
      this.#unheard += chunk.length
      if (this.#unheard > this.#limits.lingerBytes) this.#socket.pause()
      return
    }
    let isPinged = false
    let isPonged = false
    for (const framed of this.#framer.push(chunk)) {
      this.#activeAt = now
      this.#partialSince = undefined
      if (framed.kind === 'ping') isPinged = true
      else if (framed.kind === 'pong') isPonged = true
      else if (this.#mayBring(now)) owner.framed(this, framed)
      else {
        this.#flooded(owner)
        return
      }
      if (framed.kind === 'fault' && framed.closes) this.#giveUp()
    }
    // One answer says as much as a thousand: a stream of line ends must not become as many writes.
    if ((isPinged || isPonged) && !this.#mayBring(now)) {
      this.#flooded(owner)
      return
    }
    if (isPinged) this.send(crlf, undefined)
    if (this.#framer.waiting) this.#partialSince ??= now
    else this.#partialSince = undefined
  }
}
