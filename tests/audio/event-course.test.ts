import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type AudioCodecName, codecFacts } from '../../rtp/codec/codec-name.ts'
import type { Agreement } from '../../rtp/contract/agreement.ts'
import { conversation } from '../rtp/bed/talker.ts'
import { eventOf, eventsIn, eventType, named, withEvents } from './key-press.ts'

// Telephone-events of one leg that go on to another whose audio is coded or packed again.

interface Packet {
  readonly atMs: number
  readonly digit: string
  readonly isEnd: boolean
  readonly duration: number
  /** From the begin of all on, in units of the clock. */
  readonly time: number
  readonly marker: boolean
}

interface Press {
  readonly digit: string
  readonly beginMs: number
  readonly onMs: number
}

/** Packets of a digit every 20 ms, in segments where it is longer than one can express, and three of its end. */
const packetsOf = ({ digit, beginMs, onMs }: Press, unitsPerMs: number): Packet[] => {
  const packets: Packet[] = []
  for (let lasted = 20; lasted <= onMs + 40; lasted += 20) {
    const units = Math.min(lasted, onMs) * unitsPerMs
    const segments = Math.ceil(units / 0xffff) - 1
    packets.push({
      atMs: beginMs + lasted,
      digit,
      isEnd: lasted >= onMs,
      duration: units - segments * 0xffff,
      time: beginMs * unitsPerMs + segments * 0xffff,
      marker: lasted === 20,
    })
  }
  return packets
}

/** What the other side of a call receives of these packets; `out`: what is special about how it is sent to. */
const receivedBehind = async (
  from: AudioCodecName,
  to: AudioCodecName,
  packets: readonly Packet[],
  out: Partial<Agreement> = {},
) => {
  const { media, opus, one, two } = await conversation(from, to, { ...withEvents(to), ...out }, withEvents(from))
  const epoch = one.peer.timestamp
  const units = codecFacts[from].clockRate / 1000
  const waiting = [...packets].sort((a, b) => a.atMs - b.atMs)
  const begun = media.now
  media.run((waiting.at(-1)?.atMs ?? 0) + 1500, now => {
    const ms = now - begun
    for (; waiting[0] !== undefined && waiting[0].atMs <= ms; waiting.shift()) {
      const { digit, isEnd, duration, time, marker } = waiting[0]
      const timestamp = (epoch + time) >>> 0
      one.peer.say(eventOf(digit, isEnd, duration), { payloadType: eventType, timestamp, marker })
    }
    if (now % 20 === 0) {
      one.peer.timestamp = (epoch + ms * units) >>> 0
      one.say(one.frame(new Int16Array(one.rate / 50), 0))
    }
  })
  const events = eventsIn(two.peer, codecFacts[to].clockRate)
  const markers = two.peer.received().filter(({ payloadType, marker }) => payloadType === eventType && marker)
  opus.close()
  return { events, markers: markers.length }
}

const digits = '1234567890'
const pressed = [...digits].map((digit, n) => ({ digit, beginMs: 400 + n * 160, onMs: 100 }))

const ways: readonly (readonly [AudioCodecName, AudioCodecName, Partial<Agreement>])[] = [
  ['PCMU', 'PCMU', {}],
  ['PCMU', 'PCMU', { ptimeMs: 40, ptimeAsked: true }],
  ['PCMU', 'G722', {}],
  ['PCMU', 'opus', {}],
  ['opus', 'PCMA', {}],
]

for (const [from, to, out] of ways) {
  const name = `${from} to ${to}${out.ptimeMs === undefined ? '' : ', packed again'}`
  const units = codecFacts[from].clockRate / 1000

  test(`${name}: packets of a digit that arrive after the first of the next digit begin nothing`, async () => {
    for (const lateMs of [40, 60, 120]) {
      const packets = pressed.flatMap(press => packetsOf(press, units))
      const doubled = packets.flatMap(packet =>
        packet.isEnd && packet.atMs % 160 < 60 ? [packet, { ...packet, atMs: packet.atMs + lateMs }] : [packet],
      )
      const late = packets.map((packet, n) =>
        packet.isEnd && packets[n + 1]?.isEnd !== true ? { ...packet, atMs: packet.atMs + lateMs } : packet,
      )
      for (const sent of [doubled, late]) {
        const { events, markers } = await receivedBehind(from, to, sent, out)
        assert.is(named(events), digits, `${lateMs} ms`)
        assert.is(markers, digits.length)
      }
    }
  })

  test(`${name}: a digit that is held for longer than one event can express is one digit with its whole duration`, async () => {
    for (const onMs of [2000, 10_000]) {
      const { events, markers } = await receivedBehind(
        from,
        to,
        packetsOf({ digit: '5', beginMs: 400, onMs }, units),
        out,
      )
      assert.is(named(events), '5')
      assert.is(markers, 1)
      assert.ok(Math.abs(events[0]!.durationMs - onMs) <= 60, `${events[0]!.durationMs} ms`)
    }
  })

  test(`${name}: packets of a segment that come after the next one's first begin nothing`, async () => {
    const packets = packetsOf({ digit: '5', beginMs: 400, onMs: 10_000 }, units)
    const late = packets.flatMap((packet, n) => {
      const isLastOfSegment = packets[n + 1] !== undefined && packets[n + 1]!.time !== packet.time
      return isLastOfSegment ? [packet, { ...packet, atMs: packet.atMs + 50 }] : [packet]
    })
    assert.ok(late.length > packets.length)
    const { events, markers } = await receivedBehind(from, to, late, out)
    assert.is(named(events), '5')
    assert.is(markers, 1)
  })

  test(`${name}: each digit has its own timestamp, in any order`, async () => {
    const times = [9000, 7000, 5000, 8000, 6000, 4000, 3000, 2000, 1000, 0]
    const packets = pressed.flatMap((press, n) =>
      packetsOf(press, units).map(packet => ({ ...packet, time: times[n]! * units })),
    )
    assert.is(named((await receivedBehind(from, to, packets, out)).events), digits)
  })

  test(`${name}: the same digit again, one segment length later, is another digit`, async () => {
    const again = Math.round(0xffff / units)
    const packets = [400, 400 + again].flatMap(beginMs => packetsOf({ digit: '5', beginMs, onMs: 100 }, units))
    const unmarked = packets.map(packet => ({ ...packet, marker: false }))
    assert.is(named((await receivedBehind(from, to, unmarked, out)).events), '55')
  })

  test(`${name}: a sender whose timestamp advances with the duration sends each digit once`, async () => {
    const packets = pressed.flatMap(press =>
      packetsOf(press, units).map(packet => ({ ...packet, time: packet.time + packet.duration })),
    )
    assert.is(named((await receivedBehind(from, to, packets, out)).events), digits)
  })
}

test.run()
