import type { RawData, WebSocket } from 'ws'
import type { Flow } from '../network/flow.ts'
import type { TransportLimits } from './limits.ts'
import { MessageAllowance } from './message-allowance.ts'

const crlf = new Uint8Array([0x0d, 0x0a])
/** RFC 6455 §7.4.1. */
const goingAway = 1001
const policyViolation = 1008
/** Time that a peer may take to answer our close. */
const closeMs = 2_000

export interface WebSocketOwner {
  /** One whole message, or what should be one (RFC 7118 §5: a message a frame, text or binary). */
  received(connection: WebSocketConnection, bytes: Uint8Array): void
  closed(connection: WebSocketConnection): void
}

/** One WebSocket that speaks SIP: keep-alives of both kinds, and what a bad or slow peer may cost. */
export class WebSocketConnection {
  readonly flow: Flow
  /** A phone has signed in over it. */
  isTrusted = false
  readonly #socket: WebSocket
  readonly #limits: TransportLimits
  readonly #openedAt: number
  #receivedAt: number
  #pingedAt: number
  readonly #allowance: MessageAllowance
  #speaksBinary = false
  #isOpen = true

  constructor(socket: WebSocket, flow: Flow, limits: TransportLimits, owner: WebSocketOwner, now: () => number) {
    this.flow = flow
    this.#socket = socket
    this.#limits = limits
    this.#openedAt = now()
    this.#receivedAt = this.#openedAt
    this.#pingedAt = this.#openedAt
    this.#allowance = new MessageAllowance(limits, this.#openedAt)
    socket.on('message', (data, isBinary) => this.#received(bytesOf(data), isBinary, owner, now()))
    socket.on('ping', () => {
      this.#receivedAt = now()
    })
    socket.on('pong', () => {
      this.#receivedAt = now()
    })
    // What a peer breaks of the protocol closes the socket; `close` follows.
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#isOpen = false
      owner.closed(this)
    })
  }

  /** `failed` is called when the bytes cannot have gone out. */
  send(bytes: Uint8Array, failed: (() => void) | undefined): void {
    const { readyState, OPEN, bufferedAmount } = this.#socket
    if (!this.#isOpen || readyState !== OPEN) {
      failed?.()
      return
    }
    if (bufferedAmount + bytes.length > this.#limits.unsentBytes) {
      this.#socket.terminate()
      failed?.()
      return
    }
    this.#socket.send(bytes, { binary: this.#speaksBinary }, error => {
      if (error) failed?.()
    })
  }

  /** Closes connections that are silent or never sign in; pings those that have been quiet. */
  sweep(now: number): void {
    const { pingMs, unknownMs } = this.#limits
    if (!this.isTrusted && now - this.#openedAt > unknownMs) this.close(policyViolation, 'not signed in')
    else if (now - this.#receivedAt > 2 * pingMs) this.#socket.terminate()
    else if (
      now - Math.max(this.#receivedAt, this.#pingedAt) >= pingMs &&
      this.#socket.readyState === this.#socket.OPEN
    ) {
      this.#pingedAt = now
      this.#socket.ping()
    }
  }

  end(): void {
    this.close(goingAway, 'the service is stopping')
  }

  close(code: number, why: string): void {
    if (!this.#isOpen) return
    this.#socket.close(code, why)
    const late = setTimeout(() => this.#socket.terminate(), closeMs)
    late.unref()
    this.#socket.once('close', () => clearTimeout(late))
  }

  destroy(): void {
    this.#socket.terminate()
  }

  #received(bytes: Uint8Array, isBinary: boolean, owner: WebSocketOwner, now: number): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    this.#receivedAt = now
    if (!this.#allowance.take(now)) {
      this.close(policyViolation, 'too many messages')
      return
    }
    if (isOnlyLineEnds(bytes)) {
      // RFC 5626 §3.5.1: two line ends ask, one answers.
      if (bytes.length === 4) this.send(crlf, undefined)
      return
    }
    // The browsers' libraries write text; who writes binary is answered in kind.
    this.#speaksBinary = isBinary
    owner.received(this, bytes)
  }
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data)
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data
}

const isOnlyLineEnds = (bytes: Uint8Array): boolean =>
  bytes.length <= 4 && bytes.every(byte => byte === 0x0d || byte === 0x0a)
