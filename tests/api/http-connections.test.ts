import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { defaultConnectionLimits } from '../../api/access/http-connections.ts'
import { sleep, until } from '../rig/probes/wait.ts'
import { ApiBed } from './bed/api-bed.ts'

const limits = { ...defaultConnectionLimits, most: 40, perAddress: 20 }
const bed = await ApiBed.open({}, {}, limits)
const port = Number(new URL(await bed.app.listen({ host: '127.0.0.1', port: 0 })).port)

/** A connection from there, once it is open; it says nothing by itself. */
async function open(localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {})
  await once(socket, 'connect')
  return socket
}
const openMany = (count: number, address: string) => Promise.all(Array.from({ length: count }, () => open(address)))
const closed = (sockets: readonly Socket[]) => sockets.filter(socket => socket.closed || socket.readableEnded).length

async function ask(socket: Socket, path: string, key = ''): Promise<string> {
  let text = ''
  socket.on('data', bytes => {
    text += bytes
  })
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n${key === '' ? '' : `Authorization: Bearer ${key}\r\n`}\r\n`)
  await until('an answer', () => text !== '' || socket.closed, 3000).catch(() => undefined)
  return text.split('\r\n')[0] ?? ''
}

async function end(sockets: readonly Socket[]): Promise<void> {
  for (const socket of sockets) socket.destroy()
  await sleep(50)
}

test('one address gets its share of the connections, and others theirs', async () => {
  const many = await openMany(30, '127.0.0.9')
  await until('ten refusals', () => closed(many) === 10)
  const other = await open('127.0.0.10')
  assert.match(await ask(other, '/health/'), /200/)
  await end([...many, other])
  const again = await open('127.0.0.9')
  assert.match(await ask(again, '/health/'), /200/, 'what is closed counts no more')
  await end([again])
})

test('when all are taken, the oldest without a valid key make room, and those with one stay', async () => {
  const customer = await open('127.0.0.11')
  assert.match(await ask(customer, '/account', bed.key), /200/)
  const silent = [...(await openMany(20, '127.0.0.12')), ...(await openMany(19, '127.0.0.13'))]
  const later: Socket[] = []
  for (let at = 0; at < 10; at++) {
    const socket = await open(`127.0.0.${20 + at}`)
    assert.match(await ask(socket, '/health/'), /200/)
    later.push(socket)
  }
  assert.is(closed(silent), 10)
  assert.not.ok(customer.closed)
  assert.match(await ask(customer, '/account', bed.key), /200/)
  await end([customer, ...silent, ...later])
})

test('a refused upgrade is over in seconds, though the client never closes its side', async () => {
  for (const path of ['/nothing', '/stream?token=none', '/sip']) {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {})
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    )
    let text = ''
    socket.on('data', bytes => {
      text += bytes
    })
    await until('the refusal', () => /^HTTP\/1\.1 4\d\d/.test(text))
    await sleep(2500)
    // What a socket that is gone is sent comes back as a reset, which the second write meets.
    const isGone = () => {
      if (!socket.destroyed) socket.write('a')
      return socket.destroyed
    }
    await until(`${path}: the end`, isGone, 1500)
  }
})

test.after(() => bed.close())
test.run()
