import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pcmu } from '../../../rtp/index.ts'
import { DigitEvents } from '../../../rtp/receive/digit-events.ts'
import { renderTone } from '../../../rtp/tone/tone-source.ts'
import { dtmfTone } from '../../../rtp/tone/tones.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { frame, rtp } from '../bed/rtp-packet.ts'
import { bridged, type VirtualPeer } from '../bed/virtual-peer.ts'

const event = (digit: number, duration: number, end = false): Uint8Array =>
  Uint8Array.of(digit, (end ? 0x80 : 0) | 10, duration >> 8, duration & 0xff)

/** A remote that receives `KeyEvents`, and what is reported of it. */
const listened = () => {
  const reported: [what: 'down' | 'up', digit: string, began?: number][] = []
  const keys = new DigitEvents({
    digitDown: digit => reported.push(['down', digit]),
    digitUp: ({ digit }, began) => reported.push(['up', digit, began]),
  })
  const hear = (payload: Uint8Array, timestamp: number, now: number, clockRate = 8000): void =>
    keys.receive(rtp(payload, { timestamp }), payload.length, clockRate, now)
  return { reported, keys, hear }
}

test('a digit that begins while the end of the one before was lost is reported with its own beginning', () => {
  const { reported, hear } = listened()
  hear(event(1, 160), 1000, 0)
  hear(event(1, 800), 1000, 80)
  hear(event(2, 160), 3000, 260)
  hear(event(2, 800, true), 3000, 340)
  hear(event(2, 160), 5000, 500)
  hear(event(3, 400, true), 7000, 700)
  hear(event(3, 400, true), 7000, 700)
  assert.equal(reported, [
    ['down', '1'],
    ['up', '1', 1000],
    ['down', '2'],
    ['up', '2', 3000],
    ['down', '2'],
    ['up', '2', 5000],
    ['up', '3', 7000],
  ])
})

test('a digit that is held when another source or clock begins ends at once', () => {
  const { reported, keys, hear } = listened()
  hear(event(1, 160), 1000, 0)
  keys.reset(20)
  hear(event(2, 160), 9000, 40)
  hear(event(3, 960), 20_000, 60, 48_000)
  assert.equal(reported, [
    ['down', '1'],
    ['up', '1', 1000],
    ['down', '2'],
    ['up', '2', 9000],
    ['down', '3'],
  ])
})

test('whatever is lost, each digit begins and ends by itself, in order', () => {
  for (let seed = 1; seed <= 50; seed++) {
    const random = seeded(seed)
    const { reported, keys, hear } = listened()
    for (let press = 0; press < 40; press++) {
      const digit = Math.floor(4 * random())
      for (let n = 1; n <= 8; n++) {
        const now = press * 200 + n * 20
        keys.tick(now)
        if (random() < 0.4) continue
        hear(event(digit, 160 * Math.min(n, 6), n >= 6), press * 1600, now)
      }
    }
    keys.tick(1e6)
    const ups = reported.filter(([what]) => what === 'up').map(([, digit, began]) => [digit, began])
    for (const [i, [, began = 0]] of ups.entries()) {
      const before = i === 0 ? -1 : Number(ups[i - 1]?.[1])
      assert.ok(Number(began) > before, `seed ${seed}: ${began} is not later than ${before}`)
    }
    for (const [i, [what, digit]] of reported.entries()) {
      if (what === 'down') assert.equal(reported[i + 1]?.slice(0, 2), ['up', digit], `seed ${seed}: ${i}`)
    }
  }
})

const talkFor = (a: VirtualPeer, b: VirtualPeer, ms: number): void =>
  a.media.run(ms, now => {
    if (now % 20 !== 0) return
    a.say(frame(now))
    b.say(frame(now))
  })

test('a digit that is held long without audio meanwhile is one digit on the other leg too', () => {
  for (const ptimeAsked of [false, true]) {
    const { media, a, b } = bridged({}, ptimeAsked ? { ptimeAsked, ptimeMs: 30 } : {})
    talkFor(a, b, 400)
    const began = a.timestamp
    for (let duration = 160; duration <= 24_000; duration += 160) {
      a.say(event(5, duration, duration === 24_000), { payloadType: 101, timestamp: began, marker: duration === 160 })
      media.run(20)
    }
    const events = b.received().filter(({ payloadType }) => payloadType === 101)
    assert.is(events.length, 150)
    assert.is(new Set(events.map(({ timestamp }) => timestamp)).size, 1, 'one press')
    assert.is(events.filter(({ marker }) => marker).length, 1)
  }
})

test('comfort noise that goes on is not interrupted by silence of ours', () => {
  const { media, a, b } = bridged({ accept: [{ payloadType: 0, codec: 'PCMU' }], acceptNoise: 13 }, { sendNoise: 13 })
  talkFor(a, b, 400)
  const from = media.now
  media.run(3000, now => {
    if ((now - from) % 200 === 0) a.say(Uint8Array.of(60), { payloadType: 13 })
  })
  const received = b.received().filter(({ at }) => at > from + 20)
  assert.ok(received.length >= 14)
  assert.ok(received.every(({ payloadType }) => payloadType === 13))
})

test('a remote that takes tones receives that of a digit no longer than its source is there', () => {
  const { media, a, b } = bridged({}, { sendEvents: undefined as never })
  talkFor(a, b, 400)
  const began = a.timestamp
  for (let duration = 160; duration <= 800; duration += 160) {
    a.say(event(1, duration), { payloadType: 101, timestamp: began, marker: duration === 160 })
    media.run(20)
  }
  a.ssrc++
  const from = media.now + 200
  media.run(2000, now => {
    if (now % 20 === 0) a.say(new Uint8Array(160).fill(0xff))
  })
  assert.is(media.take('digit').length, 1)
  assert.ok(b.received().every(({ at, payload }) => at < from || payload.every(byte => byte === 0xff)))
})

for (const takes of ['events', 'events, packed again', 'tones'] as const) {
  test(`events with their own SSRC during audio are one digit each, for a remote that takes ${takes}`, () => {
    const repacked = takes === 'events, packed again' ? { ptimeAsked: true, ptimeMs: 30 } : {}
    const { media, a, b } = bridged({}, takes === 'tones' ? { sendEvents: undefined as never } : repacked)
    talkFor(a, b, 400)
    const ssrc = a.ssrc + 1
    let sequence = 100
    const pressed = [5, 5, 9]
    for (const [n, digit] of pressed.entries()) {
      for (let k = 1; k <= 14; k++) {
        a.say(frame(media.now))
        b.say(frame(media.now))
        const { sequence: own, timestamp } = a
        const payload = event(digit, 160 * Math.min(k, 6), k >= 6)
        const options = { payloadType: 101, ssrc, sequence: sequence++, timestamp: 77_000 + n * 3000, marker: k === 1 }
        if (k <= 8) a.say(payload, options)
        Object.assign(a, { sequence: own, timestamp })
        media.run(20)
      }
    }
    talkFor(a, b, 1000)
    assert.is(
      media
        .take('digit')
        .map(({ digit, durationMs }) => `${digit} ${durationMs}`)
        .join(),
      '5 120,5 120,9 120',
    )
    const received = b.received()
    const events = received.filter(({ payloadType }) => payloadType === 101)
    assert.is(events.length, takes === 'tones' ? 0 : 24)
    assert.is(new Set(events.map(({ timestamp }) => timestamp)).size, takes === 'tones' ? 0 : pressed.length)
    assert.is(events.filter(({ marker }) => marker).length, takes === 'tones' ? 0 : pressed.length)
    for (const [n, packet] of received.entries()) {
      if (n > 0) assert.is(packet.sequence, (received[n - 1]!.sequence + 1) & 0xffff, `packet ${n}`)
    }
  })
}

test('an in-band digit is held while its tone lasts, and reported when it has ended', () => {
  const { media, a, b } = bridged({ acceptEvents: undefined as never }, {})
  talkFor(a, b, 400)
  const onMs = 1000
  const tone = dtmfTone('7', onMs)
  assert.ok(tone)
  const sound = new Int16Array(8 * (onMs + 400))
  sound.set(renderTone(tone, 8000))
  const payload = new Uint8Array(sound.length)
  pcmu.encodeInto(payload, 0, sound, 0, sound.length)
  const from = media.now
  const reported: [what: string, at: number][] = []
  media.run(onMs + 400, now => {
    const at = now - from
    if (at % 20 === 0) a.say(payload.slice(8 * at, 8 * (at + 20)))
    for (const { digit } of media.take('key-down')) reported.push([`down ${digit}`, at])
    for (const { digit } of media.take('digit')) reported.push([`up ${digit}`, at])
  })
  assert.equal(
    reported.map(([what]) => what),
    ['down 7', 'up 7'],
  )
  const [[, down = 0] = [], [, up = 0] = []] = reported
  assert.ok(down <= 120, `down after ${down} ms`)
  assert.ok(up > onMs && up <= onMs + 120, `up after ${up} ms`)
})

/** A 7 of `onMs` as sound, 1 s after the first packet; nothing comes for a while, and then all of it together. */
const pressedThrough = (onMs: number, silentFrom: number, silentMs: number) => {
  const { media, a } = bridged({ acceptEvents: undefined as never }, {})
  const tone = dtmfTone('7', onMs)
  assert.ok(tone)
  const sound = new Int16Array(8 * 3000)
  sound.set(renderTone(tone, 8000), 8000)
  const payload = new Uint8Array(sound.length)
  pcmu.encodeInto(payload, 0, sound, 0, sound.length)
  const from = media.now
  let sent = 0
  media.run(2900, now => {
    const at = now - from
    if (at >= silentFrom && at < silentFrom + silentMs) return
    for (; sent <= at; sent += 20) a.say(payload.slice(8 * sent, 8 * (sent + 20)))
  })
  return media.take('digit').map(({ digit, durationMs }) => ({ digit, durationMs }))
}

for (const onMs of [50, 80, 120])
  test(`an in-band digit of ${onMs} ms is one, and as long, when the network holds its packets up in its midst`, () => {
    for (const silentMs of [20, 40, 60, 100, 160, 240, 400])
      for (let silentFrom = 970; silentFrom <= 1020 + onMs; silentFrom += 10) {
        const digits = pressedThrough(onMs, silentFrom, silentMs)
        const label = `nothing for ${silentMs} ms from ${silentFrom} on`
        assert.equal(
          digits.map(({ digit }) => digit),
          ['7'],
          label,
        )
        const { durationMs } = digits[0]!
        assert.ok(Math.abs(durationMs - onMs) <= 25, `${label}: ${durationMs} ms`)
      }
  })

test('an in-band digit in whose midst the remote falls silent for good ends after a second', () => {
  assert.equal(
    pressedThrough(500, 1200, 10_000).map(({ digit }) => digit),
    ['7'],
  )
})

test.run()
