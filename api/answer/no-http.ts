import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const answers: Readonly<Record<string, readonly [status: string, detail: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
  SMALL_PIECES: ['400 Bad Request', 'The body comes in too many small pieces: send chunks of some hundred octets.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long.'],
}
/** Time that a client has to read why it is cut off. */
const lastWordsMs = 2_000
const notHttp = ['400 Bad Request', 'This is not a valid HTTP request.'] as const

/** What arrives and is no HTTP request never reaches a route: it is answered here, and the connection ends. */
export function answerNoHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  // Without a handshake no answer can be sent: the bytes would wait for a handshake that never comes.
  const isHandshake = /^ERR_(SSL|TLS)_/.test(error.code ?? '')
  if (error.code === 'ECONNRESET' || isHandshake || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, detail] = answers[error.code ?? ''] ?? notHttp
  const body = JSON.stringify({ detail })
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close`
  // A client that does not read it, or keeps its half open, does not keep the socket.
  const late = setTimeout(() => socket.destroy(), lastWordsMs)
  socket.once('close', () => clearTimeout(late))
  socket.end(`${head}\r\n\r\n${body}`)
}

/** RFC 9110 §10.1.1: what is expected beside 100-continue. Node alone would say 417 and nothing more. */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const body = JSON.stringify({ detail: 'Of Expect only 100-continue is understood.' })
  response
    .writeHead(417, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': body.length,
      connection: 'close',
    })
    .end(body)
}
