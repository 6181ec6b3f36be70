import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { loadLibC } from '../../../rtp/io/libc.ts'
import { TimedReceiver } from '../../../rtp/io/timed-receiver.ts'

const native = loadLibC()
/** More than 8 MB as the kernel counts them, twice of what is asked for. */
const tooMany = 20_000
/** So much earlier than the reading is the time of a packet. */
const readLaterByMs = 40

test('the generator of a load sees packets with their time, and counts what it was too late to read', async () => {
  if (native === undefined) return
  const receiver = new TimedReceiver(native)
  const sender = createSocket('udp4')
  try {
    sender.bind(0, '127.0.0.1')
    await once(sender, 'listening')
    const packet = Buffer.alloc(1000, 7)
    const received: [length: number, fromPort: number, atMs: number][] = []
    let before = 0
    let after = 0
    // The kernel begins to take the time of packets a moment after the first socket has asked for it. Until then a
    // packet has the time at which it was read.
    for (let attempts = 0; attempts < 100; attempts++) {
      received.length = 0
      before = Date.now()
      await new Promise(resolve => sender.send(packet, receiver.port, '127.0.0.1', resolve))
      after = Date.now()
      await setTimeout(readLaterByMs)
      receiver.read((_bytes, length, fromPort, atMs) => received.push([length, fromPort, atMs]))
      if (received[0] !== undefined && received[0][2] < after + readLaterByMs / 2) break
    }
    assert.is(received.length, 1)
    const [[length, fromPort, atMs]] = received as [[number, number, number]]
    assert.equal([length, fromPort], [1000, sender.address().port])
    const allowedMs = readLaterByMs / 2
    assert.ok(atMs > before - allowedMs && atMs < after + allowedMs, `${before}, ${atMs}, ${after}`)
    assert.is(receiver.dropped, 0)
    let sent = 0
    await new Promise<void>(resolve => {
      for (let nth = 0; nth < tooMany; nth++)
        sender.send(packet, receiver.port, '127.0.0.1', () => {
          if (++sent === tooMany) resolve()
        })
    })
    let read = 0
    receiver.read(() => read++)
    assert.ok(receiver.dropped > 0 && read > 0, `${receiver.dropped} dropped, ${read} read`)
    assert.is(receiver.dropped + read, tooMany)
  } finally {
    sender.close()
    receiver.close()
  }
})

test.run()
