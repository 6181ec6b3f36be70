import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type AudioCodecName, codecFacts } from '../../rtp/codec/codec-name.ts'
import type { Agreement } from '../../rtp/engine/command.ts'
import { DigitReceiver, dtmfTone, InbandDetector, renderTone, resample } from '../../rtp/index.ts'
import { speechLike } from '../rtp/audio-measure.ts'
import { alone, conversation, type Talker } from '../rtp/talker.ts'
import type { VirtualMedia } from '../rtp/virtual-media.ts'
import type { VirtualPeer } from '../rtp/virtual-peer.ts'

const digits = '5#5D'
const pressMs = 120
const pauseMs = 160
const eventType = 101

/** How a far end sends digits, or wants them. */
const noEvents: Partial<Agreement> = { sendEvents: undefined, acceptEvents: undefined }
const withEvents = (codec: AudioCodecName): Partial<Agreement> => ({
  sendEvents: eventType,
  acceptEvents: eventType,
  eventClockRate: codecFacts[codec].clockRate,
})

/** The digits in telephone-events, and how long each lasted. */
const eventsIn = (peer: VirtualPeer, clockRate: number) => {
  const receiver = new DigitReceiver({ clockRate })
  const pressed: { digit: string; durationMs: number }[] = []
  for (const { payloadType, payload, timestamp, marker, at } of peer.heard()) {
    if (payloadType !== eventType) continue
    receiver.push(payload, 0, payload.length, timestamp, marker, at)
    for (let press = receiver.take(); press !== undefined; press = receiver.take()) pressed.push(press)
  }
  return pressed
}
/** The digits that a detector finds in what is heard. */
const tonesIn = (talker: Talker) => {
  const pcm = talker.heard()
  const detector = new InbandDetector(talker.rate)
  const pressed: { digit: string; durationMs: number }[] = []
  for (let at = 0; at < pcm.length; at += 160) {
    const press = detector.hear(pcm, at, Math.min(160, pcm.length - at))
    if (press !== undefined) pressed.push(press)
  }
  return pressed
}
const named = (presses: readonly { digit: string }[]) => presses.map(({ digit }) => digit).join('')

/** Numbers without a hole; times that grow by what is sent, with the clock of the wall. */
const isInTime = (peer: VirtualPeer, unitsPerMs: number) => {
  const packets = peer.heard()
  const audio = packets.filter(({ payloadType }) => payloadType !== eventType)
  for (const [n, packet] of packets.entries()) {
    if (n > 0) assert.is(packet.sequence, (packets[n - 1]!.sequence + 1) & 0xffff, `packet ${n}`)
  }
  for (const [n, packet] of audio.entries()) {
    const before = audio[n - 1]
    if (before === undefined) continue
    const passed = ((packet.timestamp - before.timestamp) >>> 0) / unitsPerMs
    assert.ok(passed > 0 && Math.abs(passed - (packet.at - before.at)) <= 20, `frame ${n}: ${passed} ms`)
  }
}

const toneOf = (digit: string, rate: number): Int16Array => {
  const tone = dtmfTone(digit, pressMs)
  assert.ok(tone)
  return resample(renderTone(tone, 8000), 8000, rate)
}

type Source = 'events' | 'events and tones' | 'tones' | 'INFO'

/** Speaks, and presses the digits in its manner. */
const pressAll = (media: VirtualMedia, one: Talker, two: Talker, source: Source): void => {
  const { peer, rate } = one
  const units = codecFacts[one.codec].clockRate / 50
  const speech = speechLike(rate * 4, rate, 5, 2000)
  const frames = pressMs / 20
  let n = 0
  const speak = (ms: number) =>
    media.run(ms, now => {
      if (now % 20 !== 0) return
      one.say(one.frame(speech, n++))
      two.say(two.frame(new Int16Array(two.rate / 50), 0))
    })
  const press = (digit: string) => {
    if (source === 'INFO') {
      media.do({ type: 'send-digits', session: 'b', digitsId: 'info', digits: digit })
      speak(pressMs)
      return
    }
    const tone = toneOf(digit, rate)
    const code = '0123456789*#ABCD'.indexOf(digit)
    const begun = peer.timestamp
    let k = 0
    media.run(pressMs + 60, now => {
      if (now % 20 !== 0) return
      two.say(two.frame(new Int16Array(two.rate / 50), 0))
      const { timestamp } = peer
      const payload = one.frame(tone, k)
      k++
      if (source !== 'events') {
        if (k <= frames) one.say(payload)
        else one.say(one.frame(new Int16Array(rate / 50), 0))
      }
      if (source !== 'tones' && k <= frames + 2) {
        const duration = Math.min(k, frames) * units
        const event = Uint8Array.of(code, (k >= frames ? 0x80 : 0) | 10, duration >> 8, duration & 0xff)
        peer.say(event, { payloadType: eventType, timestamp: begun, marker: k === 1 })
      }
      peer.timestamp = (timestamp + units) >>> 0
    })
  }
  speak(200)
  for (const digit of digits) {
    press(digit)
    speak(pauseMs)
  }
  speak(700)
}

interface Row {
  readonly from: AudioCodecName
  readonly source: Source
  readonly to: AudioCodecName
  readonly wants: 'events' | 'tones'
}

const rows: readonly Row[] = (['events', 'events and tones', 'tones', 'INFO'] as const).flatMap(source =>
  (['events', 'tones'] as const).flatMap(wants =>
    (
      [
        ['PCMU', 'PCMU'],
        ['PCMU', 'PCMA'],
        ['PCMA', 'G722'],
        ['G722', 'G722'],
        ['PCMU', 'opus'],
        ['opus', 'PCMA'],
        ['opus', 'opus'],
      ] as const
    ).map(([from, to]) => ({ from, source, to, wants })),
  ),
)

for (const { from, source, to, wants } of rows) {
  test(`${from} with ${source} to ${to} that wants ${wants}: each digit once`, async () => {
    const hasEvents = source === 'events' || source === 'events and tones'
    const { media, opus, one, two } = await conversation(
      from,
      to,
      wants === 'events' ? withEvents(to) : noEvents,
      hasEvents ? withEvents(from) : noEvents,
    )
    pressAll(media, one, two, source)
    const events = eventsIn(two.peer, codecFacts[to].clockRate)
    const tones = tonesIn(two)
    assert.is(named(events), wants === 'events' ? digits : '')
    assert.is(named(tones), wants === 'tones' ? digits : '')
    if (wants === 'tones') {
      const expected = source === 'INFO' ? 160 : pressMs
      for (const { digit, durationMs } of tones)
        assert.ok(Math.abs(durationMs - expected) <= 40, `${digit} lasts ${durationMs} ms`)
    }
    const told = media.take('digit').filter(({ session }) => session === 'a')
    assert.is(named(told), source === 'INFO' ? '' : digits)
    assert.is(media.take('digit').length, 0, 'nobody pressed on the other side')
    isInTime(two.peer, codecFacts[to].clockRate / 1000)
    media.do({ type: 'close', session: 'a' })
    media.do({ type: 'close', session: 'b' })
    opus.close()
  })
}

for (const codec of ['PCMU', 'PCMA', 'G722', 'opus'] as const) {
  test(`${codec} without telephone-events: an order of digits is heard as tones, then told`, async () => {
    const { media, opus, one } = await alone(codec, noEvents)
    media.run(200)
    media.do({ type: 'send-digits', session: 'a', digitsId: 'd', digits: '0123w456789*#ABCD' })
    media.run(16 * 260 + 450)
    assert.equal(media.take('digits-sent'), [])
    media.run(300)
    assert.is(media.take('digits-sent').length, 1)
    const tones = tonesIn(one)
    assert.is(named(tones), '0123456789*#ABCD')
    for (const { digit, durationMs } of tones) assert.ok(Math.abs(durationMs - 160) <= 12, `${digit}: ${durationMs} ms`)
    isInTime(one.peer, codecFacts[codec].clockRate / 1000)
    opus.close()
  })
}

test('a key that is held down sounds as long as it is down, whatever is lost of its end', async () => {
  for (const lost of ['nothing', 'the end', 'all but the end'] as const) {
    const { media, opus, one, two } = await conversation('PCMU', 'PCMU', noEvents, withEvents('PCMU'))
    media.run(400, now => {
      if (now % 20 === 0) one.say(one.frame(new Int16Array(160), 0))
    })
    const begun = one.peer.timestamp
    let k = 0
    media.run(1240, now => {
      if (now % 20 !== 0) return
      k++
      const isEnd = k >= 50
      const isLost = lost === 'the end' ? isEnd : lost === 'all but the end' && !isEnd
      if (k > 52 || isLost) return
      const duration = Math.min(k, 50) * 160
      const payload = Uint8Array.of(7, (isEnd ? 0x80 : 0) | 10, duration >> 8, duration & 0xff)
      one.peer.say(payload, { payloadType: eventType, timestamp: begun, marker: k === 1 })
    })
    media.run(3000)
    const [press, ...more] = tonesIn(two)
    assert.equal(more, [], lost)
    assert.ok(press)
    assert.is(press.digit, '7', lost)
    // Without its end it lasts until it is clear that none comes.
    const least = 1000
    const most = lost === 'the end' ? 1560 : 1040
    assert.ok(press.durationMs >= least - 20 && press.durationMs <= most, `${lost}: ${press.durationMs} ms`)
    opus.close()
  }
})

for (const [from, to] of [
  ['PCMU', 'PCMU'],
  ['G722', 'PCMA'],
] as const) {
  test(`${from} to ${to}: keys that follow fast, sent as events and tones at once, are each heard once as tones`, async () => {
    const { media, opus, one, two } = await conversation(from, to, noEvents, withEvents(from))
    const pressed: readonly (readonly [key: string, onMs: number])[] = [
      ['5', 60],
      ['9', 60],
      ['D', 400],
      ['#', 1000],
      ['#', 100],
    ]
    const offMs = 60
    const sound = pressed.flatMap(([digit, onMs]) => {
      const tone = dtmfTone(digit, onMs)
      assert.ok(tone)
      return [...resample(renderTone(tone, 8000), 8000, one.rate), ...new Int16Array((one.rate * offMs) / 1000)]
    })
    const pcm = Int16Array.from([...new Int16Array(one.rate / 5), ...sound])
    const begins = pressed.map((_, n) => 200 + pressed.slice(0, n).reduce((sum, [, onMs]) => sum + onMs + offMs, 0))
    const epoch = one.peer.timestamp
    let ms = 0
    media.run(4500, now => {
      if (now % 20 !== 0) return
      one.peer.timestamp = (epoch + ms * 8) >>> 0
      one.say(one.frame(pcm.subarray(0, (one.rate * Math.max(0, ms + 20)) / 1000), ms / 20))
      for (const [n, [digit, onMs]] of pressed.entries()) {
        // A packet tells of the 20 ms before it.
        const lasted = ms - begins[n]!
        if (lasted <= 0 || lasted > onMs + 40) continue
        const duration = Math.min(lasted, onMs) * 8
        const code = '0123456789*#ABCD'.indexOf(digit)
        const event = Uint8Array.of(code, (lasted >= onMs ? 0x80 : 0) | 10, duration >> 8, duration & 0xff)
        const timestamp = (epoch + begins[n]! * 8) >>> 0
        one.peer.say(event, { payloadType: eventType, timestamp, marker: lasted === 20 })
      }
      ms += 20
    })
    const tones = tonesIn(two)
    assert.is(named(tones), '59D##')
    for (const [n, [digit, onMs]] of pressed.entries()) {
      assert.ok(Math.abs(tones[n]!.durationMs - onMs) <= 45, `${digit} lasts ${tones[n]!.durationMs} ms`)
    }
    opus.close()
  })
}

test('words that are said while a key is down go on byte for byte, but for its first 60 ms', async () => {
  const { media, opus, one, two } = await conversation('PCMU', 'PCMU', withEvents('PCMU'), withEvents('PCMU'))
  const speech = speechLike(16_000, 8000, 6)
  const said: Uint8Array[] = []
  const downAt = 20
  let begun = 0
  media.run(2000, now => {
    if (now % 20 !== 0) return
    const n = said.length
    said.push(one.frame(speech, n))
    one.say(said[n]!)
    if (n === downAt) begun = one.peer.timestamp
    const k = n - downAt + 1
    if (k < 1 || k > 42) return
    const { timestamp } = one.peer
    const duration = Math.min(k, 40) * 160
    const event = Uint8Array.of(5, (k >= 40 ? 0x80 : 0) | 10, duration >> 8, duration & 0xff)
    one.peer.say(event, { payloadType: eventType, timestamp: begun, marker: k === 1 })
    one.peer.timestamp = timestamp
  })
  assert.is(named(eventsIn(two.peer, 8000)), '5')
  const heard = new Set(two.peer.heard().map(({ payload }) => payload.join()))
  const missing = said.flatMap((payload, n) => (heard.has(payload.join()) ? [] : [n]))
  assert.ok(missing.length <= 3 && missing.every(n => n > downAt && n <= downAt + 3), missing.join())
  opus.close()
})

test('a key that is down when a prompt begins ends as it comes up', async () => {
  const { media, opus, one, two } = await conversation('PCMU', 'PCMU', noEvents, withEvents('PCMU'))
  media.run(200, now => {
    if (now % 20 === 0) one.say(one.frame(new Int16Array(160), 0))
  })
  const begun = one.peer.timestamp
  const tell = (isEnd: boolean, duration: number) => {
    const payload = Uint8Array.of(3, (isEnd ? 0x80 : 0) | 10, duration >> 8, duration & 0xff)
    one.peer.say(payload, { payloadType: eventType, timestamp: begun, marker: duration === 160 })
  }
  tell(false, 160)
  media.run(60)
  media.do({ type: 'play', session: 'b', play: 'p', source: { kind: 'tone', tone: 'beep' }, loop: 3 })
  media.run(60)
  tell(true, 1120)
  media.run(3000)
  const [press, ...more] = tonesIn(two)
  assert.ok(press)
  assert.is(press.digit, '3')
  assert.ok(press.durationMs < 250, `${press.durationMs} ms`)
  assert.equal(more, [])
  opus.close()
})

test('a leg that leaves with its key down leaves no tone behind', async () => {
  const { media, opus, one, two } = await conversation('PCMU', 'PCMU', noEvents, withEvents('PCMU'))
  media.run(200, now => {
    if (now % 20 === 0) one.say(one.frame(new Int16Array(160), 0))
  })
  one.peer.say(Uint8Array.of(3, 10, 0, 160), { payloadType: eventType, marker: true })
  media.run(200)
  media.do({ type: 'close', session: 'a' })
  media.run(2000)
  const [press, ...more] = tonesIn(two)
  assert.ok(press)
  assert.is(press.digit, '3')
  assert.ok(press.durationMs < 300, `${press.durationMs} ms`)
  assert.equal(more, [])
  opus.close()
})

test.run()
