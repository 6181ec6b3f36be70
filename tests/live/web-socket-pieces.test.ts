import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { PhoneSwitch } from '../rig/peers/phone-switch.ts'
import { sleep, until } from '../rig/probes/wait.ts'

const bed = await PhoneSwitch.open()
const { hostname, port } = new URL(bed.url)
const [text, continuation, finalContinuation] = [0x01, 0x00, 0x80]
const policyViolation = 1008

interface Line {
  readonly socket: Socket
  /** What came after the handshake. */
  received(): Buffer
}

/** A WebSocket of which the test writes each octet. */
async function open(): Promise<Line> {
  const socket = connect({ port: Number(port), host: hostname, noDelay: true }).on('error', () => {})
  const pieces: Buffer[] = []
  socket.on('data', (bytes: Buffer) => pieces.push(bytes))
  socket.write(
    'GET /sip HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n' +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: sip\r\n\r\n',
  )
  const after = () => {
    const all = Buffer.concat(pieces)
    const head = all.indexOf('\r\n\r\n')
    return head === -1 ? undefined : all.subarray(head + 4)
  }
  await until('the handshake', after)
  return { socket, received: () => after() ?? Buffer.alloc(0) }
}

/** RFC 6455 §5.2: one octet, masked with zeros. */
const octet = (kind: number, value: number): number[] => [kind, 0x81, 0, 0, 0, 0, value]
/** A message of which each octet is a fragment of its own. */
const fragments = (message: string): Buffer =>
  Buffer.from(
    [...message].flatMap((character, at) =>
      octet(at === 0 ? text : at === message.length - 1 ? finalContinuation : continuation, character.charCodeAt(0)),
    ),
  )

const closeCode = (bytes: Buffer): number => (bytes[0] === 0x88 ? bytes.readUInt16BE(2) : 0)

test('a message in some fragments is read', async () => {
  const { socket, received } = await open()
  // RFC 7118 has no pings of its own: those of RFC 5626 §3.5.1.
  socket.write(fragments('\r\n\r\n'))
  await until('the pong', () => received().length > 0)
  assert.match(received().toString('latin1'), /\r\n$/)
  socket.destroy()
})

test('a message of hundreds of fragments closes its WebSocket: each costs a hundred times its octets', async () => {
  const { socket, received } = await open()
  const end = once(socket, 'end')
  socket.write(fragments('OPTIONS sip:'.padEnd(1000, 'x')).subarray(0, 7 * 999))
  await Promise.race([end, sleep(2000)])
  assert.is(closeCode(received()), policyViolation)
  socket.destroy()
})

test('a frame that comes in thousands of pieces closes its WebSocket', async () => {
  const { socket, received } = await open()
  // A frame of 60,000 octets is announced.
  socket.write(Buffer.from([0x81, 0xfe, 0xea, 0x60, 0, 0, 0, 0]))
  for (let sent = 0; sent < 20_000 && received().length === 0 && !socket.destroyed; sent++) {
    socket.write('x')
    await turn()
  }
  assert.is(closeCode(received()), policyViolation)
  socket.destroy()
})

test.after(() => bed.close())

test.run()
