import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Flow } from '../../../sip/network/flow.ts'
import type { Framed } from '../../../sip/stream/framer.ts'
import { defaultTransportLimits, type TransportLimits } from '../../../sip/transport/limits.ts'
import { type Dns, resolveHop } from '../../../sip/transport/resolve.ts'
import { Streams } from '../../../sip/transport/streams.ts'

const message = (id: string) =>
  [
    'OPTIONS sip:a@b SIP/2.0',
    `Via: SIP/2.0/TCP 127.0.0.1;branch=z9hG4bK${id}`,
    `Call-ID: ${id}`,
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n')

/** `lastWords`: what a peer gets whose message is malformed. */
async function bed(limits: Partial<TransportLimits> = {}, lastWords = '', isPeer = true) {
  let time = 0
  let ids = 0
  const framed: { readonly flow: Flow; readonly framed: Framed }[] = []
  const refused: string[] = []
  const streams = new Streams({
    limits: { ...defaultTransportLimits, ...limits },
    tls: undefined,
    now: () => time,
    nextId: () => ++ids,
    local: (_transport, host) => ({ host, port: 5060 }),
    framed: (flow, piece) => {
      framed.push({ flow, framed: piece })
      if (piece.kind === 'fault' && lastWords !== '') streams.send(flow, new TextEncoder().encode(lastWords), undefined)
    },
    refused: what => refused.push(what),
    isPeer: () => isPeer,
    closed: () => {},
  })
  const { port } = await streams.listen('tcp', '127.0.0.1', 0)
  const client = async () => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }
  const pass = (ms: number) => {
    time += ms
    streams.sweep(time)
  }
  return { streams, framed, refused, client, pass, port }
}

async function until(what: () => boolean): Promise<void> {
  for (let tries = 0; tries < 4000 && !what(); tries++) await new Promise(resolve => setTimeout(resolve, 2))
  assert.ok(what(), what.toString())
}

const receivedBy = (socket: Socket) => {
  const received = { text: '' }
  socket.on('data', bytes => {
    received.text += bytes.toString()
  })
  return received
}

const flowTo = (port: number, parts: Partial<Flow> = {}): Flow => ({
  transport: 'tcp',
  address: '127.0.0.1',
  port,
  socket: undefined,
  localHost: '127.0.0.1',
  localPort: 5060,
  ...parts,
})

test('messages are framed whatever the pieces; a ping gets its pong (RFC 5626 §3.5.1)', async () => {
  const { streams, framed, client } = await bed()
  const socket = await client()
  const received = receivedBy(socket)
  const text = message('one') + message('two')
  for (const at of [7, 60, 130]) {
    socket.write(text.slice(at === 7 ? 0 : at === 60 ? 7 : 60, at))
    await new Promise(resolve => setTimeout(resolve, 2))
  }
  socket.write(text.slice(130))
  await until(() => framed.length === 2)
  socket.write('\r\n\r\n')
  await until(() => received.text === '\r\n')
  socket.destroy()
  await streams.close()
})

test('a message that never ends, and a connection that says nothing, are closed in time', async () => {
  const { streams, client, pass } = await bed({ partialMs: 1000, idleMs: 5000 })
  const slow = await client()
  const idle = await client()
  await until(() => streams.size === 2)
  slow.write('OPTIONS sip:a@b SIP/2.0\r\nVia: SIP')
  await new Promise(resolve => setTimeout(resolve, 20))
  pass(1500)
  await until(() => streams.size === 1)
  assert.ok(!idle.destroyed)
  pass(4000)
  await until(() => streams.size === 0)
  await streams.close()
})

test('connections are capped, by address and in all', async () => {
  for (const limits of [{ connections: 2, reservedConnections: 0 }, { connectionsPerAddress: 2 }]) {
    const { streams, client } = await bed(limits)
    const sockets = [await client(), await client(), await client()]
    await until(
      () => sockets.filter(socket => socket.readableEnded || socket.destroyed).length === 1 || streams.size === 2,
    )
    assert.is(streams.size, 2)
    for (const socket of sockets) socket.destroy()
    await until(() => streams.size === 0)
    await streams.close()
  }
})

test('a connection of an unknown source has seconds; one of a trunk, or over which somebody known spoke, stays', async () => {
  for (const [isPeer, says, stays] of [
    [false, 'nothing', false],
    [false, 'message', false],
    [false, 'known', true],
    [true, 'nothing', true],
  ] as const) {
    const { streams, framed, client, pass } = await bed({ unknownMs: 10_000 }, '', isPeer)
    const socket = await client()
    await until(() => streams.size === 1)
    if (says !== 'nothing') {
      socket.write(message('x'))
      await until(() => framed.length === 1)
      const flow = framed[0]?.flow
      if (says === 'known' && flow !== undefined) streams.know(flow)
    }
    pass(9_000)
    assert.is(streams.size, 1)
    pass(2_000)
    await new Promise(resolve => setTimeout(resolve, 20))
    assert.is(streams.size, stays ? 1 : 0, `${isPeer} ${says}`)
    socket.destroy()
    await streams.close()
  }
})

test('unknown sources get little room; the oldest makes room for the next, and trunks have theirs', async () => {
  const limits = { connections: 6, reservedConnections: 2, unknownConnections: 3, unknownConnectionsPerAddress: 3 }
  const { streams, client, refused } = await bed(limits, '', false)
  const sockets = [await client(), await client(), await client()]
  await until(() => streams.size === 3)
  const fourth = (await client()).resume()
  await until(() => fourth.destroyed)
  assert.is(streams.size, 3, 'of one address there are enough')
  assert.equal(refused.length, 1)
  for (const socket of sockets) socket.destroy()
  await streams.close()
  const wide = await bed({ ...limits, unknownConnectionsPerAddress: 10 }, '', false)
  const first = (await wide.client()).resume()
  await wide.client()
  await wide.client()
  await until(() => wide.streams.size === 3)
  await wide.client()
  await until(() => first.destroyed)
  assert.is(wide.streams.size, 3)
  assert.is(wide.streams.refusedCount, 1)
  await wide.streams.close()
})

test('a peer that does not read is cut off, and what was not sent is reported', async () => {
  const { streams, framed, client } = await bed({ unsentBytes: 64 * 1024 })
  const socket = await client()
  socket.pause()
  socket.write(message('x'))
  await until(() => framed.length === 1)
  const flow = framed[0]?.flow
  assert.ok(flow !== undefined)
  let failed = 0
  const chunk = new Uint8Array(32 * 1024)
  for (let n = 0; n < 1000 && failed === 0; n++) streams.send(flow, chunk, () => failed++)
  assert.ok(failed > 0)
  await until(() => streams.size === 0)
  socket.destroy()
  await streams.close()
})

test('one connection serves both ways; a new one is made only where a port listens', async () => {
  const { streams, framed, client } = await bed()
  const socket = await client()
  const received = receivedBy(socket)
  socket.write(message('x'))
  await until(() => framed.length === 1)
  const flow = framed[0]?.flow
  assert.ok(flow !== undefined)
  streams.send(flow, new TextEncoder().encode('back'), undefined)
  await until(() => received.text === 'back')

  const accepted: Socket[] = []
  const server = createServer(peer => accepted.push(peer)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0
  socket.destroy()
  await until(() => streams.size === 0)
  let failed = 0
  streams.send(flow, new Uint8Array([1]), () => failed++)
  assert.is(failed, 1, 'an ephemeral port is no place to connect to')
  streams.send({ ...flow, connectPort: port }, new Uint8Array([1]), () => failed++)
  streams.send(flowTo(port), new Uint8Array([2]), () => failed++)
  await until(() => accepted.length === 1)
  await new Promise(resolve => setTimeout(resolve, 20))
  assert.is(accepted.length, 1, 'the second message took the first one’s connection')
  assert.is(failed, 1)
  for (const peer of accepted) peer.destroy()
  server.close()
  await streams.close()
})

const tooLarge = message('large').replace('Length: 0', 'Length: 9999999999')

test('what is said to a stream that is given up arrives, however much comes after (RFC 3261 §21.5.7)', async () => {
  const { streams, framed, client } = await bed({ lingerMs: 30_000, lingerBytes: 20_000_000 }, '513')
  const socket = await client()
  const faults: string[] = []
  socket.on('error', error => faults.push(error.message))
  let received = { text: '' }
  // More than the buffers of both ends hold: what is not read here is reset there.
  socket.write(tooLarge + 'x'.repeat(16_000_000), () => {
    received = receivedBy(socket)
  })
  await until(() => socket.destroyed)
  assert.equal([received.text, faults, framed.length], ['513', [], 1])
  await until(() => streams.size === 0)
  await streams.close()
})

test('a peer that continues to send into a refused stream is read for a while, and then cut off', async () => {
  const { streams, client } = await bed({ lingerMs: 60, lingerBytes: 200_000 }, '513')
  const socket = await client()
  const received = receivedBy(socket)
  const piece = 'x'.repeat(65_536)
  let pieces = 0
  const more = () => {
    pieces++
    socket.write(piece, error => {
      if (!error) more()
    })
  }
  socket.write(tooLarge)
  more()
  await until(() => socket.destroyed && streams.size === 0)
  assert.is(received.text, '513')
  assert.ok(pieces * piece.length < 64 * 1024 * 1024, 'what is not read is not taken from the network either')
  await streams.close()
})

test('a peer that gets no answer is cut off at once', async () => {
  const { streams, client } = await bed({ lingerMs: 30_000 })
  const socket = await client()
  socket.write(tooLarge)
  await until(() => socket.destroyed && streams.size === 0)
  await streams.close()
})

test('nothing is said over a stream that is given up, and it counts until it is closed', async () => {
  const { streams, framed, refused, client, port } = await bed({ lingerMs: 30_000, connectionsPerAddress: 1 }, '513')
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const received = receivedBy(socket)
  socket.write(tooLarge)
  await until(() => received.text === '513' && socket.readableEnded)
  const flow = framed[0]?.flow
  assert.ok(flow !== undefined)
  let failed = 0
  streams.send(flow, new Uint8Array([1]), () => failed++)
  assert.is(failed, 1)
  assert.is(streams.size, 1)
  const second = await client()
  await until(() => second.destroyed)
  assert.is(refused.length, 1)
  socket.end()
  await until(() => streams.size === 0)
  await streams.close()
})

test('RFC 3263: literals skip DNS, ports skip SRV, NAPTR chooses, SRV orders, A is the last resort', async () => {
  const asked: string[] = []
  const dns: Dns = {
    async naptr(name) {
      asked.push(`naptr ${name}`)
      if (name !== 'naptr.test') return []
      return [
        { order: 2, preference: 1, service: 'SIP+D2U', replacement: '_sip._udp.naptr.test' },
        { order: 1, preference: 1, service: 'SIP+D2T', replacement: '_sip._tcp.naptr.test' },
      ]
    },
    async srv(name) {
      asked.push(`srv ${name}`)
      if (name === '_sip._tcp.naptr.test') return [{ priority: 1, weight: 1, name: 'tcp.test', port: 5070 }]
      if (name === '_sip._udp.naptr.test')
        return [
          { priority: 2, weight: 1, name: 'second.test', port: 5072 },
          { priority: 1, weight: 1, name: 'first.test', port: 5071 },
        ]
      return []
    },
    async addresses(name) {
      asked.push(`a ${name}`)
      return name === 'nowhere.test' ? [] : ['192.0.2.7']
    },
  }
  const hop = (host: string, port?: number, transport?: 'udp' | 'tcp') =>
    resolveHop({ host, port, transport }, dns, () => 0.5)
  assert.equal(await hop('[2001:db8::1]'), [{ transport: 'udp', address: '2001:db8::1', port: 5060 }])
  assert.equal(asked, [])
  assert.equal(await hop('a.test', 5080, 'tcp'), [{ transport: 'tcp', address: '192.0.2.7', port: 5080 }])
  assert.equal(asked.splice(0), ['a a.test'])
  assert.equal(await hop('localhost'), [{ transport: 'udp', address: '192.0.2.7', port: 5060 }])
  assert.equal(asked.splice(0), ['a localhost'])
  assert.equal(
    (await hop('naptr.test')).map(found => `${found.transport} ${found.port}`),
    ['tcp 5070', 'udp 5071', 'udp 5072'],
  )
  assert.equal(await hop('plain.test'), [{ transport: 'udp', address: '192.0.2.7', port: 5060 }])
  assert.equal(await hop('nowhere.test'), [])
})

test('line ends without end are answered once for each piece that is read, not once for each ping', async () => {
  const { streams, client } = await bed()
  const socket = await client()
  const received = receivedBy(socket)
  socket.write('\r\n'.repeat(16_384))
  await until(() => received.text !== '')
  await new Promise(resolve => setTimeout(resolve, 50))
  assert.ok(received.text.length <= 16, `${received.text.length / 2} pongs`)
  socket.destroy()
  await streams.close()
})

test('a connection that brings too many messages or pings is closed and counted; one of a trunk is not', async () => {
  for (const [isPeer, says] of [
    [false, 'messages'],
    [false, 'pings'],
    [false, 'known'],
    [true, 'messages'],
  ] as const) {
    const { streams, framed, client } = await bed({ messageBurst: 10, messagesPerSecond: 0 }, '', isPeer)
    const socket = await client()
    socket.resume()
    if (says === 'known') {
      socket.write(message('first'))
      await until(() => framed.length === 1)
      if (framed[0] !== undefined) streams.know(framed[0].flow)
    }
    const isOver = () => streams.size === 0
    for (let n = 0; n < 40 && !isOver(); n++) {
      socket.write(says === 'pings' ? '\r\n\r\n' : message(`m${n}`))
      await new Promise(resolve => setTimeout(resolve, 2))
    }
    if (!isPeer && says !== 'known') {
      await until(isOver)
      assert.is(framed.length, says === 'pings' ? 0 : 10)
      assert.is(streams.refusedCount, 1)
    } else {
      await until(() => framed.length >= 40)
      assert.is(streams.refusedCount, 0)
    }
    socket.destroy()
    await streams.close()
  }
})

test.run()
