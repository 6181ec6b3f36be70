import { createEncoder } from 'libopus-wasm'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { opusUnitsIn } from '../../rtp/codec/opus.ts'
import { OpusFrames } from '../../rtp/codec/opus-frames.ts'
import type { Agreement } from '../../rtp/contract/agreement.ts'
import { resample } from '../../rtp/index.ts'
import { parseRtcp } from '../../rtp/rtcp/parse.ts'
import { levelAt } from '../../rtp/tone/goertzel.ts'
import { agreed } from '../rtp/bed/agreement.ts'
import { delayOf, segmentalSnrDb, sine, speechLike } from '../rtp/bed/audio-measure.ts'
import { alone, conversation, payloadTypes, type Talker, talks } from '../rtp/bed/talker.ts'
import { VirtualMedia } from '../rtp/bed/virtual-media.ts'
import { VirtualPeer } from '../rtp/bed/virtual-peer.ts'
import { WarmOpus } from '../rtp/bed/warm-opus.ts'

// Remotes of Opus that ask for longer packets (ptime), or for no longer ones (maxptime): RFC 7587 §7.

const units = (ms: number) => 48 * ms
const asks = (ptimeMs: number): Partial<Agreement> => ({ ptimeMs, ptimeAsked: true })
const ofOpus = (peer: VirtualPeer, from = 0) =>
  peer.received().filter(packet => packet.payloadType === payloadTypes.opus && packet.at >= from)
const lasting = ({ payload }: { readonly payload: Uint8Array }) => opusUnitsIn(payload, 0, payload.length) / 48

/** Numbers without a hole, and each packet's time where the one before it ends. Returns how many last `ms`. */
function follow(packets: ReturnType<typeof ofOpus>, ms: number): number {
  for (const [n, packet] of packets.entries()) {
    const before = packets[n - 1]
    if (before === undefined) continue
    assert.is(packet.sequence, (before.sequence + 1) & 0xffff, `packet ${n}`)
    assert.is((packet.timestamp - before.timestamp) >>> 0, units(lasting(before)), `time of packet ${n}`)
    assert.not(packet.marker, `packet ${n} begins nothing`)
  }
  return packets.filter(packet => lasting(packet) === ms).length / packets.length
}

const close = (media: VirtualMedia, ...sessions: string[]) => {
  for (const session of sessions) media.do({ type: 'close', session })
}

for (const [asked, sent] of [
  [10, 20],
  [20, 20],
  [30, 20],
  [40, 40],
  [50, 40],
  [60, 60],
] as const) {
  test(`who asks for ${asked} ms gets packets of ${sent} ms of what is coded for it, each when it is full`, async () => {
    const { media, opus, one, two } = await conversation('PCMU', 'opus', asks(asked))
    const pcm = speechLike(8000 * 4, 8000, 21)
    let n = 0
    media.run(4000, now => now % 20 === 0 && one.say(one.frame(pcm, n++)))
    const packets = ofOpus(two.peer)
    // Where its coder changes its manner frames do not go together.
    assert.ok(follow(packets, sent) > 0.9, `${follow(packets, sent)}`)
    const times = packets.map(({ at }) => at)
    assert.ok(times.every((at, i) => i === 0 || at - times[i - 1]! <= sent + 5))
    const received = resample(two.received(), two.rate, 8000)
    const { delay, likeness } = delayOf(pcm, received, 1600, 8000, 12_000)
    assert.ok(likeness > 0.92 && delay < 150 * 8, `${likeness.toFixed(3)}, ${delay / 8} ms`)
    assert.ok(segmentalSnrDb(pcm, received, delay, 8000) > 5)
    close(media, 'a', 'b')
    opus.close()
  })
}

test('sender reports carry the time of the audio that is being sent, whatever waits', async () => {
  const { media, opus, one, two } = await conversation('PCMU', 'opus', asks(60))
  const pcm = speechLike(8000 * 4, 8000, 22)
  let n = 0
  media.run(16_000, now => now % 20 === 0 && one.say(one.frame(pcm, n++)))
  const packets = ofOpus(two.peer)
  const reports = media.network.sent
    .filter(sent => sent.port === two.peer.port + 1)
    .flatMap(({ at, bytes }) => {
      const parsed = parseRtcp(bytes, bytes.length)
      const first = parsed.ok ? parsed.value[0] : undefined
      return first?.type === 'sender-report' ? [{ at, ...first.sender }] : []
    })
  assert.ok(reports.length >= 2)
  for (const { at, rtpTime, packetCount } of reports) {
    const before = packets.filter(packet => packet.at <= at)
    assert.is(packetCount, before.length)
    const last = before.at(-1)!
    const aheadMs = ((rtpTime - last.timestamp - units(60)) | 0) / 48
    assert.ok(Math.abs(aheadMs - (at - last.at)) <= 25, `${aheadMs} ms, ${at - last.at} ms after the last packet`)
  }
  close(media, 'a', 'b')
  opus.close()
})

test('digits go out as events between whole packets, and as tones within them', async () => {
  for (const areEvents of [true, false]) {
    const events = areEvents ? { sendEvents: 110, eventClockRate: 48_000 } : { sendEvents: undefined }
    const { media, opus, one, two } = await conversation('PCMU', 'opus', { ...asks(60), ...events })
    const quiet = new Int16Array(160)
    const talk = (ms: number) => media.run(ms, now => now % 20 === 0 && one.say(one.frame(quiet, 0)))
    talk(600)
    media.do({ type: 'send-digits', session: 'b', digitsId: 'd', digits: '5' })
    talk(800)
    const packets = two.peer.received()
    for (const [n, packet] of packets.slice(1).entries())
      assert.is(packet.sequence, (packets[n]!.sequence + 1) & 0xffff)
    const reported = packets.filter(({ payloadType }) => payloadType === 110)
    const audio = ofOpus(two.peer)
    if (areEvents) {
      assert.ok(reported.length > 4 && new Set(reported.map(({ timestamp }) => timestamp)).size === 1)
      const before = audio.filter(({ at }) => at <= reported[0]!.at).at(-1)!
      assert.is((before.timestamp + units(lasting(before))) >>> 0, reported[0]!.timestamp, 'it begins where audio ends')
    } else {
      assert.is(reported.length, 0)
      const received = two.received()
      const loud = (hz: number) =>
        Math.max(...Array.from({ length: 60 }, (_, i) => levelAt(received, i * 320, 640, hz, 16_000)))
      assert.ok(loud(770) > -25 && loud(1336) > -25 && loud(941) < loud(770) - 20)
    }
    assert.ok(audio.filter(packet => lasting(packet) === 60).length > audio.length - 5)
    close(media, 'a', 'b')
    opus.close()
  }
})

/** A prompt of one second in Opus, coded frame by frame. */
const promptOf = (talker: Talker, pcm: Int16Array) => {
  const packets = Array.from({ length: pcm.length / 320 }, (_, i) => talker.frame(pcm, i))
  let end = 0
  const ends = Uint32Array.from(packets, packet => {
    end += packet.length
    return end
  })
  return { codec: 'opus', bytes: Uint8Array.from(packets.flatMap(packet => [...packet])), ends } as const
}

test('a prompt: every frame as it was made, all of them, and none later than its packet', async () => {
  const { media, opus, one } = await alone('opus', asks(60))
  const pcm = sine(700, 16_000, 16_000)
  const prompt = promptOf(one, pcm)
  media.prompts.set('p', prompt)
  media.run(300)
  const from = media.now
  media.do({ type: 'play', session: 'a', play: 'x', source: { kind: 'file', path: 'p' }, loop: 1 })
  media.run(1300)
  assert.is(media.take('played')[0]?.completed, true)
  const packets = ofOpus(one.peer, from)
  const frames = new OpusFrames()
  const received = packets.flatMap(({ payload }) => {
    assert.ok(frames.read(payload, 0, payload.length))
    const { kind, starts, lengths, count } = frames
    return Array.from({ length: count }, (_, i) =>
      [kind, ...payload.subarray(starts[i], starts[i]! + lengths[i]!)].join(),
    )
  })
  const made = [...prompt.ends].map((end, i) => prompt.bytes.slice(prompt.ends[i - 1] ?? 0, end).join())
  const at = received.indexOf(made[0]!)
  assert.equal(received.slice(at, at + 50), made)
  assert.is(packets.filter(({ marker }) => marker).length, 1, 'the prompt begins')
  const last = packets.filter(({ at }) => at - from <= 1100).at(-1)!
  assert.ok(last.at - from >= 960)
  close(media, 'a')
  opus.close()
})

test('a prompt alone, with no silence after it: its last frames do not wait', async () => {
  const { media, opus, one } = await alone('opus', asks(60))
  media.do({ type: 'bridge', session: 'a', other: 'nobody' })
  const peer = new VirtualPeer(media, 'quiet', 6000).open()
  media.do({ type: 'agree', session: 'quiet', agreement: agreed(6000, { ...talks('opus'), ...asks(60) }), talk: false })
  media.prompts.set('p', promptOf(one, sine(700, 16_000 / 2, 16_000)))
  media.do({ type: 'play', session: 'quiet', play: 'x', source: { kind: 'file', path: 'p' }, loop: 1 })
  media.run(560)
  const packets = ofOpus(peer)
  const total = packets.reduce((sum, packet) => sum + lasting(packet), 0)
  assert.ok(total >= 500, `${total} ms of 500`)
  close(media, 'a', 'quiet')
  opus.close()
})

test('a recording of the audio sent to a remote is the same for every packet length', async () => {
  const recorded: Int16Array[] = []
  for (const ptimeMs of [20, 60]) {
    const { media, opus, one } = await alone('opus', asks(ptimeMs))
    media.run(300)
    const rules = { channels: 'dual', track: 'both', maxLengthMs: 60_000 } as const
    media.do({ type: 'record-session', session: 'a', recording: 'r', path: 'file', rules })
    media.prompts.set('p', promptOf(one, sine(700, 16_000, 16_000)))
    media.do({ type: 'play', session: 'a', play: 'x', source: { kind: 'file', path: 'p' }, loop: 1 })
    media.run(1500)
    media.do({ type: 'stop-record', session: 'a', recording: 'r' })
    media.run(100)
    const { samples } = media.recordings.get('file')!
    recorded.push(Int16Array.from(samples.filter((_, at) => at % 2 === 1)))
    close(media, 'a')
    opus.close()
  }
  const [one, two] = recorded as [Int16Array, Int16Array]
  const began = (pcm: Int16Array) => pcm.findIndex(sample => Math.abs(sample) > 500)
  assert.ok(Math.abs(began(one) - began(two)) <= 20 * 8, `${began(one)} ${began(two)}`)
  const cut = (pcm: Int16Array) => pcm.slice(began(pcm), began(pcm) + 7000)
  assert.ok(delayOf(cut(one), cut(two), 160, 400, 6000).likeness > 0.999)
})

test('Opus to Opus: frames of 20 ms go together for who asks for 60, untouched', async () => {
  const { media, opus, one, two } = await conversation('opus', 'opus', asks(60))
  const pcm = speechLike(16_000 * 2, 16_000, 3)
  const said: string[] = []
  media.run(2000, now => {
    if (now % 20 !== 0) return
    const payload = one.frame(pcm, said.length)
    said.push(payload.join())
    one.say(payload)
  })
  media.run(200)
  const packets = ofOpus(two.peer, 1100)
  assert.ok(packets.filter(packet => lasting(packet) === 60).length > 25)
  const frames = new OpusFrames()
  const received = packets.flatMap(({ payload }) => {
    assert.ok(frames.read(payload, 0, payload.length))
    const { kind, starts, lengths, count } = frames
    return Array.from({ length: count }, (_, i) =>
      [kind, ...payload.subarray(starts[i], starts[i]! + lengths[i]!)].join(),
    )
  })
  const end = received.lastIndexOf(said.at(-1)!) + 1
  assert.ok(end > 90, 'to the last frame')
  assert.equal(received.slice(end - 90, end), said.slice(-90))
  close(media, 'a', 'b')
  opus.close()
})

test('Opus to Opus: packets of 60 ms are divided for who asks for 20, or takes no longer ones', async () => {
  for (const changes of [asks(20), { maxPtimeMs: 20 }]) {
    const { media, opus, one, two } = await conversation('opus', 'opus', changes)
    const pcm = speechLike(16_000 * 2, 16_000, 4)
    const said: Uint8Array[] = []
    const bundle = new Uint8Array(1300)
    media.run(1800, now => {
      if (now % 60 !== 0) return
      const three = [0, 1, 2].map(i => one.frame(pcm, said.length + i))
      said.push(...three)
      const [a, b, c] = three as [Uint8Array, Uint8Array, Uint8Array]
      if (a[0] !== b[0] || b[0] !== c[0] || a.length > 252 || b.length > 252) return
      bundle.set([a[0]! | 3, 0x83, a.length - 1, b.length - 1])
      let at = 4
      for (const each of three) {
        bundle.set(each.subarray(1), at)
        at += each.length - 1
      }
      one.peer.say(bundle.slice(0, at), { payloadType: payloadTypes.opus })
      one.peer.timestamp += units(60) - at
    })
    const received = ofOpus(two.peer, 1100)
    assert.ok(received.every(packet => lasting(packet) === 20))
    const bytes = received.map(({ payload }) => payload.join())
    const at = bytes.indexOf(said[20]!.join())
    assert.ok(at >= 0 && bytes.slice(at).length > 60)
    assert.equal(
      bytes.slice(at, at + 60),
      said.slice(20, 80).map(payload => payload.join()),
    )
    close(media, 'a', 'b')
    opus.close()
  }
})

for (const [maxPtimeMs, sent] of [
  [20, 20],
  [40, 20],
  [60, 60],
  [undefined, 60],
] as const) {
  test(`Opus to Opus: frames of 60 ms to who takes ${maxPtimeMs ?? 'any'} ms at most`, async () => {
    const changes = maxPtimeMs === undefined ? {} : { maxPtimeMs }
    const { media, opus, one, two } = await conversation('opus', 'opus', changes)
    const encoder = await createEncoder({ sampleRate: 16_000, channels: 1, bitrate: 16_000, frameSize: 960 })
    const pcm = speechLike(16_000 * 4, 16_000, 4)
    let n = 0
    media.run(3900, now => {
      if (now % 60 !== 0) return
      const payload = encoder.encode(pcm.subarray(n * 960, n * 960 + 960))
      n++
      one.peer.say(payload, { payloadType: payloadTypes.opus })
      one.peer.timestamp += units(60) - payload.length
    })
    const received = ofOpus(two.peer, 1300)
    assert.equal([...new Set(received.map(lasting))], [sent])
    follow(received, sent)
    const { delay, likeness } = delayOf(pcm, two.received(), 1600, 8000, 24_000)
    assert.ok(likeness > 0.85 && delay < 250 * 16, `${likeness.toFixed(3)}, ${delay / 16} ms`)
    encoder.free()
    close(media, 'a', 'b')
    opus.close()
  })
}

test('Opus to Opus: losses and DTX keep their time, and no packet waits for one that does not come', async () => {
  const { media, opus, one, two } = await conversation('opus', 'opus', asks(60))
  const pcm = speechLike(16_000 * 2, 16_000, 5)
  let n = 0
  media.run(1200, now => {
    if (now % 20 !== 0) return
    const isSilent = n > 40 && n < 55
    one.say(one.frame(pcm, n), n === 31 || isSilent)
    n++
  })
  // A pause is no loss: its packets were never sent.
  const packets = ofOpus(two.peer, 1100)
  const sums = packets.map(({ timestamp }) => ((timestamp - packets[0]!.timestamp) >>> 0) / 48)
  assert.ok(sums.every(ms => ms % 20 === 0))
  for (const [i, packet] of packets.entries()) {
    if (i > 0) assert.ok(sums[i]! >= sums[i - 1]! + lasting(packets[i - 1]!), `packet ${i}`)
    assert.ok(Math.abs(packet.at - packets[0]!.at - sums[i]!) <= 65, `${packet.at - packets[0]!.at} ${sums[i]}`)
  }
  close(media, 'a', 'b')
  opus.close()
})

test('each member of a room receives packets of the length that it asks for', async () => {
  const lengths = [20, 40, 60]
  const opus = await WarmOpus.open(4, {}, [48_000])
  const media = new VirtualMedia({}, 7, opus)
  const peers = lengths.map((ptimeMs, n) => {
    const peer = new VirtualPeer(media, `g${n}`, 7000 + 10 * n).open()
    const agreement = agreed(peer.port, { ...talks('opus'), ...asks(ptimeMs) })
    media.do({ type: 'agree', session: peer.session, agreement, talk: true })
    return peer
  })
  for (const { session } of peers) media.do({ type: 'join', session, room: 'r', muted: false })
  media.run(2000)
  for (const [n, peer] of peers.entries()) {
    const packets = ofOpus(peer, 1300)
    assert.ok(packets.length > 10)
    assert.ok(follow(packets, lengths[n]!) > 0.95, `${lengths[n]}: ${follow(packets, lengths[n]!)}`)
  }
  close(media, ...peers.map(({ session }) => session))
  opus.close()
})

test('a re-INVITE that asks for another length: what waits goes out, and what follows is as long as is asked', async () => {
  const { media, opus, one, two } = await conversation('PCMU', 'opus', asks(60))
  const pcm = speechLike(8000 * 3, 8000, 23)
  let n = 0
  const talk = (ms: number) => media.run(ms, now => now % 20 === 0 && one.say(one.frame(pcm, n++)))
  talk(1030)
  media.do({ type: 'agree', session: 'b', agreement: agreed(5000, { ...talks('opus'), ...asks(20) }), talk: true })
  const changed = media.now
  talk(1000)
  follow(ofOpus(two.peer), 20)
  const since = ofOpus(two.peer, changed + 1).map(lasting)
  assert.equal([...new Set(since)], [20])
  close(media, 'a', 'b')
  opus.close()
})

test('hold: nothing goes out meanwhile, and time goes on', async () => {
  const { media, opus, one, two } = await conversation('PCMU', 'opus', asks(60))
  const pcm = speechLike(8000 * 3, 8000, 24)
  let n = 0
  const talk = (ms: number) => media.run(ms, now => now % 20 === 0 && one.say(one.frame(pcm, n++)))
  const held: Partial<Agreement> = { ...talks('opus'), ...asks(60) }
  talk(530)
  media.do({ type: 'agree', session: 'b', agreement: agreed(5000, { ...held, send: false }), talk: true })
  const atHold = media.now
  talk(500)
  assert.is(ofOpus(two.peer, atHold + 1).length, 0, 'nothing during hold')
  media.do({ type: 'agree', session: 'b', agreement: agreed(5000, held), talk: true })
  talk(500)
  const after = ofOpus(two.peer, atHold + 501)
  assert.ok(after.length > 5 && after.every(packet => lasting(packet) >= 20))
  const before = ofOpus(two.peer)
    .filter(({ at }) => at <= atHold)
    .at(-1)!
  const passed = ((after[0]!.timestamp - before.timestamp) >>> 0) / 48
  assert.ok(Math.abs(passed - (after[0]!.at - before.at)) <= 65, `${passed} ms in ${after[0]!.at - before.at}`)
  close(media, 'a', 'b')
  opus.close()
})

test.run()
