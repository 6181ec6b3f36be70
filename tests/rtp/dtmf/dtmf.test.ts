import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { DigitReceiver, type ReceivedDigit } from '../../../rtp/dtmf/digit-receiver.ts'
import { DigitSender, type DigitSenderConfig } from '../../../rtp/dtmf/digit-sender.ts'
import {
  digitsByEvent,
  durationOf,
  eventOf,
  eventOfDigit,
  isEnd,
  volumeOf,
  writeEvent,
} from '../../../rtp/dtmf/event-payload.ts'
import {
  isRtp,
  markerOf,
  payloadLengthOf,
  payloadOffsetOf,
  payloadTypeOf,
  timestampOf,
} from '../../../rtp/packet/header.ts'
import { type Captured, keyCapture, pressOf } from '../../fixtures/captures.ts'
import { corpusFiles, testBeside } from '../../fixtures/inputs.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { readPcap } from '../bed/pcap.ts'

interface Sent {
  readonly tick: number
  readonly timestamp: number
  readonly marker: boolean
  readonly event: number
  readonly end: boolean
  readonly duration: number
  readonly payload: Uint8Array
}

const send = (digits: string, config: DigitSenderConfig = {}, clock = { now: 0xffff_fe00 }): Sent[] => {
  const sender = new DigitSender(config)
  sender.enqueue(digits)
  const step = ((config.clockRate ?? 8000) * (config.ptimeMs ?? 20)) / 1000
  const sent: Sent[] = []
  for (let tick = 0; sender.busy; tick++) {
    const payload = new Uint8Array(4)
    assert.ok(tick < 10_000, 'the sender comes to an end')
    if (sender.nextInto(payload, 0, clock.now) > 0)
      sent.push({
        tick,
        timestamp: sender.timestamp,
        marker: sender.marker,
        event: eventOf(payload, 0),
        end: isEnd(payload, 0),
        duration: durationOf(payload, 0),
        payload,
      })
    clock.now = (clock.now + step) >>> 0
  }
  return sent
}

const takeAll = (receiver: DigitReceiver): ReceivedDigit[] => {
  const presses: ReceivedDigit[] = []
  for (let press = receiver.take(); press !== undefined; press = receiver.take()) presses.push(press)
  return presses
}
const text = (presses: readonly ReceivedDigit[]): string => presses.map(press => press.digit).join('')

const hear = (sent: readonly Sent[], receiver = new DigitReceiver(), everyMs = 20): ReceivedDigit[] => {
  for (const one of sent) receiver.push(one.payload, 0, 4, one.timestamp, one.marker, one.tick * everyMs)
  receiver.timeout(1e9)
  return takeAll(receiver)
}

test('a digit: same timestamp, growing duration, marker first, end three times (RFC 4733 §2.5.1)', () => {
  const sent = send('5', { digitMs: 100, volume: 7 })
  assert.is(sent.length, 5 + 2)
  assert.equal(new Set(sent.map(one => one.timestamp)), new Set([0xffff_fe00]))
  assert.equal(
    sent.map(one => one.duration),
    [160, 320, 480, 640, 800, 800, 800],
  )
  assert.equal(
    sent.map(one => one.marker),
    [true, false, false, false, false, false, false],
  )
  assert.equal(
    sent.map(one => one.end),
    [false, false, false, false, true, true, true],
  )
  assert.is(
    sent.every(one => one.event === 5 && volumeOf(one.payload, 0) === 7),
    true,
  )
})

test('digits are apart by their gap, w is half a second, others are left out', () => {
  const sender = new DigitSender()
  assert.is(sender.enqueue('1x w2-'), 3)
  assert.is(sender.enqueue('9'.repeat(300)), 253)
  const sent = send('1w2', { digitMs: 100, gapMs: 100 })
  assert.is(sent[6]?.tick, 6)
  // five ticks of sound, five of gap (two of which repeat the end), 25 of pause
  assert.is(sent[7]?.tick, 5 + 5 + 25)
  assert.is(send('11', { digitMs: 100, gapMs: 100 })[7]?.tick, 10)
  assert.is(sent[7]?.marker, true)
  assert.is(sent[7]?.event, 2)
})

test('cancel ends the present digit properly and drops the others', () => {
  const sender = new DigitSender({ digitMs: 1000 })
  sender.enqueue('123')
  const payload = new Uint8Array(4)
  const ends: boolean[] = []
  for (let tick = 0; sender.busy; tick++) {
    if (tick === 3) sender.cancel()
    if (sender.nextInto(payload, 0, tick * 160) > 0) ends.push(isEnd(payload, 0))
  }
  assert.equal(ends, [false, false, false, true, true, true])
})

test('a digit of 20 s is sent in segments that follow each other (RFC 4733 §2.5.1.3), and is one digit', () => {
  const sent = send('8', { digitMs: 20_000 })
  const segments = [...new Set(sent.map(one => one.timestamp))]
  assert.equal(
    segments.map(at => (at - segments[0]!) >>> 0),
    [0, 0xffff, 2 * 0xffff],
  )
  assert.is(sent.filter(one => one.marker).length, 1)
  assert.equal(
    sent.filter(one => one.end).map(one => one.timestamp),
    [segments[2], segments[2], segments[2]],
  )
  for (const segment of segments.slice(0, 2))
    assert.is(sent.filter(one => one.timestamp === segment).at(-1)?.duration, 0xffff)
  const presses = hear(sent)
  assert.is(text(presses), '8')
  assert.ok(Math.abs(presses[0]!.durationMs - 20_000) <= 40, `${presses[0]!.durationMs}`)
})

test('every digit, ptime and clock rate comes through once, with its duration', () => {
  for (const ptimeMs of [10, 20, 30, 40, 60])
    for (const clockRate of [8000, 16_000, 48_000]) {
      const sent = send(digitsByEvent, { ptimeMs, clockRate, digitMs: 240 })
      const presses = hear(sent, new DigitReceiver({ clockRate }), ptimeMs)
      assert.is(text(presses), digitsByEvent)
      assert.is(
        presses.every(press => press.durationMs === 240),
        true,
      )
    }
})

test('the same digit twice is two digits; loss, repeats and reordering change neither number nor order', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = seeded(seed)
    const digits = Array.from({ length: 12 }, () => digitsByEvent[Math.floor(random() * 3)]).join('')
    const packets = send(digits)
      .filter(() => random() > 0.2)
      .flatMap(one => (random() < 0.2 ? [one, one] : [one]))
      .map(one => ({ ...one, order: one.tick + random() * 2.5 }))
      .sort((a, b) => a.order - b.order)
    const present = new Set(packets.map(one => one.timestamp)).size
    const received = text(hear(packets))
    if (present === digits.length) assert.is(received, digits, `seed ${seed}`)
    else assert.is(received.length, present, `seed ${seed}`)
  }
})

test('a sender whose timestamp advances with the duration sends one digit, and two when it does so twice', () => {
  const cases = [-1, 0, 1, 3, 5].flatMap(lost => [false, true].map(endsRun => ({ lost, endsRun })))
  for (const { lost, endsRun } of cases) {
    const receiver = new DigitReceiver()
    const presses: ReceivedDigit[] = []
    let timestamp = 0xffff_ff00
    let now = 0
    for (let press = 0; press < 2; press++) {
      for (let packet = 0; packet < 8; packet++) {
        const ends = Math.min(packet, 5)
        const payload = new Uint8Array(4)
        writeEvent(payload, 0, 7, packet >= 5, 10, 160 * (ends + 1))
        now += 20
        const ran = 160 * (endsRun ? packet : ends)
        if (packet !== lost) receiver.push(payload, 0, 4, (timestamp + ran) >>> 0, packet === 0, now)
        for (let reported = receiver.take(); reported !== undefined; reported = receiver.take()) presses.push(reported)
      }
      timestamp = (timestamp + 3200) >>> 0
      now += 200
    }
    assert.equal(presses, new Array(2).fill({ digit: '7', durationMs: 120 }), `${lost} ${endsRun}`)
  }
})

test('one received end packet is enough: a digit', () => {
  const receiver = new DigitReceiver()
  const end = send('7').at(-1)!
  assert.is(receiver.push(end.payload, 0, 4, end.timestamp, false, 0), 1)
  assert.equal(takeAll(receiver), [{ digit: '7', durationMs: 160 }])
})

test('end packets lost: the next digit or half a second of silence ends it, and a late end begins no digit', () => {
  const receiver = new DigitReceiver()
  const sent = send('33')
  const [first, second] = [sent.slice(0, 10), sent.slice(10)]
  for (const one of first.filter(one => !one.end)) receiver.push(one.payload, 0, 4, one.timestamp, one.marker, 0)
  assert.is(receiver.held, '3')
  assert.is(receiver.take(), undefined)
  const begin = second[0]!
  assert.is(receiver.push(begin.payload, 0, 4, begin.timestamp, true, 20), 1)
  assert.equal(receiver.take(), { digit: '3', durationMs: 140 })
  assert.is(receiver.push(first[9]!.payload, 0, 4, first[9]!.timestamp, false, 30), 0)
  assert.is(receiver.deadline(), 520)
  assert.is(receiver.timeout(519), 0)
  assert.is(receiver.timeout(520), 1)
  assert.equal(receiver.take(), { digit: '3', durationMs: 20 })
  assert.is(receiver.deadline(), undefined)
  const late = second.at(-1)!
  assert.is(receiver.push(late.payload, 0, 4, late.timestamp, false, 60_000), 0)
  assert.equal(receiver.counters, { malformed: 0, ignored: 0, repeated: 2, endsLost: 2, excess: 0 })
})

test('a reported digit is remembered after its end, whatever comes in between', () => {
  const receiver = new DigitReceiver()
  const sent = send('1234')
  assert.is(text(hear(sent, receiver)), '1234')
  for (const one of sent.filter(one => !one.marker)) receiver.push(one.payload, 0, 4, one.timestamp, false, 60_000)
  assert.is(receiver.timeout(1e9), 0)
})

test('a sender that replays a capture with old timestamps is accepted again after a while', () => {
  const receiver = new DigitReceiver()
  const sent = send('4')
  assert.is(text(hear(sent, receiver)), '4')
  const again = sent.map(one => ({ ...one, tick: one.tick + 60 }))
  assert.is(text(hear(again, receiver)), '4')
})

test('flash, modem tones and short payloads are counted and reported to no one', () => {
  const receiver = new DigitReceiver()
  const payload = new Uint8Array(4)
  for (let event = 16; event < 256; event++) {
    writeEvent(payload, 0, event, true, 10, 800)
    assert.is(receiver.push(payload, 0, 4, event * 1000, true, 0), 0)
  }
  for (let length = 0; length < 4; length++) receiver.push(payload, 0, length, 1, true, 0)
  receiver.push(payload, 2, 4, 1, true, 0)
  assert.equal(receiver.counters, { malformed: 5, ignored: 240, repeated: 0, endsLost: 0, excess: 0 })
  assert.is(receiver.held, undefined)
})

test('a new source ends a held digit and may use the same timestamps', () => {
  const receiver = new DigitReceiver()
  const [start] = send('6')
  receiver.push(start!.payload, 0, 4, 5, true, 0)
  receiver.reset()
  assert.is(text(takeAll(receiver)), '6')
  assert.is(receiver.push(start!.payload, 0, 4, 5, true, 1), 0)
  assert.is(receiver.held, '6')
})

test('a flood of digits is absorbed, and one as fast as a machine dials is not', () => {
  const payload = new Uint8Array(4)
  const taken = (everyMs: number, count: number) => {
    const receiver = new DigitReceiver()
    let digits = 0
    for (let at = 0; at < count; at++) {
      writeEvent(payload, 0, at % 10, true, 10, 320)
      receiver.push(payload, 0, 4, at * 1000, true, at * everyMs)
      digits += takeAll(receiver).length
    }
    return [digits, receiver.counters.excess]
  }
  assert.equal(taken(40, 1000), [1000, 0])
  // A second of a packet each millisecond: 64 at once, and 25 of the second.
  assert.equal(taken(1, 1000), [88, 912])
  // A digit that begins within a flood, and lasts, is still reported.
  const receiver = new DigitReceiver()
  for (let at = 0; at < 200; at++) {
    writeEvent(payload, 0, at % 10, true, 10, 320)
    receiver.push(payload, 0, 4, at * 1000, true, 0)
  }
  takeAll(receiver)
  for (let ms = 0; ms <= 80; ms += 20) {
    writeEvent(payload, 0, 5, ms === 80, 10, 160 + ms * 8)
    receiver.push(payload, 0, 4, 1_000_000, ms === 0, ms)
  }
  assert.is(text(takeAll(receiver)), '5')
})

test('eventOfDigit knows sixteen digits in either case', () => {
  for (let event = 0; event < 16; event++) assert.is(eventOfDigit(digitsByEvent[event]!.toLowerCase()), event)
  for (const odd of ['', 'E', 'w', '01', ' ', '+']) assert.is(eventOfDigit(odd), -1, odd)
})

const digitsOfCapture = (captured: readonly Captured[]): string => {
  const receiver = new DigitReceiver()
  for (const { bytes, atMs } of captured) {
    if (!isRtp(bytes) || payloadTypeOf(bytes) !== 101) continue
    receiver.timeout(atMs)
    receiver.push(bytes, payloadOffsetOf(bytes), payloadLengthOf(bytes), timestampOf(bytes), markerOf(bytes), atMs)
  }
  receiver.timeout(Infinity)
  return text(takeAll(receiver))
}

test('one key press is one digit, and many key presses are as many digits', async () => {
  for (const digit of '0123456789*#ABCD') assert.is(digitsOfCapture(pressOf(digit)), digit)
  const digits = '2013785496*#'
  assert.is(digitsOfCapture(await keyCapture('PCMU', digits)), digits)
})

testBeside('rtp-pcap', 'captures hold the digits of their names', () => {
  const named = corpusFiles('rtp-pcap')
    .map(({ name, bytes }) => ({ name, bytes, digits: /(?:dtmf_2833_|-)(\d+)\.pcap$/.exec(name)?.[1] }))
    .filter(({ digits }) => digits !== undefined)
  assert.is(named.length, 10)
  for (const { name, bytes, digits } of named) assert.is(digitsOfCapture(readPcap(bytes)), digits, name)
})

test.run()
