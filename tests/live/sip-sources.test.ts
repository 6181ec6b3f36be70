import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { defaultTransportLimits } from '../../sip/transport/index.ts'
import { PhoneSwitch } from '../rig/peers/phone-switch.ts'
import { sleep, until } from '../rig/probes/wait.ts'

const bed = await PhoneSwitch.open({ trustedProxies: ['127.0.0.1'] })
const { hostname, port } = new URL(bed.url)

/** A WebSocket handshake as a proxy passes it on; the status of its answer. */
async function handshake(forwarded: string): Promise<number> {
  const socket = connect(Number(port), hostname)
  open.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  const lines = ['GET /sip HTTP/1.1', 'Host: x', 'Upgrade: websocket', 'Connection: Upgrade']
  const more = [
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Protocol: sip',
  ]
  socket.write([...lines, ...more, `X-Forwarded-For: ${forwarded}`, '', ''].join('\r\n'))
  const [bytes] = await once(socket, 'data')
  return Number(/^HTTP\/1\.1 (\d+)/.exec(String(bytes))?.[1])
}
const open: ReturnType<typeof connect>[] = []

test.after(async () => {
  for (const socket of open) socket.destroy()
  await bed.close()
})

test('behind a trusted proxy silent WebSockets are counted by the address that they come from', async () => {
  const most = defaultTransportLimits.unknownPerAddress
  for (let n = 0; n < most; n++) assert.is(await handshake('203.0.113.5'), 101)
  assert.is(await handshake('203.0.113.5'), 429)
  assert.is(await handshake('198.51.100.1, 203.0.113.5'), 429, 'what the client itself wrote counts for nothing')
  assert.is(await handshake('203.0.113.6'), 101)
  assert.is(await handshake('2001:db8::1'), 101)
})

test('an HTTP client that never reads its 408 does not keep its socket', async () => {
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  open.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write('no http\r\n\r\n')
  const [bytes] = await once(socket, 'data')
  assert.match(String(bytes), /^HTTP\/1\.1 400 /)
  // Our half stays open: the server has to end it by itself, and what is sent then meets a reset.
  await sleep(2500)
  socket.write('still here')
  await sleep(50)
  socket.write('and here')
  await until('the reset', () => socket.destroyed || socket.errored !== null)
})

test.run()
