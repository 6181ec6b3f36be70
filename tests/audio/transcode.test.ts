import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type AudioCodecName, codecFacts } from '../../rtp/codec/codec-name.ts'
import { resample } from '../../rtp/index.ts'
import { levelAt } from '../../rtp/tone/goertzel.ts'
import { levelOf } from '../../rtp/tone/level.ts'
import { seeded } from '../rig/probes/seeded.ts'
import { agreed } from '../rtp/bed/agreement.ts'
import { delayOf, segmentalSnrDb, sine, speechLike } from '../rtp/bed/audio-measure.ts'
import { conversation, payloadTypes, Talker, talks } from '../rtp/bed/talker.ts'
import { VirtualMedia } from '../rtp/bed/virtual-media.ts'
import { bridged, type VirtualPeer } from '../rtp/bed/virtual-peer.ts'
import { WarmOpus } from '../rtp/bed/warm-opus.ts'

/** Every packet of ours in its place: numbers without a hole, times by the frame, sent when due. */
const isSteady = (peer: VirtualPeer, units: number, what: string) => {
  const packets = peer.received()
  for (const [n, packet] of packets.entries()) {
    const before = packets[n - 1]
    if (before === undefined) continue
    assert.is(packet.sequence, (before.sequence + 1) & 0xffff, `${what}: packet ${n}`)
    assert.is((packet.timestamp - before.timestamp) >>> 0, units, `${what}: time of packet ${n}`)
    assert.is(packet.at - before.at, 20, `${what}: packet ${n} was sent ${packet.at - before.at} ms later`)
    assert.is(packet.ssrc, before.ssrc)
  }
}

const codecs: readonly AudioCodecName[] = ['PCMU', 'PCMA', 'G722', 'opus']
const isG711 = (codec: AudioCodecName) => codec === 'PCMU' || codec === 'PCMA'

for (const a of codecs) {
  for (const b of codecs) {
    if (a === b || (isG711(a) && isG711(b))) continue
    test(`${a} to ${b}: speech comes through whole, on time`, async () => {
      const { media, opus, one, two } = await conversation(a, b)
      const pcm = speechLike(one.rate * 4, one.rate, 21)
      let n = 0
      media.run(4000, now => {
        if (now % 20 !== 0) return
        one.say(one.frame(pcm, n++))
        two.say(two.frame(new Int16Array(two.rate / 50), 0))
      })
      isSteady(two.peer, codecFacts[b].clockRate / 50, b)
      isSteady(one.peer, codecFacts[a].clockRate / 50, a)
      const wanted = resample(pcm, one.rate, 8000)
      const received = resample(two.received(), two.rate, 8000)
      const { delay, likeness } = delayOf(wanted, received, 1600, 8000, 12_000)
      assert.ok(likeness > (a === 'opus' || b === 'opus' ? 0.92 : 0.95), `likeness ${likeness.toFixed(3)}`)
      assert.ok(delay < 100 * 8, `${delay / 8} ms`)
      const snr = segmentalSnrDb(wanted, received, delay, 8000)
      assert.ok(snr > (a === 'opus' || b === 'opus' ? 5 : 14), `segmental SNR ${snr.toFixed(1)} dB`)
      // No audio in that direction: it is silent.
      assert.ok(levelOf(one.received(), 0, one.received().length) < -55)
      media.do({ type: 'close', session: 'a' })
      media.do({ type: 'close', session: 'b' })
      opus.close()
    })
  }
}

test('the same codec passes through untouched: G.722 and Opus, byte for byte', async () => {
  for (const codec of ['G722', 'opus'] as const) {
    const { media, opus, one, two } = await conversation(codec, codec)
    const pcm = speechLike(one.rate, one.rate, 3)
    const said: Uint8Array[] = []
    media.run(1000, now => {
      if (now % 20 !== 0) return
      const payload = one.frame(pcm, said.length)
      said.push(payload)
      one.say(payload)
    })
    const received = two.peer.received().map(packet => Buffer.from(packet.payload).toString('hex'))
    const wanted = said.map(payload => Buffer.from(payload).toString('hex'))
    // The first, of silence, may be as our own silence was.
    const at = received.indexOf(wanted[1]!) - 1
    assert.equal(received.slice(at, at + wanted.length), wanted)
    const packets = two.peer.received().slice(at, at + wanted.length)
    for (const [n, packet] of packets.entries()) {
      if (n > 0) assert.is((packet.timestamp - packets[n - 1]!.timestamp) >>> 0, codecFacts[codec].clockRate / 50)
    }
    opus.close()
  }
})

test('a tone keeps its frequency and level from G.711 to Opus and back', async () => {
  const { media, opus, one, two } = await conversation('PCMA', 'opus')
  const pcm = sine(1004, 8000 * 3, 8000)
  const back = sine(600, 16_000 * 3, 16_000)
  let n = 0
  media.run(3000, now => {
    if (now % 20 !== 0) return
    one.say(one.frame(pcm, n))
    two.say(two.frame(back, n++))
  })
  const there = two.received()
  const here = one.received()
  assert.ok(Math.abs(levelAt(there, 16_000, 16_000, 1004, 16_000) - levelAt(pcm, 0, 8000, 1004, 8000)) < 1)
  assert.ok(Math.abs(levelAt(here, 8000, 8000, 600, 8000) - levelAt(back, 0, 16_000, 600, 16_000)) < 1)
  opus.close()
})

test('jitter, loss and disorder disturb no packet of ours; Opus repairs single losses from the next packet', async () => {
  for (const [a, b] of [
    ['opus', 'PCMU'],
    ['PCMU', 'opus'],
    ['G722', 'PCMA'],
  ] as const) {
    const { media, opus, one, two } = await conversation(a, b)
    const random = seeded(99)
    const pcm = speechLike(one.rate * 6, one.rate, 5)
    const waiting: { at: number; send: () => void }[] = []
    let n = 0
    media.run(6000, now => {
      if (now % 20 === 0) {
        const payload = one.frame(pcm, n++)
        const { sequence, timestamp } = one.peer
        const lost = random() < 0.05
        const options = { sequence, timestamp, payloadType: payloadTypes[a] }
        one.say(payload, true)
        const { sequence: nextSequence, timestamp: nextTime } = one.peer
        if (!lost) {
          waiting.push({
            at: now + Math.floor(random() * 50),
            send: () => {
              one.peer.say(payload, options)
              one.peer.sequence = nextSequence
              one.peer.timestamp = nextTime
            },
          })
        }
      }
      const { sequence, timestamp } = one.peer
      for (const due of waiting.filter(each => each.at <= now)) {
        waiting.splice(waiting.indexOf(due), 1)
        due.send()
      }
      one.peer.sequence = sequence
      one.peer.timestamp = timestamp
    })
    isSteady(two.peer, codecFacts[b].clockRate / 50, `${a} to ${b}`)
    const wanted = resample(pcm, one.rate, 8000)
    const received = resample(two.received(), two.rate, 8000)
    const { likeness, delay } = delayOf(wanted, received, 2400, 24_000, 16_000)
    assert.ok(likeness > 0.75, `${a} to ${b}: ${likeness.toFixed(2)}`)
    assert.ok(delay < 200 * 8, `${delay / 8} ms`)
    opus.close()
  }
})

test('another ptime on each side: frames of ours keep theirs', async () => {
  const { media, opus, one, two } = await conversation('G722', 'PCMU', { ptimeMs: 30, ptimeAsked: true })
  const pcm = speechLike(32_000, 16_000, 8)
  let n = 0
  media.run(2000, now => now % 20 === 0 && one.say(one.frame(pcm, n++)))
  const packets = two.peer.received()
  assert.ok(packets.length >= 64)
  for (const [at, packet] of packets.entries()) {
    assert.is(packet.payload.length, 240)
    if (at > 0) assert.is((packet.timestamp - packets[at - 1]!.timestamp) >>> 0, 240)
  }
  opus.close()
})

test('the codec changes in mid-call: another source, and the sound goes on', async () => {
  const { media, opus, one, two } = await conversation('PCMU', 'PCMU')
  const pcm = sine(700, 8000 * 4, 8000)
  let n = 0
  const talk = (ms: number) => media.run(ms, now => now % 20 === 0 && one.say(one.frame(pcm, n++)))
  talk(1000)
  const before = two.peer.received()
  media.do({ type: 'agree', session: 'b', agreement: agreed(5000, talks('opus')), talk: true })
  talk(1500)
  const after = two.peer.received().slice(before.length)
  assert.ok(after.every(packet => packet.payloadType === 111))
  assert.is.not(after[0]?.ssrc, before[0]?.ssrc)
  assert.is(new Set(after.map(packet => packet.ssrc)).size, 1)
  assert.ok(after.length >= 73)
  const far = new Talker(two.peer, 'opus', opus)
  const received = far.received()
  assert.ok(levelAt(received, 16_000 / 2, 8000, 700, 16_000) > -9, `${levelAt(received, 8000, 8000, 700, 16_000)}`)
  media.do({ type: 'agree', session: 'b', agreement: agreed(5000, talks('PCMU')), talk: true })
  const beforeBack = two.peer.received().length
  talk(500)
  const back = two.peer.received().slice(beforeBack)
  assert.ok(back.every(packet => packet.payloadType === 0 && packet.payload.length === 160))
  media.do({ type: 'close', session: 'b' })
  media.do({ type: 'close', session: 'a' })
  opus.close()
})

test('digits pass between legs of different kinds, their durations in the clock of each', async () => {
  const { media, opus, one, two } = await conversation('PCMU', 'opus', {
    sendEvents: 110,
    acceptEvents: 110,
    eventClockRate: 48_000,
    moreEvents: [{ payloadType: 126, clockRate: 8000 }],
  })
  const press = (talker: Talker, payloadType: number, clockRate: number) => {
    const { timestamp } = talker.peer
    let k = 0
    media.run(240, now => {
      if (now % 20 !== 0) return
      k++
      const duration = Math.min(k, 8) * (clockRate / 50)
      const payload = Uint8Array.of(5, k >= 8 ? 0x8a : 0x0a, duration >> 8, duration & 0xff)
      if (k <= 10) talker.peer.say(payload, { payloadType, timestamp, marker: k === 1 })
    })
    talker.peer.timestamp = (timestamp + 240 * (codecFacts[talker.codec].clockRate / 1000)) >>> 0
  }
  const talk = (ms: number) =>
    media.run(ms, now => {
      if (now % 20 !== 0) return
      one.say(one.frame(new Int16Array(160), 0))
      two.say(two.frame(new Int16Array(320), 0))
    })
  talk(400)
  press(one, 101, 8000)
  talk(200)
  press(two, 110, 48_000)
  talk(200)
  press(two, 126, 8000)
  talk(200)
  const digits = media.take('digit').map(({ session, digit, durationMs }) => [session, digit, durationMs])
  assert.equal(digits, [
    ['a', '5', 160],
    ['b', '5', 160],
    ['b', '5', 160],
  ])
  const durations = (peer: VirtualPeer, payloadType: number) =>
    peer
      .received()
      .filter(packet => packet.payloadType === payloadType)
      .map(packet => (packet.payload[2]! << 8) | packet.payload[3]!)
  assert.is(durations(two.peer, 110).at(-1), 7680)
  assert.equal(
    [...new Set(durations(one.peer, 101))].sort((x, y) => x - y),
    [160, 320, 480, 640, 800, 960, 1120, 1280],
  )
  const events = two.peer.received().filter(packet => packet.payloadType === 110)
  assert.is(new Set(events.map(packet => packet.timestamp)).size, 1)
  assert.ok(events[0]?.marker)
  opus.close()
})

test('comfort noise of a remote is played at its level to a leg that cannot take it, and forwarded to one that can', async () => {
  for (const [b, changes] of [
    ['opus', {}],
    ['PCMA', {}],
    ['PCMA', { sendNoise: 13, acceptNoise: 13 }],
  ] as const) {
    const { media, opus, one, two } = await conversation('PCMU', b, changes)
    media.do({
      type: 'agree',
      session: 'a',
      agreement: agreed(4000, { ...talks('PCMU'), sendNoise: 13, acceptNoise: 13 }),
      talk: true,
    })
    const pcm = speechLike(16_000, 8000, 3)
    let n = 0
    media.run(1000, now => now % 20 === 0 && one.say(one.frame(pcm, n++)))
    one.peer.say(Uint8Array.of(46), { payloadType: 13 })
    const at = two.peer.received().length
    media.run(2000)
    const rest = two.peer.received().slice(at)
    if ('sendNoise' in changes) {
      assert.is(rest[0]?.payloadType, 13)
      assert.equal([...(rest[0]?.payload ?? [])], [46])
    } else {
      assert.ok(rest.length >= 97, `${rest.length} packets in 2 s`)
      const received = two.received()
      // −46 dBov of a noise lies 3.0 + 3.14 dB higher in dBm0.
      const level = levelOf(received, received.length - two.rate, two.rate)
      assert.ok(Math.abs(level - (-46 + 6.2)) < 2.5, `${b}: ${level.toFixed(1)} dBm0`)
    }
    // It speaks again.
    one.peer.timestamp = (one.peer.timestamp + 16_000 - 1) >>> 0
    n = 0
    media.run(1000, now => now % 20 === 0 && one.say(one.frame(pcm, n++)))
    const again = two.received()
    assert.ok(levelOf(again, again.length - two.rate / 2, two.rate / 2) > -32)
    opus.close()
  }
})

test('all coders are free when their legs are gone', async () => {
  const opus = await WarmOpus.open(6)
  const media = new VirtualMedia({}, 7, opus)
  const { a, b } = bridged(talks('opus'), talks('PCMU'), media)
  const two = new Talker(b, 'PCMU', opus)
  media.run(500, now => {
    if (now % 20 !== 0) return
    a.say(Uint8Array.of(0xf8, 0xff, 0xfe), { payloadType: 111 })
    two.say(two.frame(speechLike(8000, 8000, 2), 3))
  })
  assert.ok(a.received().some(packet => packet.payload.length > 10))
  media.do({ type: 'close', session: 'a' })
  media.do({ type: 'close', session: 'b' })
  opus.close()
  assert.equal(opus.lib.counters, { encoders: 0, decoders: 0, failed: 0 })
})

test.run()
