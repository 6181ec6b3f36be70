import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type AudioCodecName, codecFacts } from '../../rtp/codec/codec-name.ts'
import { StreamDecoder } from '../../rtp/codec/stream-decoder.ts'
import { StreamEncoder } from '../../rtp/codec/stream-encoder.ts'
import type { Agreement } from '../../rtp/contract/agreement.ts'
import { resample } from '../../rtp/index.ts'
import { levelAt } from '../../rtp/tone/goertzel.ts'
import { amplitudeOf, levelOf } from '../../rtp/tone/level.ts'
import { renderTone } from '../../rtp/tone/tone-source.ts'
import { dtmfTone } from '../../rtp/tone/tones.ts'
import { agreed } from '../rtp/bed/agreement.ts'
import { delayOf, sine, snrDb, speechLike } from '../rtp/bed/audio-measure.ts'
import { VirtualMedia } from '../rtp/bed/virtual-media.ts'
import { bridged, VirtualPeer } from '../rtp/bed/virtual-peer.ts'
import { WarmOpus } from '../rtp/bed/warm-opus.ts'
import { WavPrompts } from './wav-prompts.ts'

const codecs: readonly AudioCodecName[] = ['PCMU', 'PCMA', 'G722', 'opus']
const payloadTypes: Readonly<Record<AudioCodecName, number>> = { PCMU: 0, PCMA: 8, G722: 9, opus: 111 }
const talks = (codec: AudioCodecName, changes: Partial<Agreement> = {}): Partial<Agreement> => ({
  codec,
  payloadType: payloadTypes[codec],
  accept: [{ payloadType: payloadTypes[codec], codec }],
  ...changes,
})

const prompts = new WavPrompts()
test.after(() => prompts.remove())

/** A leg alone, in virtual time. */
const alone = async (codec: AudioCodecName, changes: Partial<Agreement> = {}) => {
  const opus = await WarmOpus.open(3)
  const media = new VirtualMedia({}, 7, opus)
  const peer = new VirtualPeer(media, 'a', 4000).open()
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000, talks(codec, changes)), talk: false })
  return { opus, media, peer }
}

const receivedBy = (peer: VirtualPeer, codec: AudioCodecName, opus: WarmOpus): Int16Array => {
  const rate = codecFacts[codec].sampleRate
  const decoder = new StreamDecoder(rate, opus)
  const packets = peer.received().filter(packet => packet.payloadType === payloadTypes[codec])
  const pcm = new Int16Array(packets.length * (rate / 50) + 4000)
  let at = 0
  for (const { payload } of packets) at += decoder.frameInto(pcm, at, codec, payload, 0, payload.length, false)
  decoder.free()
  return pcm.slice(0, at)
}

/** Says samples of 8,000 Hz through a coder, 20 ms a packet. */
const sayAll = (media: VirtualMedia, peer: VirtualPeer, codec: AudioCodecName, narrow: Int16Array, opus: WarmOpus) => {
  const rate = codecFacts[codec].sampleRate
  const pcm = resample(narrow, 8000, rate)
  const encoder = new StreamEncoder(codec, rate, opus, undefined)
  const bytes = new Uint8Array(1300)
  const frame = rate / 50
  let at = 0
  media.run((narrow.length / 8000) * 1000, now => {
    if (now % 20 !== 0 || at + frame > pcm.length) return
    const length = encoder.encodeInto(bytes, 0, pcm, at, frame)
    at += frame
    const { timestamp } = peer
    peer.say(bytes.slice(0, length), { payloadType: payloadTypes[codec] })
    peer.timestamp = (timestamp + codecFacts[codec].clockRate / 50) >>> 0
  })
  encoder.free()
}

for (const codec of codecs) {
  const { clockRate, sampleRate } = codecFacts[codec]

  test(`${codec}: a prompt of 22,050 Hz is played whole, in its place, and ends when it is over`, async () => {
    const { opus, media, peer } = await alone(codec)
    const pcm = speechLike(22_050 * 2, 22_050, 17)
    const prompt = await prompts.load(prompts.writePcm(`p-${codec}.wav`, pcm, 22_050), codec)
    media.prompts.set('p', prompt)
    media.do({ type: 'play', session: 'a', play: 'x', source: { kind: 'file', path: 'p' }, loop: 1 })
    const begun = media.now
    while (media.take('played').length === 0 && media.now < begun + 5000) media.run(5)
    assert.ok(Math.abs(media.now - begun - 2000) <= 45, `${media.now - begun} ms`)
    const packets = peer.received()
    for (const [n, packet] of packets.entries()) {
      if (n > 0) assert.is((packet.timestamp - packets[n - 1]!.timestamp) >>> 0, clockRate / 50)
    }
    const wanted = resample(pcm, 22_050, 8000)
    const received = resample(receivedBy(peer, codec, opus), sampleRate, 8000)
    const { delay, likeness } = delayOf(wanted, received, 800, 2000, 12_000)
    assert.ok(likeness > 0.96, `${likeness.toFixed(3)}`)
    assert.ok(delay < 160, `${delay / 8} ms`)
    opus.close()
  })

  test(`${codec}: what a remote says is recorded at ${sampleRate} Hz`, async () => {
    const { opus, media, peer } = await alone(codec)
    const pcm = speechLike(24_000, 8000, 23)
    const rules = { silenceMs: 0, maxLengthMs: 60_000, trimSilence: false }
    media.do({ type: 'record', session: 'a', recording: 'r', path: 'file', rules })
    sayAll(media, peer, codec, pcm, opus)
    media.do({ type: 'stop-record', session: 'a', recording: 'r' })
    const [reported] = media.take('recorded')
    assert.ok(reported)
    assert.ok(Math.abs(reported.durationMs - 3000) <= 25, `${reported.durationMs} ms`)
    const file = media.recordings.get('file')
    assert.is(file?.sampleRate, sampleRate)
    const received = resample(Int16Array.from(file?.samples ?? []), sampleRate, 8000)
    const { likeness } = delayOf(pcm, received, 400, 4000, 12_000)
    assert.ok(likeness > 0.94, `${likeness.toFixed(3)}`)
    opus.close()
  })

  test(`${codec}: digits that come as tones are reported where no events were agreed on`, async () => {
    const { opus, media, peer } = await alone(codec, { sendEvents: undefined, acceptEvents: undefined })
    const parts = [...'40#D'].flatMap(digit => {
      const tone = dtmfTone(digit, 80)
      return tone === undefined ? [] : [...renderTone(tone, 8000), ...new Array<number>(800).fill(0)]
    })
    sayAll(media, peer, codec, Int16Array.from([...new Array<number>(1600).fill(0), ...parts]), opus)
    media.run(300)
    const reported = media.take('digit')
    assert.is(reported.map(({ digit }) => digit).join(''), '40#D')
    for (const { durationMs } of reported) assert.ok(Math.abs(durationMs - 80) <= 20, `${durationMs}`)
    opus.close()
  })
}

test('tones are no digits where events were agreed on', async () => {
  const { opus, media, peer } = await alone('PCMU')
  const tone = dtmfTone('7', 100)
  assert.ok(tone)
  sayAll(media, peer, 'PCMU', Int16Array.from([...renderTone(tone, 8000), ...new Array<number>(1600).fill(0)]), opus)
  assert.equal(media.take('digit'), [])
  opus.close()
})

test('in-band digits of a bridged leg: relayed, transcoded, and while the other leg plays a prompt', async () => {
  for (const other of ['PCMU', 'opus'] as const) {
    const opus = await WarmOpus.open(4)
    const media = new VirtualMedia({}, 7, opus)
    const { a } = bridged(talks('PCMU', { sendEvents: undefined, acceptEvents: undefined }), talks(other), media)
    const tone = dtmfTone('3', 100)
    assert.ok(tone)
    const press = Int16Array.from([...renderTone(tone, 8000), ...new Array<number>(3200).fill(0)])
    sayAll(media, a, 'PCMU', press, opus)
    const prompt = await prompts.load(prompts.writePcm(`long-${other}.wav`, sine(400, 8000 * 3, 8000), 8000), other)
    media.prompts.set('p', prompt)
    media.do({ type: 'play', session: 'b', play: 'x', source: { kind: 'file', path: 'p' }, loop: 1 })
    sayAll(media, a, 'PCMU', press, opus)
    const reported = media.take('digit')
    assert.equal(
      reported.map(({ session, digit }) => `${session}${digit}`),
      ['a3', 'a3'],
      other,
    )
    opus.close()
  }
})

test('a prompt goes on in another codec when a new agreement comes while it plays', async () => {
  const { opus, media, peer } = await alone('PCMU')
  const pcm = Int16Array.from({ length: 32_000 }, (_, i) =>
    Math.round(amplitudeOf(-12) * Math.sin((2 * Math.PI * (300 + i / 40) * i) / 8000)),
  )
  const path = prompts.writePcm('sweep.wav', pcm, 8000)
  for (const codec of codecs) media.prompts.set(`p ${codec}`, await prompts.load(path, codec))
  media.do({ type: 'play', session: 'a', play: 'x', source: { kind: 'file', path: 'p' }, loop: 1 })
  media.run(1000)
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000, talks('opus')), talk: false })
  media.run(1000)
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000, talks('G722')), talk: false })
  media.run(2200)
  assert.equal(
    media.take('played').map(({ completed }) => completed),
    [true],
  )
  const opusReceived = resample(receivedBy(peer, 'opus', opus), 16_000, 8000)
  const wideReceived = resample(receivedBy(peer, 'G722', opus), 16_000, 8000)
  const inOpus = delayOf(opusReceived.subarray(1600, 5600), pcm, 16_000, 0, 4000)
  const inWide = delayOf(wideReceived.subarray(1600, 5600), pcm, 24_000, 0, 4000)
  assert.ok(inOpus.likeness > 0.9 && inWide.likeness > 0.9, `${inOpus.likeness} ${inWide.likeness}`)
  // A second of each has passed, whatever was received of it.
  assert.ok(Math.abs(inOpus.delay - (8000 + 1600)) < 400, `${inOpus.delay}`)
  assert.ok(Math.abs(inWide.delay - (16_000 + 1600)) < 400, `${inWide.delay}`)
  opus.close()
})

test('a tone of the table is sent in G.722, and an idle leg sends silence in every codec', async () => {
  const wide = await alone('G722')
  wide.media.do({ type: 'play', session: 'a', play: 'x', source: { kind: 'tone', tone: 'beep' }, loop: 1 })
  wide.media.run(1000)
  assert.is(wide.media.take('played')[0]?.completed, true)
  const received = receivedBy(wide.peer, 'G722', wide.opus)
  assert.ok(levelAt(received, 800, 1600, 1000, 16_000) > -16)
  wide.opus.close()
  for (const codec of codecs) {
    const { opus, media, peer } = await alone(codec)
    media.do({ type: 'agree', session: 'a', agreement: agreed(4000, talks(codec)), talk: true })
    media.run(1000)
    assert.ok(peer.received().length >= 49, codec)
    const silence = receivedBy(peer, codec, opus)
    assert.ok(levelOf(silence, silence.length / 2, silence.length / 2) < -50, codec)
    opus.close()
  }
})

test('each prompt in G.722 begins at its own level, whatever was played before it', async () => {
  const { opus, media, peer } = await alone('G722', {})
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000, talks('G722')), talk: true })
  const tone = sine(1000, 16_000 * 0.3, 16_000, 8000)
  media.prompts.set('tone', await prompts.load(prompts.writePcm('tone-16.wav', tone, 16_000), 'G722'))
  media.prompts.set(
    'words',
    await prompts.load(prompts.writePcm('words-16.wav', speechLike(16_000, 16_000, 3), 16_000), 'G722'),
  )
  for (const [waitMs, path] of [
    [40, 'tone'],
    [600, 'tone'],
    [0, 'words'],
    [0, 'tone'],
    [0, 'tone'],
  ] as const) {
    media.run(waitMs)
    const before = peer.received().length
    media.do({ type: 'play', session: 'a', play: 'x', source: { kind: 'file', path }, loop: 1 })
    while (media.take('played').length === 0) media.run(5)
    const received = receivedBy(peer, 'G722', opus).subarray(before * 320)
    if (path === 'words') continue
    const from = received.findIndex(sample => Math.abs(sample) > 1000)
    const peaks = Array.from({ length: 12 }, (_, n) =>
      received
        .subarray(from + 320 * n, from + 320 * (n + 1))
        .reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0),
    )
    for (const peak of peaks) assert.ok(Math.abs(20 * Math.log10(peak / 8000)) < 1, `${waitMs} ms: ${peaks}`)
  }
  opus.close()
})

test('a recording goes on through a change of codec', async () => {
  const { opus, media, peer } = await alone('PCMU')
  const rules = { silenceMs: 0, maxLengthMs: 60_000, trimSilence: false }
  media.do({ type: 'record', session: 'a', recording: 'r', path: 'file', rules })
  const pcm = sine(440, 8000, 8000)
  for (const codec of ['PCMU', 'opus', 'G722', 'PCMA'] as const) {
    media.do({ type: 'agree', session: 'a', agreement: agreed(4000, talks(codec)), talk: false })
    peer.ssrc++
    sayAll(media, peer, codec, pcm, opus)
  }
  media.do({ type: 'stop-record', session: 'a', recording: 'r' })
  const [reported] = media.take('recorded')
  assert.ok(reported && Math.abs(reported.durationMs - 4000) < 250, `${reported?.durationMs}`)
  const samples = Int16Array.from(media.recordings.get('file')?.samples ?? [])
  for (const second of [0, 1, 2, 3]) {
    const level = levelAt(samples, second * 7900 + 2000, 4000, 440, 8000)
    assert.ok(level > -10, `second ${second}: ${level.toFixed(1)} dBm0`)
  }
  opus.close()
})

test('both sides of a conversation are recorded, whatever they speak', async () => {
  const opus = await WarmOpus.open(5)
  const media = new VirtualMedia({}, 7, opus)
  const { a } = bridged(talks('G722'), talks('opus'), media)
  const rules = { channels: 'dual', track: 'both', maxLengthMs: 60_000 } as const
  media.do({ type: 'record-session', session: 'b', recording: 'r', path: 'file', rules })
  const pcm = speechLike(24_000, 8000, 2)
  sayAll(media, a, 'G722', pcm, opus)
  media.do({ type: 'stop-record', session: 'b', recording: 'r' })
  const right = Int16Array.from((media.recordings.get('file')?.samples ?? []).filter((_, i) => i % 2 === 1))
  const { likeness, delay } = delayOf(pcm, right, 800, 4000, 12_000)
  assert.ok(likeness > 0.96, `${likeness}`)
  assert.ok(snrDb(pcm, right, delay, 4000, 16_000) > 10)
  opus.close()
})

test('no coder is left', () => assert.equal(prompts.lib.counters, { encoders: 0, decoders: 0, failed: 0 }))

test.run()
