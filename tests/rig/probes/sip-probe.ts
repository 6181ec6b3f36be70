import { randomUUID } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'

interface ProbedCall {
  /** From the INVITE to its first response, whichever it was. */
  readonly firstMs: number
  /** From the INVITE to its final response. */
  readonly finalMs: number
  readonly status: number
}

/** Asks a switch by SIP over UDP and measures how long answers take, to the moment: no polling. */
export class SipProbe {
  readonly #socket: Socket
  readonly #sipPort: number
  readonly #waiting = new Map<string, (status: number, message: string) => void>()
  readonly #prefix = randomUUID().slice(0, 8)
  #asked = 0

  private constructor(socket: Socket, sipPort: number) {
    this.#socket = socket
    this.#sipPort = sipPort
    socket.on('message', bytes => {
      const message = bytes.toString()
      const status = /^SIP\/2\.0 (\d{3})/.exec(message)?.[1]
      const callId = /^Call-ID: *(.*)\r$/im.exec(message)?.[1] ?? ''
      if (status !== undefined) this.#waiting.get(callId)?.(Number(status), message)
    })
    socket.unref()
  }

  static async open(sipPort: number): Promise<SipProbe> {
    const socket = createSocket('udp4')
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    return new SipProbe(socket, sipPort)
  }

  options(): Promise<number> {
    const callId = this.#nextCallId()
    const begun = performance.now()
    return new Promise(resolve => {
      this.#waiting.set(callId, () => {
        this.#waiting.delete(callId)
        resolve(performance.now() - begun)
      })
      this.#send('OPTIONS', callId, 'sip')
    })
  }

  /** An INVITE that a document of the number is to reject. */
  invite(to: string): Promise<ProbedCall> {
    const callId = this.#nextCallId()
    const begun = performance.now()
    let firstMs: number | undefined
    return new Promise(resolve => {
      this.#waiting.set(callId, (status, message) => {
        firstMs ??= performance.now() - begun
        if (status < 200) return
        this.#waiting.delete(callId)
        this.#send('ACK', callId, to, /^To: *(.*)\r$/im.exec(message)?.[1])
        resolve({ firstMs, finalMs: performance.now() - begun, status })
      })
      this.#send('INVITE', callId, to)
    })
  }

  /** No other probe's: a switch answers a request that it has had from elsewhere with 482 (RFC 3261 §8.2.2.2). */
  #nextCallId(): string {
    return `probe-${this.#prefix}-${++this.#asked}`
  }

  close(): void {
    this.#socket.close()
  }

  #send(method: string, callId: string, to: string, toHeader = `<sip:${to}@127.0.0.1>`): void {
    const { port } = this.#socket.address()
    const sdp = 'v=0\r\no=- 7 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 40000 RTP/AVP 0\r\n'
    const body = method === 'INVITE' ? sdp : ''
    const message = [
      `${method} sip:${to}@127.0.0.1:${this.#sipPort} SIP/2.0`,
      `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bK${callId}${method === 'OPTIONS' ? 'o' : ''}`,
      'Max-Forwards: 70',
      `From: <sip:+254700000001@127.0.0.1>;tag=probe`,
      `To: ${toHeader}`,
      `Call-ID: ${callId}`,
      `CSeq: 1 ${method}`,
      `Contact: <sip:probe@127.0.0.1:${port}>`,
      ...(body === '' ? [] : ['Content-Type: application/sdp']),
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n')
    this.#socket.send(message, this.#sipPort, '127.0.0.1')
  }
}
