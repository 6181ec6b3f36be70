import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { agreed } from '../bed/agreement.ts'
import { one, prompt } from '../bed/one-leg.ts'
import { VirtualMedia } from '../bed/virtual-media.ts'
import { VirtualPeer } from '../bed/virtual-peer.ts'

// How sessions of a thread end, and what their ports do.

test('what was ordered of a leg that closes is reported, then that it is closed', () => {
  const { media, agree, play } = one()
  agree()
  play('p', prompt(80_000))
  media.do({ type: 'send-digits', session: 'a', digitsId: 'd1', digits: '1' })
  media.do({ type: 'send-digits', session: 'a', digitsId: 'd2', digits: '2' })
  media.run(50)
  media.do({ type: 'close', session: 'a' })
  assert.equal(
    media.events.map(event => event.type),
    ['played', 'digits-sent', 'digits-sent', 'closed'],
  )
  assert.ok(!media.engine.isIdle, 'its ports are drained')
  media.run(2100)
  assert.ok(media.engine.isIdle)
})

test('a fault of ours ends its session and no other', () => {
  const { media, agree } = one({}, true)
  agree()
  const b = new VirtualPeer(media, 'b', 5000).open()
  media.do({ type: 'agree', session: 'b', agreement: agreed(5000), talk: true })
  media.prompts.set('broken', { codec: 'PCMU', bytes: undefined as unknown as Uint8Array })
  media.do({ type: 'play', session: 'a', play: 'p', source: { kind: 'file', path: 'broken' }, loop: 1 })
  assert.is(media.take('failed')[0]?.session, 'a')
  assert.is(media.take('closed')[0]?.session, 'a')
  media.run(1000)
  assert.ok(b.received().length >= 49)
  assert.is(media.engine.counters.faults, 1)
})

test('a fault whose end meets another fault ends its session all the same', () => {
  let isBroken = false
  const decodeInto = (pcm: Int16Array, at: number): number => {
    if (isBroken) throw new Error('the decoder')
    for (let i = 0; i < 960; i++) pcm[at + i] = i % 2 === 0 ? 9000 : -9000
    return 960
  }
  const media = new VirtualMedia({}, 7, {
    encoder: (_settings, done) => done(undefined),
    decoder: (_rate, done) => done({ decodeInto, recoverInto: () => 0, concealInto: decodeInto, free: () => {} }),
  })
  const a = new VirtualPeer(media, 'a', 4000).open()
  const accept = [{ payloadType: 111, codec: 'opus' }] as const
  media.do({
    type: 'agree',
    session: 'a',
    agreement: agreed(4000, { codec: 'opus', payloadType: 111, accept }),
    talk: true,
  })
  media.do({ type: 'join', session: 'a', room: 'r', muted: false })
  media.run(1000, now => {
    if (now % 20 === 0) a.say(Uint8Array.of(0xf8, 1, 2, 3), { payloadType: 111, timestamp: now * 48 })
  })
  // A member that leaves the room is read once more.
  isBroken = true
  const rounds = {
    loopFromMs: 0,
    get roundMs(): number {
      throw new Error('the prompt')
    },
  }
  media.prompts.set('broken', { codec: 'opus', bytes: new Uint8Array(3), ends: Uint32Array.of(3), rounds })
  media.do({ type: 'play', session: 'a', play: 'p', source: { kind: 'file', path: 'broken' }, loop: 2 })
  assert.is(media.take('failed').length, 1)
  assert.is(media.take('closed').length, 1)
  media.run(2100)
  assert.ok(media.engine.isIdle)
})

test('ports: pairs from the range, even and odd, drained before they come again; exhaustion is reported', () => {
  const media = new VirtualMedia({ ports: [30_001, 30_006], drainMs: 1000 })
  media.network.taken.add(30_003)
  media.do({ type: 'open', session: 'a' })
  media.do({ type: 'open', session: 'b' })
  assert.equal(
    media.take('opened').map(({ port }) => port),
    [30_004],
  )
  assert.equal(
    media.take('failed').map(({ session, fault }) => [session, fault]),
    [['b', 'no-ports']],
  )
  media.do({ type: 'close', session: 'a' })
  media.do({ type: 'open', session: 'c' })
  assert.is(media.take('failed').length, 1, 'still drained')
  assert.ok(media.network.sockets.has(30_004))
  media.network.arrive(30_004, new Uint8Array(172), 1, 1)
  media.run(1005)
  assert.not(media.network.sockets.has(30_004))
  media.do({ type: 'open', session: 'd' })
  assert.equal(
    media.take('opened').map(({ port }) => port),
    [30_004],
  )
})

test.run()
