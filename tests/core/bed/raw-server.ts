import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface RawRequest {
  readonly head: string
  readonly body: string
  readonly socket: Socket
  /** Which request of its connection, from 1. */
  readonly nth: number
}

export interface RawServer {
  readonly port: number
  readonly requests: RawRequest[]
  connections: number
  url(path?: string): string
  close(): Promise<void>
}

/** An HTTP server that writes what the test says, byte for byte. */
export function rawServer(answer: (request: RawRequest) => void, address = '127.0.0.1'): Promise<RawServer> {
  const sockets = new Set<Socket>()
  const requests: RawRequest[] = []
  const server = createServer(socket => {
    sockets.add(socket)
    raw.connections++
    let text = ''
    let nth = 0
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
      for (;;) {
        const end = text.indexOf('\r\n\r\n')
        if (end === -1) return
        const head = text.slice(0, end)
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
        if (text.length < end + 4 + length) return
        const body = text.slice(end + 4, end + 4 + length)
        text = text.slice(end + 4 + length)
        const request = { head, body, socket, nth: ++nth }
        requests.push(request)
        answer(request)
      }
    })
  })
  const raw: RawServer = {
    port: 0,
    requests,
    connections: 0,
    url: (path = '/') => `http://127.0.0.1:${raw.port}${path}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
  return new Promise(resolve => {
    server.listen(0, address, () => {
      resolve(Object.assign(raw, { port: (server.address() as AddressInfo).port }))
    })
  })
}

export const response = (status: number, body = '', headers = ''): string =>
  `HTTP/1.1 ${status} X\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`
