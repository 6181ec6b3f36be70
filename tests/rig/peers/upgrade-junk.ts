import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

// A thread that troubles the HTTP port where phones open their WebSockets: handshakes that are none, some that are and
// then break the protocol, SIP that is none, and connections that say nothing more.

export interface UpgradeJunkOrder {
  readonly port: number
  readonly perSecond: number
  readonly messages: readonly Uint8Array[]
}

/** Its report when it is stopped. */
export interface UpgradeJunkReport {
  readonly opened: number
  /** WebSockets that the server agreed to. */
  readonly upgraded: number
}

const sources = 40
const tickMs = 5
const mostOpen = 1500

const request = (lines: readonly string[]): Buffer => Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
const proper = () => [
  'GET /sip HTTP/1.1',
  'Host: localhost',
  'Upgrade: websocket',
  'Connection: Upgrade',
  `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Protocol: sip',
]

/** RFC 6455 §5.2; masked unless said otherwise. */
function frame(first: number, payload: Uint8Array, { isMasked = true, length = payload.length } = {}): Buffer {
  const mask = isMasked ? 0x80 : 0
  const head =
    length < 126
      ? Buffer.of(first, mask | length)
      : length < 65_536
        ? Buffer.of(first, mask | 126, length >> 8, length & 255)
        : Buffer.concat([Buffer.of(first, mask | 127), Buffer.alloc(4), u32(length)])
  return Buffer.concat([head, isMasked ? Buffer.alloc(4) : Buffer.alloc(0), payload])
}

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

type Behaviour = (socket: Socket, nth: number, messages: readonly Uint8Array[]) => void

const afterUpgrade =
  (speak: Behaviour): Behaviour =>
  (socket, nth, messages) => {
    socket.write(request(proper()))
    socket.once('data', () => speak(socket, nth, messages))
  }

const behaviours: readonly Behaviour[] = [
  socket => socket.write(randomBytes(300)),
  socket => socket.write(request(proper().map(line => line.replace('/sip', '/nowhere')))),
  socket => socket.write(request(proper().map(line => (line.startsWith('Sec-WebSocket-Key') ? `${line}x` : line)))),
  socket => socket.write(request(proper().map(line => line.replace('13', '99')))),
  socket => socket.write(request(proper().filter(line => !line.startsWith('Sec-WebSocket-Protocol')))),
  socket => socket.write(request([...proper(), 'Origin: https://evil.example'])),
  socket => socket.write(request([...proper(), `X-Filler: ${'x'.repeat(60_000)}`])),
  // Half a request, and silence.
  socket => socket.write(request(proper()).subarray(0, 60)),
  afterUpgrade(() => {}),
  afterUpgrade((socket, nth, messages) =>
    socket.write(frame(0x82, messages[nth % messages.length] ?? randomBytes(99))),
  ),
  afterUpgrade((socket, nth, messages) => {
    for (let i = 0; i < 20; i++) socket.write(frame(0x81, messages[(nth + i) % messages.length] ?? randomBytes(99)))
  }),
  afterUpgrade(socket => socket.write(frame(0x81, randomBytes(50), { isMasked: false }))),
  afterUpgrade(socket => socket.write(frame(0xf3, randomBytes(50)))),
  afterUpgrade(socket => socket.write(frame(0x82, new Uint8Array(10), { length: 0x7fff_ffff }))),
  afterUpgrade(socket => socket.write(frame(0x89, randomBytes(130)))),
  afterUpgrade(socket => socket.write(frame(0x81, Buffer.of(0xff, 0xfe, 0xc0)))),
  // A message that never ends.
  afterUpgrade(socket => {
    socket.write(frame(0x01, randomBytes(4000)))
    for (let i = 0; i < 40; i++) socket.write(frame(0x00, randomBytes(4000)))
  }),
  afterUpgrade(socket => {
    for (let i = 0; i < 600; i++) socket.write(frame(0x81, Buffer.from('\r\n\r\n')))
  }),
  afterUpgrade(socket => socket.destroy()),
]

function trouble(order: UpgradeJunkOrder): void {
  const open: Socket[] = []
  let opened = 0
  let upgraded = 0
  const began = performance.now()
  const timer = setInterval(() => {
    const due = ((performance.now() - began) / 1000) * order.perSecond
    for (; opened < due; opened++) {
      const socket = connect({ port: order.port, host: '127.0.0.1', localAddress: `127.0.0.${2 + (opened % sources)}` })
      socket.on('error', () => {})
      socket.once('data', data => {
        if (String(data).startsWith('HTTP/1.1 101')) upgraded++
      })
      behaviours[opened % behaviours.length]?.(socket, opened, order.messages)
      open.push(socket)
      if (open.length > mostOpen) open.shift()?.destroy()
    }
  }, tickMs)
  parentPort?.once('message', () => {
    clearInterval(timer)
    for (const socket of open) socket.destroy()
    parentPort?.postMessage({ opened, upgraded } satisfies UpgradeJunkReport)
    parentPort?.close()
  })
}

if (parentPort !== null) trouble(workerData as UpgradeJunkOrder)
