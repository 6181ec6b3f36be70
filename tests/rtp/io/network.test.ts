import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parseAddress } from '../../../rtp/address/address.ts'
import { loadLibC } from '../../../rtp/io/libc.ts'
import { LinuxNetwork } from '../../../rtp/io/linux-network.ts'
import { openNetwork } from '../../../rtp/io/open-network.ts'
import type { DatagramNetwork, DatagramSocket } from '../../../rtp/net/network.ts'
import { noise, sleep } from '../bed/media-peer.ts'

const home = parseAddress('127.0.0.1')!
const bind = (network: DatagramNetwork, port = 0) =>
  new Promise<DatagramSocket | undefined>(resolve => network.bind(port, resolve))

test('this machine has the sockets that it is tested with', () => {
  if (process.platform === 'linux' && (process.arch === 'x64' || process.arch === 'arm64')) {
    assert.ok(loadLibC() !== undefined)
    assert.is(openNetwork({ address: '127.0.0.1' }).kind, 'mmsg')
  }
  assert.throws(() => openNetwork({ address: 'localhost' }))
})

const kinds = loadLibC() === undefined ? (['dgram'] as const) : (['mmsg', 'dgram'] as const)
for (const sockets of kinds) {
  const settle = async (network: DatagramNetwork, done: () => boolean) => {
    for (let i = 0; i < 100 && !done(); i++) {
      network.receive()
      network.flush()
      await sleep(5)
    }
  }

  test(`${sockets}: what is sent arrives whole, once, with its source`, async () => {
    const network = openNetwork({ address: '127.0.0.1', sockets })
    const [a, b] = [await bind(network), await bind(network)]
    assert.ok(a !== undefined && b !== undefined)
    const got: { readonly bytes: Uint8Array; readonly port: number; readonly address: number }[] = []
    b.receiver = (packet, length, address, port) => got.push({ bytes: packet.slice(0, length), address, port })
    for (let n = 0; n < 600; n++) {
      const slot = network.slot()
      const bytes = noise(1 + (n % 1400), n)
      slot.set(bytes)
      a.send(slot, bytes.length, home, b.port)
      if (n % 50 === 49) {
        network.flush()
        await settle(network, () => got.length > n)
      }
    }
    assert.is(got.length, 600)
    for (const [n, { bytes, port, address }] of got.entries()) {
      assert.is(Buffer.compare(bytes, noise(1 + (n % 1400), n)), 0)
      assert.is(port, a.port)
      assert.is(address, home)
    }
    assert.is(network.counters.received, 600)
    assert.is(network.counters.sent, 600)
    network.close()
  })

  test(`${sockets}: a packet that is passed on leaves before many others are read`, async () => {
    const network = openNetwork({ address: '127.0.0.1', sockets })
    const out = await bind(network)
    const legs = await Promise.all(Array.from({ length: 64 }, () => bind(network)))
    assert.ok(out !== undefined && legs.every(leg => leg !== undefined))
    const peer = createSocket('udp4')
    peer.bind(0, '127.0.0.1')
    await once(peer, 'listening')
    let read = 0
    let mostWaiting = 0
    for (const leg of legs)
      leg!.receiver = (packet, length) => {
        out.send(packet, length, home, peer.address().port)
        read++
        mostWaiting = Math.max(mostWaiting, read - network.counters.sent)
      }
    for (const leg of legs) peer.send(noise(172, leg!.port), leg!.port, '127.0.0.1')
    await settle(network, () => read === legs.length)
    assert.is(network.counters.sent, legs.length)
    if (sockets === 'mmsg') assert.ok(mostWaiting <= 8, `${mostWaiting} packets waited for one another`)
    network.close()
    peer.close()
  })

  test(`${sockets}: a packet is passed on from where it lies, altered in place`, async () => {
    const network = openNetwork({ address: '127.0.0.1', sockets })
    const [a, b] = [await bind(network), await bind(network)]
    assert.ok(a !== undefined && b !== undefined)
    const peer = createSocket('udp4')
    peer.bind(0, '127.0.0.1')
    await once(peer, 'listening')
    const back: Buffer[] = []
    peer.on('message', bytes => back.push(bytes))
    a.receiver = (packet, length) => {
      packet[0] = packet[0]! ^ 0xff
      b.send(packet, length, home, peer.address().port)
    }
    for (let n = 0; n < 200; n++) peer.send(noise(172, n), a.port, '127.0.0.1')
    await settle(network, () => back.length === 200)
    assert.is(back.length, 200)
    back.sort(Buffer.compare)
    const expected = Array.from({ length: 200 }, (_, n) => {
      const bytes = Buffer.from(noise(172, n))
      bytes[0] = bytes[0]! ^ 0xff
      return bytes
    }).sort(Buffer.compare)
    assert.equal(
      back.map(bytes => bytes.toString('hex')),
      expected.map(bytes => bytes.toString('hex')),
    )
    peer.close()
    network.close()
  })

  test(`${sockets}: what is held waits for its release, in its order, whatever goes before it and wherever it lay`, async () => {
    const network = openNetwork({ address: '127.0.0.1', sockets })
    const [a, b, c] = [await bind(network), await bind(network), await bind(network)]
    assert.ok(a !== undefined && b !== undefined && c !== undefined)
    const got: string[] = []
    c.receiver = (packet, length) => got.push(Buffer.from(packet.subarray(0, length)).toString())
    const send = (text: string) => {
      const slot = network.slot()
      slot.set(Buffer.from(text))
      a.send(slot, text.length, home, c.port)
    }
    // What was received, and a slot that was taken before, are lent for less long than it waits.
    let passed = 0
    b.receiver = (packet, length) => {
      passed++
      network.hold(true)
      b.send(packet, length, home, c.port)
      network.hold(false)
    }
    const early = network.slot()
    early.set(Buffer.from('early slot'))
    network.hold(true)
    send('held 1')
    a.send(early, 'early slot'.length, home, c.port)
    network.hold(false)
    const received = network.slot()
    received.set(Buffer.from('received'))
    a.send(received, 'received'.length, home, b.port)
    network.flush()
    await settle(network, () => passed === 1)
    network.hold(true)
    send('held 2')
    network.hold(false)
    for (let n = 0; n < 200; n++) send(`at once ${n}`)
    network.flush()
    await settle(network, () => got.length === 200)
    assert.is(got.length, 200)
    assert.ok(got.every(text => text.startsWith('at once')))
    got.length = 0
    network.release()
    await settle(network, () => got.length === 4)
    assert.equal(got, ['held 1', 'early slot', 'received', 'held 2'])
    network.release()
    await settle(network, () => false)
    assert.is(got.length, 4)
    network.close()
  })

  if (sockets === 'mmsg')
    test('mmsg: between two ticks a packet goes after what its own socket holds, and at once by any other', async () => {
      const network = openNetwork({ address: '127.0.0.1', sockets })
      const [a, b, c] = [await bind(network), await bind(network), await bind(network)]
      assert.ok(a !== undefined && b !== undefined && c !== undefined)
      const got: string[] = []
      c.receiver = (packet, length) => got.push(Buffer.from(packet.subarray(0, length)).toString())
      const send = (by: DatagramSocket, text: string) => {
        const slot = network.slot()
        slot.set(Buffer.from(text))
        by.send(slot, text.length, home, c.port)
      }
      network.hold(true)
      send(a, 'frame')
      network.hold(false)
      network.keepsOrder = true
      send(a, 'after the frame')
      send(b, 'at once')
      network.flush()
      network.keepsOrder = false
      await settle(network, () => got.length === 1)
      assert.equal(got, ['at once'])
      network.release()
      await settle(network, () => got.length === 3)
      assert.equal(got, ['at once', 'frame', 'after the frame'])
      network.keepsOrder = true
      send(a, 'nothing is held')
      network.flush()
      await settle(network, () => got.length === 4)
      assert.is(got.at(-1), 'nothing is held')
      network.close()
    })

  for (const [how, isHeld, slots] of [
    ['held', true, 1024],
    ['not held', false, 256],
  ] as const) {
    test(`${sockets}: a slot taken before a full queue was sent belongs to its owner until it is sent, ${how}`, async () => {
      const network = openNetwork({ address: '127.0.0.1', sockets })
      const [a, b, c] = [await bind(network), await bind(network), await bind(network)]
      assert.ok(a !== undefined && b !== undefined && c !== undefined)
      const got: string[] = []
      c.receiver = (packet, length) => got.push(Buffer.from(packet.subarray(0, length)).toString())
      const send = (slot: Uint8Array, text: string, to: DatagramSocket) => {
        slot.set(Buffer.from(text))
        a.send(slot, text.length, home, to.port)
      }
      network.hold(isHeld)
      for (let n = 1; n < slots; n++) send(network.slot(), 'another', b)
      const [last, next] = [network.slot(), network.slot()]
      send(next, 'goes first', c)
      send(last, 'goes then', c)
      for (let n = 0; n < slots; n++) send(network.slot(), 'another', b)
      network.hold(false)
      network.release()
      network.flush()
      await settle(network, () => got.length === 2)
      assert.equal(got, ['goes first', 'goes then'])
      network.close()
    })
  }

  test(`${sockets}: what is held of a socket can be taken back, but not of one that many share`, async () => {
    const network = openNetwork({ address: '127.0.0.1', sockets })
    const [a, b, c] = [await bind(network), await bind(network), await bind(network)]
    assert.ok(a !== undefined && b !== undefined && c !== undefined)
    const got: string[] = []
    c.receiver = (packet, length) => got.push(Buffer.from(packet.subarray(0, length)).toString())
    const send = (from: DatagramSocket, text: string) => {
      const slot = network.slot()
      slot.set(Buffer.from(text))
      from.send(slot, text.length, home, c.port)
    }
    network.hold(true)
    for (const n of [1, 2, 3]) {
      send(a, `a${n}`)
      send(b, `b${n}`)
    }
    assert.is(a.takeBack?.(), 3)
    assert.is(a.takeBack?.(), 0)
    send(a, 'behind')
    b.isShared = true
    assert.is(b.takeBack?.(), 0)
    network.release()
    network.hold(false)
    await settle(network, () => got.length === 4)
    await settle(network, () => false)
    assert.equal(got, ['b1', 'b2', 'b3', 'behind'])
    assert.is(network.counters.sent, 4)
    assert.is(network.counters.unsent, 0)
    network.close()
  })

  test(`${sockets}: a port in use is refused; a closed one is free; unheard sockets are read empty`, async () => {
    const network = openNetwork({ address: '127.0.0.1', sockets })
    const a = await bind(network)
    assert.ok(a !== undefined)
    assert.is(await bind(network, a.port), undefined)
    const { port } = a
    const b = await bind(network)
    assert.ok(b !== undefined)
    const slot = network.slot()
    b.send(slot, 100, home, port)
    network.flush()
    await settle(network, () => network.counters.received === 1)
    let heard = 0
    a.receiver = () => heard++
    await settle(network, () => false)
    assert.is(heard, 0)
    a.close()
    a.close()
    a.send(slot, 100, home, b.port)
    network.flush()
    await sleep(10)
    const again = await bind(network, port)
    assert.is(again?.port, port)
    network.close()
  })

  test(`${sockets}: datagrams larger than a slot are counted and dropped; an empty one does no harm`, async () => {
    const network = openNetwork({ address: '127.0.0.1', sockets })
    const a = await bind(network)
    assert.ok(a !== undefined)
    const lengths: number[] = []
    a.receiver = (_packet, length) => lengths.push(length)
    const peer = createSocket('udp4')
    peer.send(new Uint8Array(60_000), a.port, '127.0.0.1')
    peer.send(new Uint8Array(0), a.port, '127.0.0.1')
    peer.send(new Uint8Array(2048), a.port, '127.0.0.1')
    for (let i = 0; i < 20; i++) peer.send(new Uint8Array(3000), a.port, '127.0.0.1')
    await settle(network, () => network.counters.received === 23 && lengths.length === 2)
    assert.equal(lengths.sort(), [0, 2048])
    assert.is(network.counters.oversized, 21)
    peer.close()
    network.close()
  })

  test(`${sockets}: a packet that the system does not take is no fault`, async () => {
    const network = openNetwork({ address: '127.0.0.1', sockets })
    const a = await bind(network)
    assert.ok(a !== undefined)
    const got: number[] = []
    a.receiver = (_packet, length) => got.push(length)
    const slot = network.slot()
    a.send(slot, 10, home, 1)
    a.send(slot, 10, parseAddress('255.255.255.255')!, 5000)
    a.send(slot, 10, home, a.port)
    network.flush()
    await settle(network, () => got.length === 1)
    assert.equal(got, [10])
    assert.ok(network.counters.unsent >= 1)
    network.close()
  })
}

if (kinds.length > 1)
  test('packets of sockets that legs share go whole and in the order of each, however they are mixed', async () => {
    const network = openNetwork({ address: '127.0.0.1', sockets: 'mmsg' })
    const [a, b, own, to] = await Promise.all([1, 2, 3, 4].map(() => bind(network)))
    assert.ok(a !== undefined && b !== undefined && own !== undefined && to !== undefined)
    a.isShared = true
    b.isShared = true
    const got = new Map<number, number[]>()
    let broken = 0
    to.isShared = true
    to.receiver = (packet, length, _address, port) => {
      const n = (packet[0]! << 8) | packet[1]!
      if (Buffer.compare(packet.subarray(2, length), noise(1 + (n % 300), n)) !== 0) broken++
      got.set(port, [...(got.get(port) ?? []), n])
    }
    const expected = new Map<number, number[]>()
    let state = 1
    for (let n = 0; n < 900; n++) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      const socket = [a, b, own][(state >>> 16) % 3]!
      const slot = network.slot()
      const bytes = noise(1 + (n % 300), n)
      slot.set([n >> 8, n & 255])
      slot.set(bytes, 2)
      socket.send(slot, 2 + bytes.length, home, to.port)
      expected.set(socket.port, [...(expected.get(socket.port) ?? []), n])
      if (n % 90 !== 89) continue
      network.flush()
      await sleep(2)
      network.receive()
    }
    for (let i = 0; i < 100 && network.counters.received < 900; i++) {
      await sleep(5)
      network.receive()
    }
    assert.equal([network.counters.sent, network.counters.unsent, broken], [900, 0, 0])
    assert.equal([...got].sort(), [...expected].sort())
    network.close()
  })

/** Receive buffers may be as large as we want: with privileges, or by the system's setting. */
const mayBeWide = () =>
  process.getuid?.() === 0 || Number(readFileSync('/proc/sys/net/core/rmem_max', 'utf8')) >= 2 * 1024 * 1024

if (kinds.length > 1 && mayBeWide())
  test('a port that many legs share keeps a second of their packets while the thread is busy', async () => {
    const network = openNetwork({ address: '127.0.0.1', sockets: 'mmsg' })
    const [a, b] = [await bind(network), await bind(network)]
    assert.ok(a !== undefined && b !== undefined)
    b.isShared = true
    let got = 0
    b.receiver = () => got++
    for (let n = 0; n < 2000; n++) {
      a.send(network.slot(), 172, home, b.port)
      if (n % 100 === 99) network.flush()
    }
    for (let i = 0; i < 200 && got < 2000; i++) {
      network.receive()
      network.flush()
      await sleep(5)
    }
    assert.is(got, 2000)
    network.close()
  })

test('media leaves descriptors to files and connections', async () => {
  const native = loadLibC()
  if (native === undefined) return
  const network = new LinuxNetwork(native, '127.0.0.1', undefined, 200)
  const sockets: DatagramSocket[] = []
  for (let n = 0; n < 300; n++) {
    const socket = await bind(network)
    if (socket === undefined) break
    sockets.push(socket)
  }
  assert.ok(sockets.length > 50 && sockets.length < 200, `${sockets.length} sockets`)
  assert.ok(network.hasNoDescriptors)
  sockets.pop()?.close()
  assert.ok((await bind(network)) !== undefined)
  assert.not.ok(network.hasNoDescriptors)
  network.close()
})

test.run()
