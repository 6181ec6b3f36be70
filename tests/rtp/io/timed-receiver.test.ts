import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { loadLibC } from '../../../rtp/io/libc.ts'
import { TimedReceiver } from '../../../rtp/io/timed-receiver.ts'

const native = loadLibC()
/** More than 8 MB as the kernel counts them, twice of what is asked for. */
const tooMany = 20_000

test('the generator of a load sees packets with their time, and counts what it was too late to read', async () => {
  if (native === undefined) return
  const receiver = new TimedReceiver(native)
  const sender = createSocket('udp4')
  try {
    sender.bind(0, '127.0.0.1')
    await once(sender, 'listening')
    const packet = Buffer.alloc(1000, 7)
    const before = Date.now()
    await new Promise(resolve => sender.send(packet, receiver.port, '127.0.0.1', resolve))
    const after = Date.now()
    const received: [length: number, fromPort: number, atMs: number][] = []
    receiver.read((_bytes, length, fromPort, atMs) => received.push([length, fromPort, atMs]))
    assert.is(received.length, 1)
    const [[length, fromPort, atMs]] = received as [[number, number, number]]
    assert.equal([length, fromPort], [1000, sender.address().port])
    assert.ok(atMs > before - 1 && atMs < after + 1, `${before}, ${atMs}, ${after}`)
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
