import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { agreed } from '../bed/agreement.ts'
import { frame } from '../bed/rtp-packet.ts'
import { VirtualMedia } from '../bed/virtual-media.ts'
import { VirtualPeer } from '../bed/virtual-peer.ts'

// Ports that are bound before a session needs them.

/** `pairs` of ports, of which up to `readyPairs` are kept ready. */
const mediaWith = (pairs: number, readyPairs: number): VirtualMedia =>
  new VirtualMedia({ ports: [30_000, 30_000 + 2 * pairs - 1], readyPairs })

const open = (media: VirtualMedia, session: string, port?: number): void =>
  media.do({ type: 'open', session, ...(port === undefined ? {} : { port }) })

test('a session that is opened on a ready port reports no port, and media flows on it', () => {
  const media = mediaWith(50, 4)
  assert.is(media.ready.length, 4)
  const port = media.ready[0]!
  open(media, 'a', port)
  assert.equal(media.take('opened'), [])
  const peer = new VirtualPeer(media, 'a', 5000)
  peer.to = port
  media.do({ type: 'agree', session: 'a', agreement: agreed(5000), talk: true })
  media.run(100)
  assert.ok(peer.received().length >= 4)
  assert.is(media.engine.counters.portsFree, 49)
  assert.is(media.engine.counters.portsReady, 3)
})

test('when half of them are used the next batch is bound and reported, each port once', () => {
  const media = mediaWith(80, 8)
  const used: number[] = []
  for (let n = 0; n < 40; n++) {
    const port = media.ready.shift()
    assert.ok(port !== undefined, `session ${n} finds a port`)
    used.push(port)
    open(media, `s${n}`, port)
  }
  assert.is(new Set(used).size, 40)
  assert.is(media.engine.counters.portsFree, 40)
  assert.is(media.engine.counters.sessions, 40)
})

test('of a small range few are kept ready: others find a port as long as there is one', () => {
  const media = mediaWith(10, 32)
  assert.is(media.ready.length, 1)
  for (let n = 0; n < 9; n++) open(media, `s${n}`)
  assert.is(media.take('opened').length, 9)
  open(media, 's9', media.ready.shift())
  assert.equal(media.take('failed'), [])
  open(media, 's10')
  assert.is(media.take('failed').at(-1)?.session, 's10')
})

test('when ports are free again after all were used, some are kept ready again', () => {
  const media = mediaWith(16, 2)
  for (let n = 0; n < 16; n++) open(media, `s${n}`, media.ready.shift())
  assert.is(media.engine.counters.portsFree, 0)
  for (let n = 0; n < 16; n++) media.do({ type: 'close', session: `s${n}` })
  media.run(2100)
  open(media, 'next')
  assert.is(media.take('opened').at(-1)?.session, 'next')
  assert.is(media.ready.length, 1)
})

test('a port that was not reported, or is used, opens no session', () => {
  const media = mediaWith(50, 4)
  open(media, 'a', media.ready[0])
  open(media, 'b', media.ready[0])
  open(media, 'c', 30_001)
  assert.equal(
    media.take('failed').map(({ session, fault }) => [session, fault]),
    [
      ['b', 'no-ports'],
      ['c', 'no-ports'],
    ],
  )
})

test('what arrived on a ready port before its session was opened is not received', () => {
  const media = mediaWith(50, 4)
  const port = media.ready[0]!
  const early = new VirtualPeer(media, 'a', 5000)
  early.to = port
  early.say(frame(1))
  media.run(20)
  open(media, 'a', port)
  media.do({ type: 'agree', session: 'a', agreement: agreed(5000), talk: false })
  media.run(20)
  media.do({ type: 'close', session: 'a' })
  media.run(20)
  assert.is(media.take('closed')[0]?.stats.packetsReceived, 0)
})

test.run()
