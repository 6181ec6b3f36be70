import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pcmaToPcmuInto } from '../../../rtp/codec/g711.ts'
import { agreed } from '../bed/agreement.ts'
import { type fieldsOf, frame } from '../bed/rtp-packet.ts'
import { VirtualMedia } from '../bed/virtual-media.ts'
import { bridged, VirtualPeer } from '../bed/virtual-peer.ts'

type Packet = ReturnType<typeof fieldsOf>
const isSilence = ({ payload }: Packet) => payload.every(byte => byte === 0xff || byte === 0xd5)
const speech = (packets: readonly Packet[]) => packets.filter(packet => !isSilence(packet))
const monotonic = (packets: readonly Packet[]) => {
  for (const [i, packet] of packets.entries()) {
    const before = packets[i - 1]
    if (before === undefined) continue
    assert.is(packet.ssrc, before.ssrc)
    assert.is(packet.sequence, (before.sequence + 1) & 0xffff)
    assert.ok((packet.timestamp - before.timestamp) >>> 0 < 0x8000_0000)
  }
}

test('same codec: payloads pass byte for byte, both ways, with our numbers', () => {
  const { media, a, b } = bridged()
  let n = 0
  media.run(2000, now => {
    if (now % 20 !== 0) return
    a.say(frame(n, 160), { marker: n === 0 })
    b.say(frame(n + 1000, 160))
    n++
  })
  const toB = speech(b.received())
  const toA = speech(a.received())
  assert.is(toB.length, n)
  assert.is(toA.length, n)
  for (const [i, packet] of toB.entries()) assert.equal(packet.payload, frame(i))
  for (const [i, packet] of toA.entries()) assert.equal(packet.payload, frame(i + 1000))
  monotonic(b.received())
  monotonic(a.received())
  for (const [i, packet] of b.received().entries()) {
    if (i > 0) assert.is((packet.timestamp - b.received()[i - 1]!.timestamp) >>> 0, 160)
  }
  assert.is.not(toB[0]!.ssrc, a.ssrc)
  assert.ok(toB[0]!.marker)
  assert.is(toB.filter(packet => packet.marker).length, 1)
})

test('losses leave gaps, order and silences stay what they were, marks are kept', () => {
  const { media, a, b } = bridged()
  const order = [0, 1, 2, 4, 3, 5, 8, 9]
  let at = 0
  media.run(400, now => {
    if (now % 20 !== 0 || at >= order.length) return
    const n = order[at++]!
    // 8 begins a talkspurt, 4,000 units later than its number says.
    const pause = n >= 8 ? 4000 : 0
    a.say(frame(n), { sequence: (65_533 + n) & 0xffff, timestamp: (10_000 + n * 160 + pause) >>> 0, marker: n === 8 })
  })
  const received = speech(b.received())
  assert.is(received.length, order.length)
  const base = received[0]!
  received.forEach((packet, i) => {
    const n = order[i]!
    assert.equal(packet.payload, frame(n))
    assert.is(packet.sequence, (base.sequence + n) & 0xffff)
    assert.is(packet.timestamp, (base.timestamp + n * 160 + (n >= 8 ? 4000 : 0)) >>> 0)
    assert.is(packet.marker, n === 8 || i === 0)
  })
})

test('a remote that starts again goes on as one stream', () => {
  const { media, a, b } = bridged()
  let n = 0
  media.run(1000, now => {
    if (now % 20 !== 0) return
    if (n === 25) {
      a.ssrc = 99
      a.sequence = 7
      a.timestamp = 42
    }
    a.say(frame(n++))
  })
  assert.is(speech(b.received()).length, n)
  monotonic(b.received())
})

test('PCMU and PCMA are turned into each other by table', () => {
  const { media, a, b } = bridged({ codec: 'PCMA', payloadType: 8, accept: [{ payloadType: 8, codec: 'PCMA' }] }, {})
  let n = 0
  media.run(200, now => {
    if (now % 20 === 0) a.say(frame(n++), { payloadType: 8 })
  })
  const received = speech(b.received())
  assert.is(received.length, n)
  received.forEach((packet, i) => {
    const expected = frame(i)
    pcmaToPcmuInto(expected, 0, expected, 0, 160)
    assert.is(packet.payloadType, 0)
    assert.equal(packet.payload, expected)
  })
})

test('payload types of each side; extension, CSRCs and padding are removed', () => {
  const { media, a, b } = bridged({ accept: [{ payloadType: 96, codec: 'PCMU' }] }, { payloadType: 97 })
  media.run(100)
  const payload = frame(3)
  const packet = new Uint8Array(12 + 8 + 8 + 160 + 4)
  packet.set([0xb2, 96, 0, 9, 0, 0, 0, 9, 0, 0, 0, 9])
  packet.set([0xbe, 0xde, 0, 1, 1, 2, 3, 4], 20)
  packet.set(payload, 28)
  packet[packet.length - 1] = 4
  media.network.arrive(a.to, packet, a.address, a.port)
  media.run(20)
  const received = speech(b.received())
  assert.is(received.length, 1)
  assert.is(received[0]!.payloadType, 97)
  assert.equal(received[0]!.payload, payload)
  assert.is(media.network.sent.find(sent => sent.port === b.port && sent.bytes.length > 12)!.bytes[0], 0x80)
})

for (const ptimeMs of [10, 20, 30, 40, 60]) {
  for (const wanted of [10, 20, 30, 40, 60]) {
    test(`${ptimeMs} ms packets to a remote that asked for ${wanted} ms`, () => {
      const { media, a, b } = bridged({}, { ptimeMs: wanted, ptimeAsked: true })
      media.network.isHeld = true
      const sent: number[] = []
      media.run(1200, now => {
        if (now % ptimeMs !== 0 || now > 2000) return
        const payload = Uint8Array.from({ length: ptimeMs * 8 }, (_, i) => ((sent.length + i) * 13 + 5) % 250)
        sent.push(...payload)
        a.say(payload)
      })
      const received = speech(b.received())
      assert.ok(received.every(packet => packet.payload.length === wanted * 8))
      const bytes = received.flatMap(packet => [...packet.payload])
      assert.equal(bytes.slice(0, sent.length), sent, 'to the last byte')
      assert.ok(bytes.slice(sent.length).every(byte => byte === 0xff))
      assert.ok(bytes.length - sent.length < wanted * 8)
      monotonic(b.received())
      // What one packet is divided into does not go out at once.
      const gaps = received.slice(1).map((packet, i) => packet.at - received[i]!.at)
      assert.ok(
        gaps.every(gap => gap >= 10),
        gaps.join(),
      )
    })
  }
}

test('a remote that did not ask gets packets as they come', () => {
  const { media, a, b } = bridged()
  media.run(300, now => {
    if (now % 30 === 0) a.say(frame(now, 240))
  })
  assert.ok(speech(b.received()).every(packet => packet.payload.length === 240))
})

test('a loss in a stream that is packed again keeps its time', () => {
  const { media, a, b } = bridged({}, { ptimeMs: 40, ptimeAsked: true })
  let n = 0
  media.run(400, now => {
    if (now % 20 !== 0) return
    if (n !== 7) a.say(frame(n))
    else {
      a.sequence++
      a.timestamp += 160
    }
    n++
  })
  const received = speech(b.received())
  const total = (received.at(-1)!.timestamp - received[0]!.timestamp) >>> 0
  assert.is(total % 160, 0)
  assert.equal([...received.at(-1)!.payload.subarray(0, 160)], [...frame(n - 2)])
  assert.is(total, (n - 2) * 160)
})

test('a loss within a frame of a stream that is packed again is silent there, and takes nothing else with it', () => {
  const { media, a, b } = bridged({}, { ptimeMs: 60, ptimeAsked: true })
  let n = 0
  media.run(460, now => {
    if (now % 20 !== 0) return
    if (n !== 7) a.say(frame(n))
    else {
      a.sequence++
      a.timestamp += 160
    }
    n++
  })
  const received = speech(b.received())
  monotonic(received)
  assert.ok(received.every(({ payload }) => payload.length === 480))
  const bytes = received.flatMap(({ payload }) => [...payload])
  const wanted = Array.from({ length: 15 }, (_, i) =>
    i === 7 ? [...new Uint8Array(160).fill(0xff)] : [...frame(i)],
  ).flat()
  assert.equal(bytes.slice(0, wanted.length), wanted)
})

test('a pause in a stream that is packed again: the last word goes out at once, and the next is in its place', () => {
  const { media, a, b } = bridged({}, { ptimeMs: 60, ptimeAsked: true })
  let n = 0
  let pausedAt = 0
  media.run(900, now => {
    if (now % 20 !== 0) return
    if (n < 10 || n >= 25) a.say(frame(n), { marker: n === 25 })
    else {
      pausedAt ||= now
      a.timestamp += 160
    }
    n++
  })
  const received = speech(b.received())
  const last = received.findIndex(({ payload }) => payload.subarray(0, 160).join() === frame(9).join())
  assert.ok(last > 0 && received[last]!.at - pausedAt <= 100, `${received[last]?.at} ${pausedAt}`)
  assert.ok(received[last]!.payload.subarray(160).every(byte => byte === 0xff))
  const next = received[last + 1]!
  assert.equal([...next.payload.subarray(0, 160)], [...frame(25)])
  assert.is((next.timestamp - received[last]!.timestamp) >>> 0, 16 * 160)
  assert.is(next.sequence, (received[last]!.sequence + 1) & 0xffff)
  assert.ok(next.marker)
})

test('a play to one leg interrupts the audio of the other leg to it, and only that', () => {
  const { media, a, b } = bridged()
  const prompt = Uint8Array.from({ length: 1600 }, (_, i) => i % 100)
  media.prompts.set('p', { codec: 'PCMU', bytes: prompt })
  let n = 0
  const both = (now: number) => {
    if (now % 20 !== 0) return
    a.say(frame(n))
    b.say(frame(n++))
  }
  media.run(200, both)
  media.do({ type: 'play', session: 'b', play: 'x', source: { kind: 'file', path: 'p' }, loop: 1 })
  media.run(400, both)
  const bytes = b.received().flatMap(packet => [...packet.payload])
  const at = bytes.findIndex((_, i) => prompt.every((byte, j) => bytes[i + j] === byte))
  assert.ok(at > 0 && at % 160 === 0)
  assert.ok(bytes.length >= at + 1600 + 160 * 5, 'then the other leg again')
  monotonic(b.received())
  assert.is(speech(a.received()).length, n)
  assert.is(media.take('played').length, 1)
})

test('silence fills a bridge of which nothing comes, and gives way', () => {
  const { media, a, b } = bridged()
  media.run(1000)
  assert.ok(b.received().length >= 49 && b.received().every(isSilence))
  media.run(1000, now => {
    if (now % 20 === 0) a.say(frame(now))
  })
  assert.is(speech(b.received()).length, 50)
  media.run(2000)
  monotonic(b.received())
  assert.ok(isSilence(b.received().at(-1)!))
  const { at } = b.received().at(-1)!
  assert.ok(media.now - at <= 25)
})

test('early media reaches a caller before it sends anything; legs that are not bridged receive nothing of each other', () => {
  const media = new VirtualMedia()
  const a = new VirtualPeer(media, 'a', 4000).open()
  const b = new VirtualPeer(media, 'b', 5000).open()
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000), talk: false })
  media.run(200)
  assert.is(a.received().length, 0, 'nothing is sent to a caller who only hears ringing')
  media.do({ type: 'bridge', session: 'a', other: 'b' })
  media.do({ type: 'agree', session: 'b', agreement: agreed(5000), talk: true })
  media.run(200, now => {
    if (now % 20 === 0) b.say(frame(now))
  })
  assert.is(speech(a.received()).length, 10)
  media.do({ type: 'unbridge', session: 'b' })
  media.run(200, now => {
    if (now % 20 === 0) b.say(frame(now))
  })
  assert.is(speech(a.received()).length, 10)
})

test('telephone-events pass with the other side’s payload type, and are reported once', () => {
  const { media, a, b } = bridged({ acceptEvents: 96, sendEvents: 96 }, { acceptEvents: 101, sendEvents: 101 })
  let n = 0
  media.run(200, now => {
    if (now % 20 === 0) a.say(frame(n++))
  })
  const began = a.timestamp
  const events: Uint8Array[] = []
  for (let i = 1; i <= 8; i++) {
    const end = i >= 6
    const payload = Uint8Array.of(5, (end ? 0x80 : 0) | 10, (Math.min(i, 6) * 160) >> 8, (Math.min(i, 6) * 160) & 255)
    events.push(payload)
    a.say(payload, { payloadType: 96, timestamp: began, marker: i === 1 })
    media.run(20)
  }
  a.timestamp = began + 6 * 160
  a.say(frame(1))
  media.run(20)
  const received = b.received()
  const passed = received.filter(packet => packet.payloadType === 101)
  assert.equal(
    passed.map(packet => [...packet.payload]),
    events.map(event => [...event]),
  )
  assert.ok(passed.every(packet => packet.timestamp === passed[0]!.timestamp))
  assert.equal(
    passed.map(packet => packet.marker),
    [true, false, false, false, false, false, false, false],
  )
  monotonic(received.filter(packet => !isSilence(packet)).slice(1))
  const after = received.at(-1)!
  assert.is((after.timestamp - passed[0]!.timestamp) >>> 0, 6 * 160)
  assert.equal(
    media.take('digit').map(({ session, digit, durationMs }) => ({ session, digit, durationMs })),
    [{ session: 'a', digit: '5', durationMs: 120 }],
  )
})

test.run()
