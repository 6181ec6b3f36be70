import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'

/** A client that still sends its body may pause so long; what it sends in all is bounded by the time of a request. */
const silentMs = 5000

/** Connections that close late, with the last request whose body was not whole when it was answered. */
const unfinished = new WeakMap<Socket, IncomingMessage>()

/**
 * RFC 9112 §9.6: a connection that is closed while its client still sends is reset, and the client loses the answer. Where
 * the connection ends with the answer, it does so once the body is over, or once the client sends nothing more.
 */
export function closeAfterBody(request: IncomingMessage): void {
  const { socket } = request
  // A request of `inject` has no connection.
  if (!(socket instanceof Socket)) return
  const isKnown = unfinished.has(socket)
  unfinished.set(socket, request)
  // Once for each connection: it may have many requests.
  if (!isKnown) closeLate(socket)
}

function closeLate(socket: Socket): void {
  const close = socket.destroySoon.bind(socket)
  socket.destroySoon = () => {
    const request = unfinished.get(socket)
    if (request === undefined || request.complete || request.destroyed || socket.destroyed) close()
    else afterBody(request, close)
  }
}

function afterBody(request: IncomingMessage, close: () => void): void {
  const { socket } = request
  let read = socket.bytesRead
  const end = () => {
    clearInterval(look)
    request.off('end', end)
    request.off('close', end)
    close()
  }
  const look = setInterval(() => {
    if (socket.bytesRead === read) end()
    read = socket.bytesRead
  }, silentMs)
  request.on('end', end)
  request.on('close', end)
}
