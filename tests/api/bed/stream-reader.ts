import type { Socket } from 'node:net'
import { WebSocket } from 'ws'

export interface StreamMessage {
  readonly seq: number
  readonly code: string
  readonly event: string
  readonly sid: string
  readonly createdAt: string
  readonly data: Readonly<Record<string, unknown>>
  readonly customPayload?: unknown
}

/** A subscriber of the event stream, as a customer would write one. */
export class StreamReader {
  readonly messages: StreamMessage[] = []
  readonly socket: WebSocket
  /** Why it was closed. */
  reason = ''
  /** Resolves with the close code. */
  readonly closed: Promise<number>
  readonly #waiting = new Set<() => void>()

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', data => {
      this.messages.push(JSON.parse(String(data)) as StreamMessage)
      for (const look of this.#waiting) look()
    })
    this.closed = new Promise(resolve =>
      socket.on('close', (code, reason) => {
        this.reason = String(reason)
        resolve(code)
      }),
    )
  }

  static open(url: string, headers: Record<string, string> = {}): Promise<StreamReader> {
    const socket = new WebSocket(url, { headers })
    const reader = new StreamReader(socket)
    return new Promise((resolve, reject) => {
      socket.on('open', () => resolve(reader))
      socket.on('error', reject)
    })
  }

  /** Status and body of the refusal of an upgrade; 101 when it is none. */
  static refusal(url: string, headers: Record<string, string> = {}): Promise<{ status: number; body: string }> {
    const socket = new WebSocket(url, { headers })
    return new Promise((resolve, reject) => {
      socket.on('open', () => {
        socket.terminate()
        resolve({ status: 101, body: '' })
      })
      socket.on('unexpected-response', (_request, answer) => {
        let body = ''
        answer.on('data', chunk => {
          body += String(chunk)
        })
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }))
      })
      socket.on('error', reject)
    })
  }

  get seqs(): number[] {
    return this.messages.map(({ seq }) => seq)
  }

  /** Resolves when this many messages have come. */
  atLeast(count: number): Promise<void> {
    return new Promise(resolve => {
      const look = () => {
        if (this.messages.length < count) return
        this.#waiting.delete(look)
        resolve()
      }
      this.#waiting.add(look)
      look()
    })
  }

  /** Reads no more from the network; what comes piles up on the other side. */
  pause(): void {
    this.#wire.pause()
  }

  resume(): void {
    this.#wire.resume()
  }

  close(): void {
    this.socket.terminate()
  }

  get #wire(): Socket {
    return (this.socket as unknown as { _socket: Socket })._socket
  }
}
