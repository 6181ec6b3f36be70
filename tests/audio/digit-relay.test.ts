import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type AudioCodecName, codecFacts } from '../../rtp/codec/codec-name.ts'
import { resample } from '../../rtp/index.ts'
import { renderTone } from '../../rtp/tone/tone-source.ts'
import { dtmfTone } from '../../rtp/tone/tones.ts'
import { speechLike } from '../rtp/bed/audio-measure.ts'
import { alone, conversation, type Talker } from '../rtp/bed/talker.ts'
import type { VirtualMedia } from '../rtp/bed/virtual-media.ts'
import type { VirtualPeer } from '../rtp/bed/virtual-peer.ts'
import { eventOf, eventsIn, eventType, named, noEvents, tonesIn, withEvents } from './key-press.ts'

const digits = '5#5D'
const pressMs = 120
const pauseMs = 160

/** Numbers without a hole; times that grow by what is sent, with the clock of the wall. */
const isInTime = (peer: VirtualPeer, unitsPerMs: number) => {
  const packets = peer.received()
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

/** Speaks, and sends the digits in its manner. */
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
        peer.say(eventOf(digit, k >= frames, duration), { payloadType: eventType, timestamp: begun, marker: k === 1 })
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
    const reported = media.take('digit').filter(({ session }) => session === 'a')
    assert.is(named(reported), source === 'INFO' ? '' : digits)
    assert.is(media.take('digit').length, 0, 'nobody pressed on the other side')
    isInTime(two.peer, codecFacts[to].clockRate / 1000)
    media.do({ type: 'close', session: 'a' })
    media.do({ type: 'close', session: 'b' })
    opus.close()
  })
}

for (const codec of ['PCMU', 'PCMA', 'G722', 'opus'] as const) {
  test(`${codec} without telephone-events: digits that are to be sent go out as tones, then the end is reported`, async () => {
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

for (const wants of ['events', 'tones'] as const) {
  test(`forty digits that arrive by INFO faster than digits are sent all go out as ${wants}`, async () => {
    const { media, opus, one } = await alone('PCMU', wants === 'events' ? withEvents('PCMU') : noEvents)
    const keys = '1234567890*#ABCD987654321012345678901234'
    for (const digit of keys) {
      media.do({ type: 'send-digits', session: 'a', digitsId: 'info', digits: digit })
      media.run(100)
    }
    media.run(keys.length * 180)
    assert.is(named(wants === 'events' ? eventsIn(one.peer, 8000) : tonesIn(one)), keys)
    assert.is(media.take('digits-sent').length, keys.length)
    opus.close()
  })
}

for (const [from, to] of [
  ['PCMU', 'PCMU'],
  ['G722', 'PCMA'],
] as const) {
  test(`${from} to ${to}: fast digits, sent as events and tones at the same time, each go out once as a tone`, async () => {
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
        // A packet describes the 20 ms before it.
        const lasted = ms - begins[n]!
        if (lasted <= 0 || lasted > onMs + 40) continue
        const duration = Math.min(lasted, onMs) * 8
        const timestamp = (epoch + begins[n]! * 8) >>> 0
        one.peer.say(eventOf(digit, lasted >= onMs, duration), {
          payloadType: eventType,
          timestamp,
          marker: lasted === 20,
        })
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

test.run()
