import { backoffMs } from './backoff.ts'

interface LineEvents {
  up(): void
  /** `willRetry`: another attempt follows by itself. */
  down(detail: string, willRetry: boolean): void
  received(bytes: Uint8Array): void
}

/** RFC 5626 §4.4.1 has 95 to 120 s over TCP; browsers and proxies on their way drop idle WebSockets after 30 or 60 s. */
const pingEveryMs = 25_000
/** RFC 5626 §4.4.1: a flow without a pong for this time is dead. */
const pongWithinMs = 10_000
/** When there is reason to believe that it is dead already. */
const doubtedPongWithinMs = 3_000
const openWithinMs = 10_000
const doubleCrLf = '\r\n\r\n'

const decoder = new TextDecoder()
const encoder = new TextEncoder()

/**
 * The WebSocket to the switch (RFC 7118): opened again and again until `close`, longer and longer waits between, and
 * kept alive by double CRLFs. A browser cannot send WebSocket pings.
 */
export class Line {
  readonly #url: string
  readonly #events: LineEvents
  readonly #fraction: () => number
  #socket: WebSocket | undefined
  #isUp = false
  #isWanted = false
  #attempt = 0
  #retry: ReturnType<typeof setTimeout> | undefined
  #ping: ReturnType<typeof setTimeout> | undefined
  #pong: ReturnType<typeof setTimeout> | undefined
  #pongDue = 0
  /** The remote has answered a ping: from now on silence means that the flow is dead. */
  #answersPings = false

  constructor(url: string, events: LineEvents, fraction: () => number) {
    this.#url = url
    this.#events = events
    this.#fraction = fraction
  }

  get isUp(): boolean {
    return this.#isUp
  }

  open(): void {
    if (this.#isWanted) return
    this.#isWanted = true
    this.#attempt = 0
    this.#connect()
  }

  /** No more attempts; what is up goes down without a word to `events`. */
  close(): void {
    this.#isWanted = false
    this.#isUp = false
    this.#stopTimers()
    const socket = this.#socket
    this.#socket = undefined
    socket?.close(1000)
  }

  send(bytes: Uint8Array): void {
    if (this.#isUp) this.#socket?.send(decoder.decode(bytes))
  }

  pong(): void {
    this.#answersPings = true
    clearTimeout(this.#pong)
    this.#pong = undefined
  }

  /** The switch has registered us over it: the next loss is a new one. That it opened says little: a proxy opens it too. */
  proven(): void {
    this.#attempt = 0
  }

  /** The network changed, or the page woke up: no waiting for the next attempt, and what stands must prove itself. */
  wake(): void {
    if (!this.#isWanted) return
    if (this.#isUp) this.#sendPing(doubtedPongWithinMs)
    else if (this.#socket === undefined) {
      this.#attempt = 0
      this.#connect()
    }
  }

  #connect(): void {
    clearTimeout(this.#retry)
    let socket: WebSocket
    try {
      socket = new WebSocket(this.#url, 'sip')
    } catch (fault) {
      this.#isWanted = false
      this.#events.down(String(fault), false)
      return
    }
    socket.binaryType = 'arraybuffer'
    this.#socket = socket
    const slow = setTimeout(() => this.#lost(socket, 'no answer'), openWithinMs)
    socket.onopen = () => {
      clearTimeout(slow)
      if (socket !== this.#socket) return
      // RFC 7118 §4: without the subprotocol the remote may not speak SIP.
      if (socket.protocol !== 'sip') {
        this.#lost(socket, 'the server does not speak SIP over WebSocket')
        return
      }
      this.#isUp = true
      this.#events.up()
      // At once: a server that has answered pings before is known to be dead when it does not answer.
      this.#sendPing()
    }
    socket.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (socket !== this.#socket) return
      if (typeof data === 'string') this.#events.received(encoder.encode(data))
      else if (data instanceof ArrayBuffer) this.#events.received(new Uint8Array(data))
    }
    // What a page's policy forbids ends with an error alone in Chromium.
    socket.onerror = () => {
      if (socket.readyState === 3) this.#lost(socket, 'connection failed')
    }
    socket.onclose = ({ code, reason }) => {
      clearTimeout(slow)
      this.#lost(socket, `closed ${code} ${reason}`.trim())
    }
  }

  #lost(socket: WebSocket, detail: string): void {
    if (socket !== this.#socket) return
    this.#socket = undefined
    this.#isUp = false
    this.#stopTimers()
    socket.close()
    if (this.#isWanted) {
      const wait = backoffMs(this.#attempt++, this.#fraction())
      this.#retry = setTimeout(() => this.#connect(), wait)
    }
    this.#events.down(detail, this.#isWanted)
  }

  #schedulePing(): void {
    clearTimeout(this.#ping)
    this.#ping = setTimeout(() => this.#sendPing(), pingEveryMs)
  }

  #sendPing(withinMs = pongWithinMs): void {
    const socket = this.#socket
    if (socket === undefined || !this.#isUp) return
    socket.send(doubleCrLf)
    this.#schedulePing()
    if (!this.#answersPings) return
    const due = performance.now() + withinMs
    if (this.#pong !== undefined && this.#pongDue <= due) return
    clearTimeout(this.#pong)
    this.#pongDue = due
    this.#pong = setTimeout(() => this.#lost(socket, 'no answer to a keep-alive'), withinMs)
  }

  #stopTimers(): void {
    clearTimeout(this.#retry)
    clearTimeout(this.#ping)
    clearTimeout(this.#pong)
    this.#pong = undefined
  }
}
