import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { seeded } from '../../rig/probes/seeded.ts'
import { agreed } from '../bed/agreement.ts'
import { frame } from '../bed/rtp-packet.ts'
import { VirtualMedia } from '../bed/virtual-media.ts'
import { bridged, VirtualPeer } from '../bed/virtual-peer.ts'

// Frames of ours are made in one tick and go at the beginning of the next; what is passed on goes at once.

const heldMedia = (): VirtualMedia => {
  const media = new VirtualMedia()
  media.network.isHeld = true
  return media
}

const talking = (media: VirtualMedia, legs: number): VirtualPeer[] =>
  Array.from({ length: legs }, (_, n) => {
    const peer = new VirtualPeer(media, `${n}`, 4000 + 2 * n).open()
    media.do({ type: 'agree', session: `${n}`, agreement: agreed(peer.port), talk: true })
    return peer
  })

test('a tick that takes all of its time makes no packet late', () => {
  const media = heldMedia()
  const peers = talking(media, 16)
  media.run(1000)
  const from = media.now
  const random = seeded(1)
  media.packetMs = () => 0.6 * random()
  media.run(2000)
  for (const peer of peers) {
    const sent = peer.received().filter(({ at }) => at > from)
    assert.ok(sent.length >= 98)
    const first = sent[0]!
    for (const { at, sequence } of sent) {
      assert.is(at - first.at, 20 * ((sequence - first.sequence) & 0xffff))
    }
  }
})

test('in a tick that takes longer, what is made goes when the next one is due, not when all is done', () => {
  const media = heldMedia()
  const peers = talking(media, 40)
  media.run(1000)
  media.packetMs = () => 1.5
  const due = media.now + 5
  media.run(5)
  const at = peers.flatMap(peer => peer.received()).map(packet => packet.at)
  const late = at.filter(each => each > due)
  assert.ok(late.length > 0, 'nothing of this tick went before it ended')
  assert.ok(Math.min(...late) >= due + 5)
  assert.ok(Math.min(...late) < due + 13)
  assert.ok(media.fellBehind.length > 0)
  assert.ok(media.fellBehind.every(when => when >= due + 5))
})

for (const missedMs of [5, 10, 15, 20, 45]) {
  test(`after ticks that were missed for ${missedMs} ms goes at once what was due meanwhile, and nothing else is late`, () => {
    const media = heldMedia()
    const peers = talking(media, 40)
    media.run(1000)
    const from = media.now
    media.run(60)
    media.now += missedMs
    const goesOnAt = media.now + 5
    media.run(200)
    let overdue = 0
    for (const peer of peers) {
      const sent = peer.received().filter(({ at }) => at > from)
      const first = sent[0]!
      for (const { at, sequence } of sent) {
        const due = first.at + 20 * ((sequence - first.sequence) & 0xffff)
        const wasMissed = due < goesOnAt && due >= goesOnAt - missedMs
        if (wasMissed) overdue++
        assert.is(at, wasMissed ? goesOnAt : due)
      }
    }
    assert.ok(overdue > 0)
  })
}

test('nor does it wait for recordings to be written', () => {
  const media = heldMedia()
  const peers = talking(media, 12)
  const rules = { channels: 'dual', track: 'both', maxLengthMs: 60_000 } as const
  for (const { session } of peers) media.do({ type: 'record-session', session, recording: 'r', path: session, rules })
  media.run(1000)
  media.writeMs = 4
  const due = media.now + 5
  for (let tick = 0; tick < 4; tick++) media.run(5)
  const late = peers.flatMap(peer => peer.received()).filter(({ at }) => at > due)
  assert.ok(late.length > 0)
  // Two legs have had their turn then, a third one is to have it.
  for (const { at } of late) assert.is((at - due) % 5, (2 * media.writeMs) % 5)
})

test('what is passed on waits for no tick', () => {
  const { media, a, b } = bridged({}, {}, heldMedia())
  media.run(100)
  for (let n = 0; n < 50; n++) {
    a.say(frame(n))
    media.run(5)
    const last = b.received().at(-1)
    assert.is(last?.at, media.now)
    assert.equal(last?.payload, frame(n))
    media.run(15)
  }
})

test('nor does it overtake what was made before it came', () => {
  const { media, a, b } = bridged({}, {}, heldMedia())
  // Where nothing comes for long, silence is sent by the clock.
  for (let n = 0; n < 8; n++) {
    media.run(600 + 5 * n)
    a.say(frame(n))
    media.run(5)
    assert.equal(b.received().at(-1)?.payload, frame(n))
  }
  const sequences = b.received().map(({ sequence }) => sequence)
  assert.ok(sequences.length > 20)
  assert.equal(
    sequences,
    sequences.map((_, n) => sequences[0]! + n),
  )
})

test('a report is sent at the time that it carries', () => {
  const media = heldMedia()
  const peers = talking(media, 4)
  media.run(20_000)
  for (const { to } of peers) {
    const reports = media.network.sent.filter(({ from, bytes }) => from === to + 1 && bytes[1] === 200)
    assert.ok(reports.length > 1)
    for (const { at, bytes } of reports) {
      const view = new DataView(bytes.buffer, bytes.byteOffset)
      const reportedMs = (view.getUint32(8) - 2_208_988_800 + view.getUint32(12) / 2 ** 32) * 1000 - 1_800_000_000_000
      assert.ok(Math.abs(reportedMs - at) < 0.01, `${reportedMs} ${at}`)
    }
  }
})

for (const [fromMs, toMs] of [
  [40, 20],
  [60, 20],
  [60, 30],
  [20, 10],
] as const) {
  test(`packets of ${fromMs} ms that are divided into ${toMs} ms go evenly: what waits for its time goes then`, () => {
    const { media, a, b } = bridged({}, { ptimeMs: toMs, ptimeAsked: true }, heldMedia())
    media.run(300)
    const from = media.now
    media.run(1200, now => {
      if ((now - from - 5) % fromMs === 0) a.say(frame(1, 8 * fromMs))
    })
    const sent = b.received().filter(({ at }) => at > from + 100)
    assert.ok(sent.length > 30)
    for (const [n, { at, timestamp }] of sent.entries()) {
      assert.is(at, sent[0]!.at + toMs * n)
      assert.is((timestamp - sent[0]!.timestamp) >>> 0, 8 * toMs * n)
    }
  })
}

test('of a leg that ends nothing goes but the report: its last frame is taken back, and is in no count', () => {
  let takenBack = 0
  for (const afterMs of [1000, 1005, 1010, 1015]) {
    const media = heldMedia()
    const peers = talking(media, 8)
    media.run(afterMs)
    const before = peers.map(peer => peer.received().length)
    const other = new VirtualPeer(media, 'other', 6000).open()
    media.do({ type: 'agree', session: 'other', agreement: agreed(other.port), talk: true })
    for (const peer of peers) media.do({ type: 'close', session: peer.session })
    media.run(100)
    const closed = media.take('closed')
    for (const [n, peer] of peers.entries()) {
      const last = media.network.sent.findLast(({ from }) => from === peer.to || from === peer.to + 1)
      assert.is(last?.from, peer.to + 1, 'a frame came after the end')
      const received = peer.received()
      assert.is(received.length, before[n]!)
      assert.is(closed.find(({ session }) => session === peer.session)?.stats.packetsSent, received.length)
    }
    assert.ok(other.received().length > 3, 'another leg goes on')
    // Had they not ended.
    const twins = heldMedia()
    const others = talking(twins, 8)
    twins.run(afterMs + 5)
    takenBack += others.reduce((all, peer, n) => all + peer.received().length - before[n]!, 0)
  }
  assert.is(takenBack, 8)
})

test('nor does that of a leg that a fault ends, after the frames of a tick were made', () => {
  const media = heldMedia()
  const peers = talking(media, 8)
  const rules = { channels: 'dual', track: 'both', maxLengthMs: 60_000 } as const
  for (const { session } of peers) media.do({ type: 'record-session', session, recording: 'r', path: session, rules })
  media.run(1000)
  Object.defineProperty(media, 'writeMs', {
    get: () => {
      throw new Error('a fault')
    },
  })
  media.run(40)
  assert.is(media.take('failed').length, 8)
  for (const { to } of peers) {
    assert.is(media.network.sent.findLast(({ from }) => from === to || from === to + 1)?.from, to + 1)
  }
})

test('the command that ends the last leg of an engine does not wait for a tick', () => {
  const media = new VirtualMedia({ drainMs: 0 })
  media.network.isHeld = true
  const [peer] = talking(media, 1)
  assert.ok(peer)
  const rules = { channels: 'dual', track: 'both', maxLengthMs: 60_000 } as const
  media.do({ type: 'record-session', session: '0', recording: 'r', path: 'r', rules })
  media.run(1000)
  Object.defineProperty(media, 'writeMs', {
    get: () => {
      throw new Error('a fault')
    },
  })
  while (!media.engine.isIdle) media.run(5)
  assert.is(media.network.sent.at(-1)?.from, peer.to + 1)
})

test('a prompt that comes between two ticks does not push what is to be packed before the frames that wait', () => {
  for (let heldUpMs = 20; heldUpMs <= 80; heldUpMs += 5) {
    const media = heldMedia()
    const peer = new VirtualPeer(media, 'a', 4000).open()
    const opus = { codec: 'opus', payloadType: 96, accept: [{ payloadType: 96, codec: 'opus' }], ptimeMs: 40 } as const
    media.do({ type: 'agree', session: 'a', agreement: agreed(4000, opus), talk: true })
    media.prompts.set('hello', { codec: 'opus', bytes: Uint8Array.of(0xf8, 0xff, 0xfe), ends: Uint32Array.of(3) })
    const read: (() => void)[] = []
    media.promptRead = tell => void read.push(tell)
    const source = { kind: 'file', path: 'hello' } as const
    media.do({ type: 'play', session: 'a', play: 'p', source, loop: 1 })
    media.run(1000)
    media.now += heldUpMs
    media.run(5)
    for (const tell of read.splice(0)) tell()
    // As the thread does with whatever comes for another leg.
    media.do({ type: 'stop', session: 'b', play: 'p' })
    media.run(100)
    const sequences = peer.received().map(({ sequence }) => sequence)
    assert.ok(sequences.length > 20)
    assert.equal(
      sequences,
      sequences.map((_, n) => sequences[0]! + n),
      `held up for ${heldUpMs} ms`,
    )
  }
})

test('an engine that ends at once has reported every remote', () => {
  for (const afterMs of [1000, 1005, 1010, 1015]) {
    const media = heldMedia()
    const peers = talking(media, 8)
    media.run(afterMs)
    media.engine.closeAll(media.now)
    for (const { to } of peers) {
      assert.is(media.network.sent.findLast(({ from }) => from === to || from === to + 1)?.from, to + 1)
    }
  }
})

test.run()
