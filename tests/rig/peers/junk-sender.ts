import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { handshakeMessage, handshakeTypes } from '../../../rtp/dtls/handshake-message.ts'
import { randomLength, writeClientHello } from '../../../rtp/dtls/hello.ts'
import { contentTypes, writeRecord } from '../../../rtp/dtls/record.ts'

// A thread that floods one UDP port of 127.0.0.1: ClientHellos that look real, with and without cookies, and the
// datagrams given, each from many addresses of the loopback network.

export interface JunkOrder {
  readonly port: number
  readonly hellosPerSecond: number
  readonly datagramsPerSecond: number
  readonly datagrams: readonly Uint8Array[]
}

/** Its report when it is stopped. */
export interface JunkReport {
  readonly hellos: number
  readonly datagrams: number
  /** Datagrams that came back. */
  readonly answers: number
}

/** A ClientHello as a browser would send it; `cookieLength` 0 for a first one. */
export function clientHello(cookieLength: number): Uint8Array {
  const cookie = new Uint8Array(randomBytes(cookieLength))
  const random = new Uint8Array(randomBytes(randomLength))
  const body = writeClientHello(random, cookie, ['AES_CM_128_HMAC_SHA1_80', 'AEAD_AES_128_GCM'])
  const sequence = cookieLength === 0 ? 0 : 1
  const { whole } = handshakeMessage(handshakeTypes.clientHello, sequence, body)
  return writeRecord(contentTypes.handshake, 0, sequence, whole)
}

const sources = 60
const tickMs = 5

async function flood(order: JunkOrder): Promise<void> {
  let answers = 0
  const sockets: Socket[] = []
  for (let i = 0; i < sources; i++) {
    const socket = createSocket('udp4')
    socket.on('message', () => answers++)
    socket.bind(0, `127.0.0.${2 + i}`)
    await once(socket, 'listening')
    sockets.push(socket)
  }
  let hellos = 0
  let datagrams = 0
  const began = performance.now()
  const send = (bytes: Uint8Array, at: number) => sockets[at % sources]?.send(bytes, order.port, '127.0.0.1')
  const timer = setInterval(() => {
    const seconds = (performance.now() - began) / 1000
    for (; hellos < seconds * order.hellosPerSecond; hellos++) send(clientHello(hellos % 2 === 0 ? 0 : 20), hellos)
    for (; datagrams < seconds * order.datagramsPerSecond; datagrams++) {
      const bytes = order.datagrams[datagrams % order.datagrams.length]
      if (bytes !== undefined) send(bytes, datagrams * 7)
    }
  }, tickMs)
  parentPort?.once('message', () => {
    clearInterval(timer)
    for (const socket of sockets) socket.close()
    parentPort?.postMessage({ hellos, datagrams, answers } satisfies JunkReport)
    parentPort?.close()
  })
}

if (parentPort !== null) await flood(workerData as JunkOrder)
