import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { defaultConnectionLimits, HttpConnections } from '../../api/access/http-connections.ts'
import { WorkTurns } from '../../api/base/work-turns.ts'
import { Upgrades } from '../../api/request/upgrades.ts'
import { silentLog } from '../../core/adapters/system/silent-log.ts'
import { defaultSettings } from '../../core/index.ts'
import { until } from '../rig/probes/wait.ts'

/** A server whose turns come when `turn` is called, and whose upgrades end when `take` is. */
async function opened(perAddress: number) {
  const server = createServer()
  const connections = new HttpConnections({ ...defaultConnectionLimits, perAddress }, [])
  connections.guard(server, 'connection')
  const soon: (() => void)[] = []
  const turns = new WorkTurns({ now: () => 0, soon: fire => void soon.push(fire), later: fire => void soon.push(fire) })
  const upgrades = new Upgrades({ server }, { log: silentLog, settings: defaultSettings }, turns, connections)
  const taken: (() => void)[] = []
  upgrades.at('/x', () => new Promise(resolve => taken.push(resolve)))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { readonly port: number }
  const sockets: Socket[] = []
  const ask = async (): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {})
    sockets.push(socket)
    await once(socket, 'connect')
    socket.write('GET /x HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    return socket
  }
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    connections.close()
  }
  const turn = () => {
    for (const fire of soon.splice(0)) fire()
  }
  return { ask, turn, taken, close, closed: () => sockets.filter(socket => socket.closed).length }
}

test('a connection that asks for an upgrade takes a place until it is taken over', async () => {
  const on = await opened(5)
  for (let count = 0; count < 9; count++) await on.ask()
  await until('four refusals', () => on.closed() === 4)
  for (let count = 0; count < 100 && on.taken.length < 5; count++) {
    on.turn()
    await new Promise(setImmediate)
  }
  assert.is(on.taken.length, 5)
  await on.ask()
  await until('a fifth refusal', () => on.closed() === 5)
  for (const take of on.taken) take()
  await new Promise(setImmediate)
  await on.ask()
  await new Promise(resolve => setTimeout(resolve, 100))
  assert.is(on.closed(), 5, 'what was taken over is counted elsewhere')
  on.close()
})

test('of one network at most 1,000 upgrades wait for their turn', async () => {
  const on = await opened(2000)
  for (let count = 0; count < 1010; count++) await on.ask()
  await until('ten that are closed', () => on.closed() === 10)
  for (let count = 0; count < 4000 && on.taken.length < 1000; count++) {
    on.turn()
    await new Promise(setImmediate)
  }
  assert.is(on.taken.length, 1000)
  await on.ask()
  for (let count = 0; count < 100 && on.taken.length < 1001; count++) {
    on.turn()
    await new Promise(resolve => setTimeout(resolve, 1))
  }
  assert.is(on.taken.length, 1001)
  on.close()
})

test.run()
