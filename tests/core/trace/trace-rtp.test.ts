import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CallUuid, LegUuid } from '../../../core/model/ids.ts'
import { pcapngOf } from '../../../core/trace/pcapng.ts'
import type { RtpFigures } from '../../../core/trace/rtp-point.ts'
import { PartsInMemory, TraceBed } from '../bed/trace-bed.ts'

const callId = 'call-1' as CallUuid
const legId = 'leg-1' as LegUuid
const began = 1_800_000_000_000
const figuresAt = (second: number): RtpFigures => ({
  codec: 'PCMU',
  received: 50 * second,
  sent: 49 * second,
  lost: Math.floor(second / 10),
  jitterMs: 2.5,
  delayMs: 80,
  roundTripMs: Number.NaN,
  mos: 4.3,
  remoteLossPercent: Number.NaN,
  concealedMs: 20 * second,
  levelDbov: -26,
})

const beginLeg = (bed: TraceBed): void => {
  bed.inlet.leg(began, callId, legId, { role: 'caller', via: 'trunk' })
  bed.drain()
}

const talk = (seconds: number, options: { readonly store?: PartsInMemory } = {}): TraceBed => {
  const bed = new TraceBed(() => began, options)
  beginLeg(bed)
  for (let second = 1; second <= seconds; second++) {
    bed.book.rtp(began + 1000 * second + (second % 3), legId, figuresAt(second))
    if (second % 70 === 0) bed.tick(began + 1000 * second)
  }
  return bed
}

test('a leg has a point a second, of what that second brought', () => {
  for (const options of [{}, { store: new PartsInMemory() }]) {
    const trace = talk(200, options).read(callId, 'operator')
    const [rtp] = trace?.rtp ?? []
    assert.is(rtp?.ms.length, 200)
    assert.is(rtp?.codec, 'PCMU')
    assert.equal([...new Set(rtp?.packets_received)], [50])
    assert.equal([...new Set(rtp?.packets_sent)], [49])
    assert.is(
      rtp?.packets_lost.reduce((sum, lost) => sum + lost, 0),
      20,
    )
    assert.is(rtp?.packets_lost[9], 1)
    assert.is(rtp?.loss_percent[9], 1.96)
    assert.equal([rtp?.jitter_ms[5], rtp?.delay_ms[5], rtp?.level_dbov[5], rtp?.mos[5]], [2.5, 80, -26, 4.3])
    assert.equal([rtp?.round_trip_ms[5], rtp?.remote_loss_percent[5], rtp?.concealed_ms[5]], [null, null, 20])
  }
})

test('a point that comes after the ended call was stored is stored too', () => {
  const store = new PartsInMemory()
  const bed = talk(5, { store })
  const endedMs = began + 6000
  bed.inlet.over(endedMs, callId, { sid: 'CA1', reasonCode: 'END.0201' })
  bed.tick(endedMs + 6000)
  bed.tick(endedMs + 7000)
  const { length } = store.kept
  assert.ok(length > 0)
  bed.book.rtp(endedMs + 8000, legId, figuresAt(14))
  bed.tick(endedMs + 9000)
  assert.is(store.kept.length, length + 1)
  bed.tick(endedMs + 10_000)
  assert.is(store.kept.length, length + 1)
  assert.is(bed.read(callId, 'operator')?.rtp[0]?.ms.length, 6)
})

test('points have their place in the pages: none twice, none missing', () => {
  const bed = talk(150)
  const ms: number[] = []
  for (let after = 0; ; ) {
    const page = bed.read(callId, 'operator', { after, limit: 40 })
    ms.push(...(page?.rtp[0]?.ms ?? []))
    after = page?.last ?? 0
    if (page?.hasMore !== true) break
  }
  assert.is(ms.length, 150)
  assert.is(new Set(ms).size, 150)
})

test('after an hour points are one in two seconds, after two more hours one in four', () => {
  const bed = talk(4 * 3600, { store: new PartsInMemory() })
  const [rtp] = bed.read(callId, 'operator', { after: 0, limit: 20_000 })?.rtp ?? []
  const counts = new Map<number, number>()
  for (const seconds of rtp?.seconds ?? []) counts.set(seconds, (counts.get(seconds) ?? 0) + 1)
  assert.equal(
    [...counts],
    [
      [1, 3600],
      [2, 3600],
      [4, 900],
    ],
  )
  // Nothing is lost by it: the counts of a point are of all its seconds.
  assert.is(
    rtp?.packets_received.reduce((sum, packets) => sum + packets, 0),
    50 * 4 * 3600,
  )
})

const packet = (length: number, at: number) => ({
  isSent: false,
  remoteAddress: 0xc6336409,
  remotePort: 4000,
  localPort: 10_000,
  length: 172,
  bytes: new Uint8Array(length).fill(at),
})

test('of headers the newest are kept, of telephone-events all', () => {
  const bed = new TraceBed(() => began, { rtpHeaders: 10, store: new PartsInMemory() })
  beginLeg(bed)
  for (let at = 0; at < 35; at++) bed.book.packet(began + at, legId, packet(12, at))
  for (let at = 0; at < 20; at++) bed.book.packet(began + 100 + at, legId, packet(16, at))
  const wanted = [...Array.from({ length: 10 }, (_, at) => 25 + at), ...Array.from({ length: 20 }, (_, at) => at)]
  const kept = () => bed.book.packets(callId, 'operator', false).map(({ bytes }) => bytes[0])
  assert.equal(kept(), wanted)
  bed.book.over(began + 200, callId, { sid: 'CA1', uuid: callId, reasonCode: 'END.0200' })
  bed.tick(began + 60_000)
  assert.equal(kept(), wanted)
})

test('a remote of IPv6 is kept with its address, in headers, digits and whole packets', () => {
  const bed = new TraceBed(() => began, { rtpHeaders: 10, store: new PartsInMemory() })
  beginLeg(bed)
  const remoteIpv6 = Uint8Array.from({ length: 16 }, (_, at) => at + 1)
  const ofSix = (length: number, at: number) => ({ ...packet(length, at), remoteAddress: 0, remoteIpv6 })
  for (let at = 0; at < 7; at++) bed.book.packet(began + at, legId, ofSix(12, at))
  bed.book.packet(began + 100, legId, ofSix(16, 50))
  bed.book.packet(began + 101, legId, packet(16, 51))
  bed.book.audio(began + 102, legId, ofSix(172, 52))
  const kept = bed.book.packets(callId, 'operator', true)
  assert.equal(
    kept.map(({ bytes, remoteIpv6 }) => [bytes[0], bytes.length, remoteIpv6?.[15]]),
    [...[2, 3, 4, 5, 6].map(at => [at, 12, 16]), [50, 16, 16], [51, 16, undefined], [52, 172, 16]],
  )
  const file = Buffer.from(
    pcapngOf(
      [],
      kept.map(each => ({ ...each, localHost: '2001:db8::1' })),
    ),
  )
  assert.ok(file.includes(Buffer.from(remoteIpv6)))
})

test('audio is kept up to its bound, before and after the call was stored, and shown only to whoever asks for it', () => {
  const store = new PartsInMemory()
  const bed = new TraceBed(() => began, { store, audioBytes: 5000 })
  beginLeg(bed)
  const whole = (at: number) => bed.book.audio(began + at, legId, { ...packet(172, at), length: 172 })
  for (let at = 0; at < 10; at++) whole(at)
  bed.tick(began + 120_000)
  assert.is(store.kept.length, 1)
  for (let at = 10; at < 40; at++) whole(at)
  const kept = bed.book.packets(callId, 'operator', true)
  // 24 octets of the record, 20 of its head, the packet, in multiples of eight.
  assert.is(kept.length, Math.ceil(5000 / 216))
  assert.ok(kept.every(({ bytes, unixMs }, at) => bytes.length === 172 && bytes[171] === at && unixMs === began + at))
  const headers = bed.book.packets(callId, 'operator', false)
  assert.ok(
    headers.length === kept.length && headers.every(({ bytes, length }) => bytes.length === 12 && length === 172),
  )
  const trace = bed.read(callId, 'operator')
  assert.equal(
    trace?.entries.map(({ text }) => text),
    ['a leg (trunk) calls', 'no more audio is captured: the room for one call is used up'],
  )
})

test.run()
