import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { linearOfMuLaw } from '../../../rtp/codec/g711-tables.ts'
import { maxCatchUpFrames } from '../../../rtp/packetize/frame-clock.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { agreed } from '../bed/agreement.ts'
import { frame } from '../bed/rtp-packet.ts'
import { VirtualMedia } from '../bed/virtual-media.ts'
import { bridged, VirtualPeer } from '../bed/virtual-peer.ts'

// A tick that comes late is late by itself: no other packet goes out sooner for it, or later.

/** Legs that say silence, while one tick in ten comes late. Returns when each leg's packets went out, by the grid. */
const offsetsOf = (seed: number, legs: number): number[][] => {
  const random = seeded(seed)
  const media = new VirtualMedia()
  const peers = Array.from({ length: legs }, (_, n) => {
    const peer = new VirtualPeer(media, `${n}`, 4000 + 2 * n).open()
    media.run(5)
    media.do({ type: 'agree', session: `${n}`, agreement: agreed(peer.port), talk: true })
    return peer
  })
  media.run(1000)
  const from = media.now
  media.lateMs = () => (random() < 0.1 ? 4.9 * random() : 0.05 * random())
  media.run(20_000)
  return peers.map(peer => {
    const sent = peer.received().filter(({ at }) => at > from)
    const first = sent[0]
    assert.ok(first)
    // On time is a place in the frame of 20 ms.
    return sent.map(({ at, sequence }) => at - from - 20 * ((sequence - first.sequence) & 0xffff))
  })
}

test('a late tick makes the packets of its own late, and those of the next not early', () => {
  for (let seed = 1; seed <= 5; seed++) {
    for (const [leg, offsets] of offsetsOf(seed, 12).entries()) {
      const sorted = offsets.toSorted((a, b) => a - b)
      const usual = sorted[sorted.length >> 1]!
      assert.ok(usual - sorted[0]! < 0.1, `seed ${seed}, leg ${leg}: ${usual - sorted[0]!} ms early`)
      assert.ok(sorted.at(-1)! - usual < 5, `seed ${seed}, leg ${leg}: ${sorted.at(-1)! - usual} ms late`)
      const late = sorted.filter(offset => offset > usual + 0.1).length / sorted.length
      assert.ok(late < 0.15, `seed ${seed}, leg ${leg}: ${late} of the packets were late`)
    }
  }
})

test('after a stall too long to be caught up, legs are still spread over the ticks of a frame', () => {
  const legs = 40
  const media = new VirtualMedia()
  const peers = Array.from({ length: legs }, (_, n) => {
    const peer = new VirtualPeer(media, `${n}`, 4000 + 2 * n).open()
    media.do({ type: 'agree', session: `${n}`, agreement: agreed(peer.port), talk: true })
    return peer
  })
  media.run(1000)
  for (const stallMs of [105, 345]) {
    media.now += stallMs
    media.run(200)
    const from = media.now
    media.run(1000)
    const perTick = new Map<number, number>()
    for (const { at } of peers.flatMap(peer => peer.received())) {
      if (at > from) perTick.set(at, (perTick.get(at) ?? 0) + 1)
    }
    const most = Math.max(...perTick.values())
    assert.ok(most <= 16, `after ${stallMs} ms: ${most} of ${legs} legs in one tick`)
  }
})

test('after a stall too long to be caught up, what is left out is time that goes by: nothing is late for ever', () => {
  for (const stallMs of [245, 345, 5000]) {
    const media = new VirtualMedia()
    const peer = new VirtualPeer(media, 'a', 4000).open()
    media.do({ type: 'agree', session: 'a', agreement: agreed(peer.port), talk: true })
    media.run(1000)
    const before = peer.received().at(-1)!
    media.now += stallMs
    media.run(200)
    const sent = peer.received().filter(({ sequence }) => sequence > before.sequence)
    for (const [n, { at, sequence, timestamp }] of sent.entries()) {
      assert.is(sequence, before.sequence + 1 + n)
      if (n > maxCatchUpFrames)
        assert.is(((timestamp - before.timestamp) >>> 0) / 8, at - before.at, `after ${stallMs} ms`)
    }
    const skips = sent.filter(({ timestamp }, n) => timestamp - (sent[n - 1] ?? before).timestamp !== 160)
    assert.is(skips.length, 1)
    assert.ok(skips[0]!.marker, 'a receiver is told that the stream goes on after a break (RFC 3550 §5.1)')
  }
})

/** Legs that are recorded, every tick so late. Returns after how many ticks something of each was written, over a second. */
const writtenWithin = (lateMs: number): { readonly ticks: Set<number>; readonly packets: number[] } => {
  const media = new VirtualMedia()
  const peers = Array.from({ length: 12 }, (_, n) => {
    const peer = new VirtualPeer(media, `${n}`, 4000 + 2 * n).open()
    media.do({ type: 'agree', session: `${n}`, agreement: agreed(peer.port), talk: true })
    const rules = { channels: 'dual', track: 'both', maxLengthMs: 60_000 } as const
    media.do({ type: 'record-session', session: `${n}`, recording: 'r', path: `${n}`, rules })
    return peer
  })
  media.run(1000)
  media.lateMs = () => lateMs
  media.run(100)
  const lengths = peers.map((_, n) => media.recordings.get(`${n}`)?.samples.length)
  // From its first turn on.
  const since = peers.map(() => Number.NaN)
  const received = peers.map(peer => peer.received().length)
  const ticks = new Set<number>()
  for (let tick = 0; tick < 200; tick++) {
    media.run(5)
    for (const n of peers.keys()) {
      since[n]!++
      const { length } = media.recordings.get(`${n}`)?.samples ?? []
      if (length === lengths[n]) continue
      if (since[n]! > 0) ticks.add(since[n]!)
      lengths[n] = length
      since[n] = 0
    }
  }
  return { ticks, packets: peers.map((peer, n) => peer.received().length - received[n]!) }
}

test('every tick sends; what can wait has its turn in a quarter of the legs, whether ticks are late or not', () => {
  assert.equal(writtenWithin(0.1).ticks, new Set([4]))
  assert.equal(writtenWithin(4.5).ticks, new Set([4]))
  for (const lateMs of [0.1, 4.5]) assert.equal(writtenWithin(lateMs).packets, new Array(12).fill(50))
})

test('a thread that is held up while it reads finds packets that came after its tick began: none of them is early', () => {
  const { media, a } = bridged()
  media.do({
    type: 'record-session',
    session: 'a',
    recording: 'r',
    path: 'file',
    rules: { channels: 'dual', track: 'both', maxLengthMs: 60_000 },
  })
  const spoken: number[] = []
  const say = (): void => {
    spoken.push(...Array.from(frame(spoken.length / 160), code => linearOfMuLaw[code]!))
    a.say(frame(spoken.length / 160 - 1))
  }
  const read = media.network.receive.bind(media.network)
  const heldUpMs = 300
  const begun = media.now
  let nextAt = begun + 20
  for (let due = begun + 5; due < begun + 30_000; due += 5) {
    for (; nextAt <= due; nextAt += 20) say()
    const isHeldUp = (due - begun) % 1000 === 500
    media.now = due
    media.network.receive = () => {
      if (isHeldUp) media.now += heldUpMs
      for (; nextAt <= media.now; nextAt += 20) say()
      read()
    }
    media.engine.tick(due, due)
    if (isHeldUp) due += heldUpMs
  }
  media.do({ type: 'stop-record', session: 'a', recording: 'r' })
  const left = media.recordings.get('file')?.samples.filter((_, at) => at % 2 === 0) ?? []
  assert.ok(spoken.length > 29 * 8000)
  const from = left.findIndex(sample => sample !== 0) - spoken.findIndex(sample => sample !== 0)
  assert.is(
    spoken.findIndex((sample, at) => left[from + at] !== sample),
    -1,
    'not as it was said from there on',
  )
})

test.run()
