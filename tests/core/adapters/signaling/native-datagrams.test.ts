import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { nativeDatagrams } from '../../../../core/adapters/signaling/native-datagrams.ts'
import { UdpListener } from '../../../../sip/transport/udp.ts'

const openDatagrams = nativeDatagrams()
const loopback = '127.0.0.1'

async function bound(): Promise<Socket> {
  const socket = createSocket('udp4')
  socket.bind(0, loopback)
  await once(socket, 'listening')
  return socket
}

const listen = (): Promise<UdpListener> =>
  UdpListener.open(
    1,
    loopback,
    0,
    () => {},
    error => assert.unreachable(error.message),
    openDatagrams,
  )

/** The first `count` datagrams that come, as text. */
function received(socket: Socket, count: number): Promise<readonly string[]> {
  const texts: string[] = []
  return new Promise(resolve => {
    socket.on('message', bytes => {
      texts.push(bytes.toString())
      if (texts.length === count) resolve(texts)
    })
  })
}

const utf8 = new TextEncoder()

/** Only Linux has these calls. */
const onLinux = openDatagrams === undefined ? test.skip : test

onLinux('what one turn sends goes in its order, however much it is', async () => {
  const [remote, listener] = [await bound(), await listen()]
  const sent = Array.from({ length: 75 }, (_, at) => `datagram ${at}`)
  const came = received(remote, sent.length)
  const { port } = remote.address()
  for (const text of sent) listener.send(utf8.encode(text), port, loopback, () => assert.unreachable(text))
  assert.equal(await came, sent)
  await listener.close()
  remote.close()
})

onLinux('the sender of a datagram that is refused gets to know it, and no other one', async () => {
  const [remote, listener] = [await bound(), await listen()]
  const came = received(remote, 3)
  const { port } = remote.address()
  const failed: string[] = []
  const fails = (name: string) =>
    new Promise<void>(resolve => {
      listener.send(
        utf8.encode(name),
        name === 'no port' ? 0 : port,
        name === 'broadcast' ? '255.255.255.255' : loopback,
        () => {
          failed.push(name)
          resolve()
        },
      )
    })
  void fails('first')
  const refused = [fails('no port'), fails('broadcast')]
  void fails('second')
  void fails('third')
  assert.equal(await came, ['first', 'second', 'third'])
  await Promise.all(refused)
  assert.equal(failed.sort(), ['broadcast', 'no port'])
  await listener.close()
  remote.close()
})

onLinux('what a refusal makes its owner send goes out as well', async () => {
  const [remote, listener] = [await bound(), await listen()]
  const came = received(remote, 2)
  const { port } = remote.address()
  listener.send(utf8.encode('refused'), 0, loopback, () =>
    listener.send(utf8.encode('instead'), port, loopback, undefined),
  )
  listener.send(utf8.encode('other'), port, loopback, undefined)
  assert.equal(await came, ['other', 'instead'])
  await listener.close()
  remote.close()
})

onLinux('what is queued when the socket closes has gone before', async () => {
  const [remote, listener] = [await bound(), await listen()]
  const came = received(remote, 1)
  listener.send(utf8.encode('last'), remote.address().port, loopback, undefined)
  await listener.close()
  assert.equal(await came, ['last'])
  remote.close()
})

test.run()
