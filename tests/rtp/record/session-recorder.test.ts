import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pcma } from '../../../rtp/codec/g711.ts'
import type { RecordRules } from '../../../rtp/contract/command.ts'
import { pcmu } from '../../../rtp/index.ts'
import { agreed } from '../bed/agreement.ts'
import { frame } from '../bed/rtp-packet.ts'
import { VirtualMedia } from '../bed/virtual-media.ts'
import { VirtualPeer } from '../bed/virtual-peer.ts'

const rules: RecordRules = { silenceMs: 0, maxLengthMs: 60_000, trimSilence: false }

const recorded = (changes: Partial<RecordRules> = {}) => {
  const media = new VirtualMedia()
  const peer = new VirtualPeer(media, 'a', 4000).open()
  const accept = [
    { payloadType: 0, codec: 'PCMU' },
    { payloadType: 8, codec: 'PCMA' },
  ] as const
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000, { accept }), talk: true })
  const start = () =>
    media.do({ type: 'record', session: 'a', recording: 'r', path: 'file', rules: { ...rules, ...changes } })
  const stop = () => media.do({ type: 'stop-record', session: 'a', recording: 'r' })
  const samples = () => media.recordings.get('file')!.samples
  return { media, peer, start, stop, samples }
}
const decoded = (bytes: Uint8Array, codec = pcmu): number[] => {
  const pcm = new Int16Array(bytes.length)
  codec.decodeInto(pcm, 0, bytes, 0, bytes.length)
  return [...pcm]
}
const loud = (n: number, length = 160) =>
  Uint8Array.from({ length }, (_, i) => ((n * 17 + i * 3) % 60) | ((i & 1) << 7))

for (const ptimeMs of [10, 20, 30, 40, 60, 80, 100, 120]) {
  test(`every sample of ${ptimeMs} ms packets, exact, and not one more`, () => {
    const { media, peer, start, stop, samples } = recorded()
    start()
    const sent: number[] = []
    const lengthMs = 1800 - (1800 % ptimeMs)
    let packets = 0
    media.run(3000, now => {
      if (now % ptimeMs !== 0 || packets >= lengthMs / ptimeMs) return
      const payload = frame(packets++, ptimeMs * 8)
      sent.push(...decoded(payload))
      peer.say(payload)
    })
    stop()
    assert.equal(samples(), sent)
    const event = media.take('recorded')[0]!
    assert.is(event.durationMs, lengthMs)
    assert.is(event.sizeBytes, 44 + 16 * lengthMs)
    assert.is(event.endedBy, 'stopped')
  })
}

test('jitter and disorder change nothing', () => {
  const { media, peer, start, stop, samples } = recorded()
  start()
  const sent: number[] = []
  const due: { at: number; n: number }[] = []
  for (let n = 0; n < 150; n++) {
    due.push({ at: 1100 + n * 20 + Math.floor(media.random() * 60), n })
    sent.push(...decoded(frame(n)))
  }
  media.run(4000, now => {
    for (const { n } of due.filter(({ at }) => at > now - 5 && at <= now)) {
      peer.say(frame(n), { sequence: (65_500 + n) & 0xffff, timestamp: (4_294_966_000 + n * 160) >>> 0 })
    }
  })
  stop()
  assert.is(samples().length, sent.length)
  assert.equal(samples(), sent)
})

test('packets that come up to 0.2 s late lie where they belong, exact, and those around them', () => {
  const { media, peer, start, stop, samples } = recorded()
  start()
  const sent: number[] = []
  const due: { at: number; n: number }[] = []
  for (let n = 0; n < 150; n++) {
    due.push({ at: 1100 + n * 20 + (n % 25 === 20 ? 70 + n : 0), n })
    sent.push(...decoded(loud(n)))
  }
  media.run(4400, now => {
    for (const { n } of due.filter(({ at }) => at > now - 5 && at <= now))
      peer.say(loud(n), { sequence: 100 + n, timestamp: 1000 + n * 160 })
  })
  stop()
  assert.equal(samples(), sent)
})

test('lost packets are concealed in their place, all others stay exact', () => {
  const { media, peer, start, stop, samples } = recorded()
  start()
  const sent: number[] = []
  let n = 0
  media.run(1000, now => {
    if (now % 20 !== 0 || n >= 40) return
    const payload = loud(n)
    sent.push(...decoded(payload))
    if (n % 10 === 5) {
      peer.sequence = (peer.sequence + 1) & 0xffff
      peer.timestamp += 160
    } else peer.say(payload)
    n++
  })
  stop()
  const got = samples()
  assert.is(got.length, sent.length)
  for (let i = 0; i < 40; i++) {
    const frameOf = (pcm: number[]) => pcm.slice(i * 160, (i + 1) * 160)
    if (i % 10 === 5)
      assert.ok(
        frameOf(got).some(sample => sample !== 0),
        'concealed',
      )
    else assert.equal(frameOf(got), frameOf(sent))
  }
})

test('a pause of the sender is silence of its length, by its timestamps', () => {
  const { media, peer, start, stop, samples } = recorded()
  start()
  const speak = (packets: number) => {
    let left = packets
    media.run(packets * 20, now => {
      if (now % 20 === 0 && left-- > 0) peer.say(loud(left))
    })
  }
  speak(25)
  media.run(2000)
  peer.timestamp += 16_000
  speak(25)
  media.run(300)
  stop()
  assert.is(samples().length, 50 * 160 + 16_000)
  assert.ok(
    samples()
      .slice(25 * 160, 25 * 160 + 16_000)
      .every(sample => sample === 0),
  )
})

test('a sender that starts again is placed by the clock', () => {
  const { media, peer, start, stop, samples } = recorded()
  start()
  let n = 0
  const speak = (ms: number) =>
    media.run(ms, now => {
      if (now % 20 === 0) peer.say(loud(n++))
    })
  speak(500)
  media.run(1000)
  peer.ssrc = 5
  peer.timestamp = 77
  peer.sequence = 3
  speak(500)
  media.run(300)
  stop()
  assert.ok(Math.abs(samples().length - 16_000) <= 8 * 60, `${samples().length / 8} ms`)
})

test('ends by silence, by length, and when nothing comes at all', () => {
  const silent = recorded({ silenceMs: 1000 })
  silent.start()
  let n = 0
  silent.media.run(4000, now => {
    if (now % 20 === 0) silent.peer.say(n++ < 50 ? loud(n) : new Uint8Array(160).fill(0xff))
  })
  const [ended] = silent.media.take('recorded')
  assert.is(ended?.endedBy, 'silence')
  assert.ok(Math.abs(ended!.durationMs - 2000) <= 20, `${ended?.durationMs}`)

  const long = recorded({ maxLengthMs: 1500 })
  long.start()
  long.media.run(3000, now => {
    if (now % 20 === 0) long.peer.say(loud(now))
  })
  const [full] = long.media.take('recorded')
  assert.is(full?.endedBy, 'max-length')
  assert.is(full?.durationMs, 1500)

  const stopped = recorded({ silenceMs: 2000 })
  stopped.start()
  stopped.media.run(1000, now => {
    if (now % 20 === 0) stopped.peer.say(loud(now))
  })
  stopped.media.run(3000)
  const [quiet] = stopped.media.take('recorded')
  assert.is(quiet?.endedBy, 'silence')
  assert.is(quiet?.durationMs, 1000)

  const nothing = recorded({ maxLengthMs: 2000 })
  nothing.start()
  nothing.media.run(4000)
  const [empty] = nothing.media.take('recorded')
  assert.is(empty?.endedBy, 'max-length')
  assert.is(empty?.durationMs, 0)
})

test('trimmed: silence before and after goes, what is between stays', () => {
  const { media, peer, start, stop, samples } = recorded({ trimSilence: true })
  start()
  let n = 0
  const quiet = new Uint8Array(160).fill(0xff)
  media.run(4000, now => {
    if (now % 20 === 0) peer.say(n < 50 || n >= 100 ? quiet : loud(n))
    if (now % 20 === 0) n++
  })
  stop()
  const expected = Array.from({ length: 50 }, (_, i) => decoded(loud(i + 50))).flat()
  const lead = samples().length - expected.length - 800
  assert.ok(lead >= 0 && lead <= 800, `${lead / 8} ms before the first sound`)
  assert.equal(samples().slice(lead, -800), expected)
})

for (const silentMs of [500, 1500, 2900, 5000]) {
  test(`trimmed: ${silentMs} ms of silence before the first word count for the longest length`, () => {
    const { media, peer, start, samples } = recorded({ trimSilence: true, maxLengthMs: 3000 })
    media.run(10)
    start()
    let lastedMs = 0
    media.run(6000, now => {
      if (media.events.some(({ type }) => type === 'recorded')) return
      lastedMs += 5
      if (now % 20 === 0) peer.say(lastedMs < silentMs ? new Uint8Array(160).fill(0xff) : loud(now / 20))
    })
    const event = media.take('recorded')[0]!
    assert.is(event.endedBy, 'max-length')
    assert.ok(Math.abs(lastedMs - 3000) <= 100, `ended after ${lastedMs} ms`)
    const kept = silentMs < 3000 ? 3000 - silentMs + 100 : 0
    assert.ok(Math.abs(event.durationMs - kept) <= 40, `${event.durationMs} ms are kept`)
    assert.is(samples().length, event.durationMs * 8)
  })
}

test('the digit that ends a recording is not part of it, nor is what follows', () => {
  const { media, peer, start, stop, samples } = recorded()
  start()
  const sent: number[] = []
  let n = 0
  media.run(1000, now => {
    if (now % 20 !== 0) return
    const payload = frame(n++)
    sent.push(...decoded(payload))
    peer.say(payload)
  })
  const began = peer.timestamp
  for (let i = 1; i <= 10; i++) {
    const end = i >= 8
    const duration = Math.min(i, 8) * 160
    peer.say(Uint8Array.of(11, end ? 0x8a : 10, duration >> 8, duration & 255), { payloadType: 101, timestamp: began })
    media.run(20)
  }
  assert.is(media.take('digit')[0]?.digit, '#')
  peer.timestamp = began + 1280
  peer.say(loud(1))
  media.run(20)
  stop()
  assert.equal(samples(), sent)
})

test('A-law, and a change of codec in the middle', () => {
  const { media, peer, start, stop, samples } = recorded()
  start()
  let n = 0
  media.run(1000, now => {
    if (now % 20 !== 0) return
    peer.say(frame(n), { payloadType: n < 25 ? 8 : 0 })
    n++
  })
  media.run(200)
  stop()
  const expected = Array.from({ length: n }, (_, i) => decoded(frame(i), i < 25 ? pcma : pcmu)).flat()
  assert.equal(samples(), expected)
})

test('closing the leg ends its recording first', () => {
  const { media, peer, start } = recorded()
  start()
  media.run(500, now => {
    if (now % 20 === 0) peer.say(loud(now))
  })
  media.do({ type: 'close', session: 'a' })
  assert.equal(
    media.events.filter(({ type }) => type !== 'opened').map(({ type }) => type),
    ['recorded', 'closed'],
  )
  assert.is(media.take('recorded')[0]?.endedBy, 'closed')
  assert.is(media.recordings.get('file')?.samples.length, 25 * 160)
})

test('recordings tap both legs of a bridge, and see neither leg’s other side', () => {
  const { media, peer, start, stop, samples } = recorded()
  const b = new VirtualPeer(media, 'b', 5000).open()
  media.do({
    type: 'agree',
    session: 'b',
    agreement: agreed(5000, { codec: 'PCMA', payloadType: 8, accept: [{ payloadType: 8, codec: 'PCMA' }] }),
    talk: true,
  })
  media.do({ type: 'bridge', session: 'a', other: 'b' })
  start()
  media.do({ type: 'record', session: 'b', recording: 'rb', path: 'other', rules })
  let n = 0
  media.run(1000, now => {
    if (now % 20 !== 0) return
    peer.say(frame(n))
    b.say(frame(n + 500), { payloadType: 8 })
    n++
  })
  stop()
  media.do({ type: 'stop-record', session: 'b', recording: 'rb' })
  assert.equal(samples(), Array.from({ length: n }, (_, i) => decoded(frame(i))).flat())
  assert.equal(
    media.recordings.get('other')?.samples,
    Array.from({ length: n }, (_, i) => decoded(frame(i + 500), pcma)).flat(),
  )
})

test.run()
