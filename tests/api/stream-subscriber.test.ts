import { EventEmitter } from 'node:events'
import { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { WebSocket } from 'ws'
import { AccountFeed } from '../../api/stream/account-feed.ts'
import { liveFrameOf, pageOf } from '../../api/stream/batch.ts'
import { maxBatchBytes, maxUnsentBytes, tooSlow } from '../../api/stream/limits.ts'
import { Subscriber } from '../../api/stream/subscriber.ts'
import type { LoggedEvent } from '../../core/adapters/store/events.ts'
import { streamMessage } from '../../core/events/envelope.ts'
import type { AccountUuid } from '../../core/model/ids.ts'

const eventOf = (seq: number, text = ''): LoggedEvent => ({
  seq,
  event: {
    uuid: String(seq),
    code: 'CALL.0100',
    accountUuid: 'account' as AccountUuid,
    callUuid: null,
    sid: null,
    number: null,
    customPayload: null,
    createdUnix: 0,
    data: { text },
  },
})

/** A network that takes nothing until it is released. */
class HeldWire extends Duplex {
  readonly taken: Buffer[] = []
  #held: (() => void) | undefined
  isHeld = true

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.taken.push(chunk)
    if (this.isHeld) this.#held = done
    else done()
  }

  release(): void {
    this.isHeld = false
    this.#held?.()
  }

  get seqs(): number[] {
    const text = Buffer.concat(this.taken).toString('latin1')
    return [...text.matchAll(/\{"seq":(\d+),/g)].map(([, seq]) => Number(seq))
  }
}

class FakeSocket extends EventEmitter {
  readonly OPEN = 1
  readyState = 1
  code: number | undefined
  isTerminated = false

  close(code: number): void {
    this.code = code
    this.readyState = 2
  }

  terminate(): void {
    this.isTerminated = true
    this.readyState = 3
  }
}

function subscribed(afterSeq: number, log: readonly LoggedEvent[] = []) {
  const [socket, wire] = [new FakeSocket(), new HeldWire()]
  let pages = 0
  const subscriber = new Subscriber({
    socket: socket as unknown as WebSocket,
    wire,
    afterSeq,
    read: async (after, limit) => {
      pages++
      const page = log.filter(({ seq }) => seq > after).slice(0, limit)
      const lastSeq = page.at(-1)?.seq
      const lines = page.map(({ seq, event }) => streamMessage(seq, event)).join('\n')
      return lastSeq === undefined ? undefined : pageOf({ lines, lastSeq })
    },
  })
  return { socket, wire, subscriber, pages: () => pages }
}

const batchOf = (first: number, last: number, text = '') => ({
  firstSeq: first,
  lastSeq: last,
  bytes: Buffer.concat(Array.from({ length: last - first + 1 }, (_, at) => liveFrameOf(eventOf(first + at, text)))),
})

test('a reader that takes nothing holds a bounded number of bytes, then it is closed', () => {
  const { socket, wire, subscriber } = subscribed(0)
  let most = 0
  for (let seq = 1; seq <= 5000; seq++) {
    subscriber.take(batchOf(seq, seq, 'x'.repeat(10_000)))
    most = Math.max(most, wire.writableLength)
  }
  assert.is(socket.code, tooSlow)
  assert.ok(most > maxUnsentBytes && most < maxUnsentBytes + maxBatchBytes, String(most))
})

test('a resuming reader that takes nothing holds one page of the log', async () => {
  const log = Array.from({ length: 5000 }, (_, at) => eventOf(at + 1))
  const { wire, subscriber, pages } = subscribed(0, log)
  subscriber.catchUp()
  for (let seq = 5001; seq < 6000; seq++) subscriber.take(batchOf(seq, seq))
  await sleep(5)
  assert.is(pages(), 1)
  wire.release()
  await sleep(20)
  assert.equal(
    wire.seqs,
    log.map(({ seq }) => seq),
  )
})

test('what it has is not sent again, what it lacks is read from the log', async () => {
  const log = Array.from({ length: 9 }, (_, at) => eventOf(at + 1))
  const { wire, subscriber } = subscribed(3, log)
  wire.release()
  subscriber.take(batchOf(2, 3))
  assert.equal(wire.seqs, [])
  subscriber.take(batchOf(2, 5))
  await sleep(5)
  subscriber.take(batchOf(8, 9))
  subscriber.take(batchOf(10, 11))
  assert.equal(wire.seqs, [4, 5, 6, 7, 8, 9, 10, 11])
})

test('heartbeat: a reader that does not answer is cut at the next ping', () => {
  const { socket, wire, subscriber } = subscribed(0)
  wire.release()
  subscriber.beat()
  assert.equal(Buffer.concat(wire.taken), Buffer.of(0x89, 0))
  socket.emit('pong')
  subscriber.beat()
  assert.is(socket.isTerminated, false)
  subscriber.beat()
  assert.is(socket.isTerminated, true)
  subscriber.beat()
  assert.is(wire.taken.length, 2)
})

test('one message per event, for any number of readers; a burst is cut into batches', async () => {
  const feed = new AccountFeed()
  const readers = Array.from({ length: 3 }, () => subscribed(0))
  for (const { subscriber, wire } of readers) {
    feed.subscribers.add(subscriber)
    wire.release()
  }
  for (let seq = 1; seq <= 100; seq++) feed.add(eventOf(seq, 'x'.repeat(10_000)))
  feed.flush()
  const [first, second, third] = readers.map(({ wire }) => wire.taken)
  assert.ok(first !== undefined && first.length >= 3)
  for (const chunk of first) assert.ok(chunk.length < maxBatchBytes + 11_000)
  assert.ok(
    first.every((chunk, at) => chunk === second?.[at] && chunk === third?.[at]),
    'the same bytes',
  )
  const count = first.length
  feed.add(eventOf(101))
  await sleep(60)
  assert.is(first.length, count + 1)
  feed.close()
})

test.run()
