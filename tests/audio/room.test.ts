import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { StreamDecoder } from '../../rtp/codec/stream-decoder.ts'
import { levelAt, levelOf, pcma, pcmu } from '../../rtp/index.ts'
import { LibOpus } from '../../rtp/io/index.ts'
import { MixBus } from '../../rtp/mix/mix-bus.ts'
import { mixRates, samplesOfFrame } from '../../rtp/mix/mix-rate.ts'
import { Room } from '../../rtp/mix/room.ts'
import { linkBytesOf, linkLagFrames, RoomLink } from '../../rtp/mix/room-link.ts'
import { Rooms } from '../../rtp/mix/rooms.ts'
import type { Seat } from '../../rtp/mix/seat.ts'
import { gateHoldFrames } from '../../rtp/mix/speech-gate.ts'
import { SumResampler } from '../../rtp/mix/sum-resampler.ts'
import { seeded } from '../rig/seeded.ts'
import { sine } from '../rtp/audio-measure.ts'
import { FakeSeat } from '../rtp/fake-seat.ts'
import { WarmOpus } from '../rtp/warm-opus.ts'

// The mixer without sessions: sums, edges, rates, threads.

const frame = 160
const opus = new LibOpus()

const roomOf = (...seats: FakeSeat[]): Room => {
  const host = {
    opus,
    failed: (_seat: Seat, error: unknown) => {
      throw error
    },
  }
  const room = new Room(host, undefined, 0)
  for (const seat of seats) room.join(seat, false)
  return room
}

const run = (room: Room, frames: number, from = 0): void => {
  for (let n = 0; n < frames; n++) room.tick(from + 20 * n)
}

/** Loud noise: no gate takes it for silence. */
const noise = (samples: number, seed: number, level = 12_000): Int16Array => {
  const random = seeded(seed)
  return Int16Array.from({ length: samples }, () => Math.round((random() - 0.5) * 2 * level))
}

const clip = (value: number): number => Math.max(-32_768, Math.min(32_767, value))

test('each hears exactly the sum of the others, clipped once, whatever the number: 40 rooms of 2 to 50', () => {
  const random = seeded(4)
  for (let round = 0; round < 40; round++) {
    const size = round === 0 ? 50 : 2 + Math.floor(random() * 20)
    const frames = 4
    const voices = Array.from({ length: size }, (_, n) =>
      noise(frames * frame, round * 100 + n, 1000 + 30_000 * random()),
    )
    const laws = voices.map(() => (random() < 0.5 ? ('PCMU' as const) : ('PCMA' as const)))
    const seats = voices.map((voice, n) => new FakeSeat(voice, laws[n]))
    run(roomOf(...seats), frames)
    // The first frame of a voice swells.
    for (const [n, seat] of seats.entries()) {
      const expected = new Int16Array(frames * frame)
      for (let i = 0; i < expected.length; i++) {
        let sum = 0
        for (const [m, voice] of voices.entries()) if (m !== n) sum += voice[i]!
        expected[i] = clip(sum)
      }
      const bytes = new Uint8Array(expected.length)
      const law = laws[n] === 'PCMA' ? pcma : pcmu
      law.encodeInto(bytes, 0, expected, 0, expected.length)
      for (let at = 1; at < frames; at++) {
        assert.equal(seat.heard[at]!.bytes, bytes.slice(at * frame, (at + 1) * frame), `${round}: ${n} of ${size}`)
      }
    }
  }
})

test('who is silent, or muted, hears the same bytes as all others who are, encoded once a codec', () => {
  const voice = sine(440, 60 * frame, 8000)
  const speaker = new FakeSeat(voice)
  const silent = [new FakeSeat(), new FakeSeat(), new FakeSeat(), new FakeSeat(voice)]
  const other = [new FakeSeat(new Int16Array(0), 'PCMA'), new FakeSeat(new Int16Array(0), 'PCMA')]
  const room = roomOf(speaker, ...silent.slice(0, 3), ...other)
  room.join(silent[3]!, true)
  run(room, 60)
  for (const seat of [...silent, ...other]) assert.is(seat.heard.length, 60)
  for (let at = 2; at < 60; at++) {
    for (const seat of silent) assert.is(seat.heard[at]!.payload, silent[0]!.heard[at]!.payload)
    assert.is(other[0]!.heard[at]!.payload, other[1]!.heard[at]!.payload)
  }
  assert.equal(silent[3]!.samples(1), silent[0]!.samples(1))
  assert.is(silent[3]!.reads, 0, 'who is muted is not even read')
  assert.ok(
    speaker.samples().every(sample => sample === 0),
    'the speaker hears nothing of itself',
  )
  assert.ok(levelAt(silent[0]!.samples(2), 0, 8000, 440, 8000) > -9)
})

test('noise below the gate is not passed on; a voice is, from its first frame to 400 ms behind its last', () => {
  const words = new Int16Array(100 * frame)
  words.set(noise(40 * frame, 3, 30))
  words.set(noise(10 * frame, 4, 9000), 40 * frame)
  words.set(noise(50 * frame, 5, 30), 50 * frame)
  const listener = new FakeSeat()
  run(roomOf(new FakeSeat(words), listener), 100)
  const heard = listener.heard.map(({ bytes }) => bytes.some(byte => byte !== 0xff))
  assert.is(heard.indexOf(true), 40)
  assert.is(heard.lastIndexOf(true), 49 + gateHoldFrames + 1)
})

/** The greatest step from one sample to the next. */
const greatestStep = (pcm: Int16Array): number => {
  let greatest = 0
  for (let i = 1; i < pcm.length; i++) greatest = Math.max(greatest, Math.abs(pcm[i]! - pcm[i - 1]!))
  return greatest
}

test('others come, go, are muted and speak again in mid-tone: no click and no gap for those who stay', () => {
  const random = seeded(9)
  const seconds = 6
  const steady = new FakeSeat(sine(200, seconds * 8000, 8000, 6000))
  const listener = new FakeSeat()
  const room = roomOf(steady, listener)
  let guests: FakeSeat[] = []
  for (let n = 0; n < seconds * 50; n++) {
    if (random() < 0.15 && guests.length < 5) {
      const guest = new FakeSeat(sine(300 + 50 * Math.floor(4 * random()), 8000 * seconds, 8000, 3000))
      guest.at = Math.floor(random() * 1000)
      guests.push(guest)
      room.join(guest, false)
    }
    const one = guests[Math.floor(random() * guests.length)]
    if (one !== undefined && random() < 0.1) {
      if (random() < 0.5) room.join(one, random() < 0.5)
      else {
        room.leave(one, n * 20)
        guests = guests.filter(guest => guest !== one)
      }
    }
    room.tick(n * 20)
  }
  const heard = listener.samples(1)
  assert.is(heard.length, (seconds * 50 - 1) * frame, 'a frame every 20 ms')
  // The slopes of all tones together, and what mu-law rounds.
  const slope = (2 * Math.PI * (6000 * 200 + 5 * 3000 * 450)) / 8000
  assert.ok(greatestStep(heard) < slope + 1000, `a step of ${greatestStep(heard)}, ${slope} at most`)
  const pieces = Array.from({ length: seconds * 10 - 1 }, (_, n) => levelAt(heard, n * 800, 800, 200, 8000))
  assert.ok(Math.min(...pieces) > -14, `the steady one at ${Math.min(...pieces)} dBm0`)
})

test('codecs of different rates hear each other, none what it cannot: 8,000 and 16,000 Hz', () => {
  const low = new FakeSeat(sine(1000, 100 * frame, 8000, 4000))
  const wide = new FakeSeat(sine(6000, 200 * frame, 16_000, 4000), 'G722')
  const [narrow, alsoWide] = [new FakeSeat(new Int16Array(0), 'PCMA'), new FakeSeat(new Int16Array(0), 'G722')]
  run(roomOf(low, wide, narrow, alsoWide), 100)
  const level = (seat: FakeSeat, hz: number, rate: number) => levelAt(seat.samples(10), 0, rate, hz, rate)
  const tone = levelAt(sine(1000, 8000, 8000, 4000), 0, 8000, 1000, 8000)
  assert.ok(Math.abs(level(narrow, 1000, 8000) - tone) < 0.5)
  assert.ok(Math.abs(level(alsoWide, 1000, 16_000) - tone) < 0.5)
  assert.ok(Math.abs(level(alsoWide, 6000, 16_000) - tone) < 1.5)
  assert.ok(Math.abs(level(wide, 1000, 16_000) - tone) < 0.5 && level(wide, 6000, 16_000) < -40)
  // 6,000 Hz would fold to 2,000.
  assert.ok(level(narrow, 2000, 8000) < -50 && level(low, 1000, 8000) < -50)
})

test('Opus members hear each other up to 48,000 Hz, and others what they can', async () => {
  const warm = await WarmOpus.open(4, { bitrate: 40_000 }, [48_000])
  const host = { opus: warm, failed: (_seat: Seat, error: unknown) => assert.unreachable(String(error)) }
  const room = new Room(host, undefined, 0)
  const high = new FakeSeat(
    sine(1000, 150 * 960, 48_000, 3000).map(
      (sample, i) => sample + Math.round(3000 * Math.sin((2 * Math.PI * 9500 * i) / 48_000)),
    ),
    'opus',
  )
  const [full, wide, narrow] = [
    new FakeSeat(new Int16Array(0), 'opus'),
    new FakeSeat(new Int16Array(0), 'G722'),
    new FakeSeat(new Int16Array(0), 'PCMA'),
  ]
  for (const seat of [high, full, wide, narrow]) room.join(seat, false)
  run(room, 150)
  const decoder = new StreamDecoder(48_000, warm)
  const pcm = new Int16Array(151 * 960)
  let count = 0
  for (const { bytes } of full.heard) count += decoder.frameInto(pcm, count, 'opus', bytes, 0, bytes.length, false)
  const at = (hz: number) => levelAt(pcm, count - 24_000, 24_000, hz, 48_000)
  assert.ok(at(9500) > -25 && at(1000) > -20, `${at(9500)} ${at(1000)}`)
  const low = (seat: FakeSeat, hz: number, rate: number) => levelAt(seat.samples(20), 0, rate, hz, rate)
  assert.ok(low(wide, 1000, 16_000) > -20 && low(wide, 6500, 16_000) < -50, 'nothing folds')
  assert.ok(low(narrow, 1000, 8000) > -20 && low(narrow, 1500, 8000) < -50)
  decoder.free()
  room.close()
  warm.close()
  assert.equal([warm.lib.counters.encoders, warm.lib.counters.decoders], [0, 0])
})

test('a sum is brought to another rate unclipped, its tones as loud as they were, with nothing added', () => {
  for (const from of mixRates) {
    for (const to of mixRates) {
      if (from === to) continue
      const resampler = new SumResampler(from, to)
      const frames = 20
      const count = samplesOfFrame(from)
      const pcm = sine(700, frames * count, from, 9000)
      const out = new Int16Array(frames * samplesOfFrame(to))
      for (let n = 0; n < frames; n++) {
        const sum = Int32Array.from(pcm.subarray(n * count, (n + 1) * count), sample => sample * 10)
        const into = new Int32Array(samplesOfFrame(to))
        resampler.addInto(into, sum, false)
        for (const [i, value] of into.entries()) out[n * into.length + i] = Math.round(value / 10)
      }
      const settled = out.subarray(out.length / 2)
      const tone = 10 ** (levelAt(settled, 0, settled.length, 700, to) / 10)
      const all = 10 ** (levelOf(settled, 0, settled.length) / 10)
      const said = levelAt(pcm, pcm.length / 2, pcm.length / 2, 700, from)
      assert.ok(Math.abs(10 * Math.log10(tone) - said) < 0.05, `${from} to ${to}`)
      assert.ok(
        Math.abs(all - tone) < tone * 10 ** -5,
        `${from} to ${to}: ${10 * Math.log10(Math.abs(all / tone - 1))} dB`,
      )
    }
  }
})

test('totals of a bus are exact at each rate; 48,000 Hz is a rate like others', () => {
  const bus = new MixBus()
  for (const rate of mixRates) {
    bus.begin()
    for (const each of mixRates) bus.want(each)
    const voices = [noise(samplesOfFrame(rate), 1, 32_000), noise(samplesOfFrame(rate), 2, 32_000)]
    for (const voice of voices) bus.add(rate, voice)
    bus.finish()
    for (let i = 0; i < samplesOfFrame(rate); i++) {
      assert.is(bus.sumOf(rate)[i], voices[0]![i]! + voices[1]![i]!)
    }
    assert.not(bus.isTotalSilentAt(rate))
  }
  for (let n = 0; n < 3; n++) {
    bus.begin()
    for (const each of mixRates) bus.want(each)
    bus.finish()
  }
  for (const rate of mixRates) assert.ok(bus.isTotalSilentAt(rate) && bus.totalOf(rate).every(value => value === 0))
})

test('a tone of the room is heard by all, at once; many who come together do not ring for ever', () => {
  const seats = [new FakeSeat(), new FakeSeat(), new FakeSeat(new Int16Array(0), 'G722')]
  const room = roomOf(...seats)
  for (let n = 0; n < 50; n++) room.sound('enter')
  run(room, 60)
  for (const seat of seats) {
    const rate = seat.format?.codec === 'G722' ? 16_000 : 8000
    const pcm = seat.samples()
    const loud = Array.from({ length: 60 }, (_, n) => {
      const count = rate / 50
      return Math.max(levelAt(pcm, n * count, count, 660, rate), levelAt(pcm, n * count, count, 880, rate)) > -30
    })
    assert.ok(loud[1] === true && loud.lastIndexOf(true) < 30, `until ${loud.lastIndexOf(true)}`)
  }
})

test('a member whose code fails is out, and told; the others do not notice', () => {
  const failed: Seat[] = []
  const rooms = new Rooms({ opus, failed: seat => failed.push(seat) })
  const [a, b, c] = [new FakeSeat(sine(440, 8000, 8000)), new FakeSeat(), new FakeSeat()]
  for (const seat of [a, b, c]) rooms.join('r', seat, false, () => undefined, 0)
  for (let n = 0; n < 10; n++) {
    if (n === 5) c.failing = true
    rooms.tick(n * 20)
  }
  assert.equal(failed, [c])
  assert.is(c.released, 1)
  assert.is(b.heard.length, 10)
  rooms.leave(a, 200)
  rooms.leave(b, 200)
  assert.is(rooms.size, 0)
  assert.equal([a.released, b.released], [1, 1])
  const alone = new FakeSeat()
  alone.failing = true
  rooms.join('s', alone, false, () => undefined, 300)
  rooms.tick(300)
  assert.is(rooms.size, 0, 'a room is gone with its last member, however it goes')
})

test('a room that fails itself ends with its members; other rooms go on', () => {
  const failed: Seat[] = []
  const rooms = new Rooms({ opus, failed: seat => failed.push(seat) })
  const seats = [new FakeSeat(), new FakeSeat(), new FakeSeat()]
  const broken = { frameAfter: () => 0, exchange: () => assert.unreachable() } as unknown as RoomLink
  for (const [n, seat] of seats.entries()) {
    rooms.join(n < 2 ? 'bad' : 'good', seat, false, () => (n < 2 ? broken : undefined), 0)
  }
  rooms.tick(0)
  assert.equal(failed, seats.slice(0, 2))
  assert.is(rooms.size, 1)
  rooms.tick(20)
  assert.is(seats[2]!.heard.length, 2)
})

test('after a stall what is owed is made up, up to 100 ms, and the clock keeps its beat', () => {
  const seat = new FakeSeat()
  const room = roomOf(seat)
  run(room, 3)
  room.tick(140)
  assert.equal(
    seat.heard.map(({ at }) => at),
    [0, 20, 40, 60, 80, 100, 120, 140],
  )
  room.tick(1000)
  assert.is(room.stalls, 1)
  assert.is(seat.heard.length, 13)
  room.tick(1020)
  assert.is(seat.heard.at(-1)!.at % 20, 0)
})

test('a codec that changes, and a format that comes late', () => {
  const seat = new FakeSeat(sine(440, 80_000, 8000, 6000))
  const listener = new FakeSeat()
  listener.format = undefined
  const room = roomOf(seat, listener)
  run(room, 5)
  assert.is(listener.heard.length, 0)
  listener.format = { codec: 'PCMA', frameMs: 20 }
  run(room, 20, 100)
  assert.ok(levelAt(listener.samples(2), 0, 1600, 440, 8000) > -15)
  listener.heard.length = 0
  listener.format = { codec: 'G722', frameMs: 20 }
  run(room, 40, 500)
  assert.ok(levelAt(listener.samples(10), 0, 8000, 440, 16_000) > -15)
})

/** Parts of one room, each with a clock of its own. */
const linked = (offsets: readonly number[]) => {
  const memory = new SharedArrayBuffer(linkBytesOf(offsets.length))
  return offsets.map((offset, part) => {
    const link = new RoomLink({ memory, part, parts: offsets.length, phaseMs: 0 }, -offset)
    const room = new Room({ opus, failed: (_seat, error) => assert.unreachable(String(error)) }, link, offset)
    return { room, offset }
  })
}

test('a room on three threads: each hears all others exactly, two frames later where they are elsewhere', () => {
  const parts = linked([0, 12_345, 7])
  const frames = 30
  const voices = Array.from({ length: 6 }, (_, n) => noise(frames * frame, n + 1, 5000))
  const seats = voices.map(voice => new FakeSeat(voice))
  for (const [n, seat] of seats.entries()) parts[n % 3]!.room.join(seat, false)
  for (let n = 0; n < frames; n++) for (const { room, offset } of parts) room.tick(offset + 20 * n)
  for (const [n, seat] of seats.entries()) {
    for (let at = 5; at < frames; at++) {
      const expected = new Int16Array(frame)
      for (let i = 0; i < frame; i++) {
        let sum = 0
        for (const [m, voice] of voices.entries()) {
          if (m !== n) sum += voice[(at - (m % 3 === n % 3 ? 0 : linkLagFrames)) * frame + i]!
        }
        expected[i] = clip(sum)
      }
      const bytes = new Uint8Array(frame)
      pcmu.encodeInto(bytes, 0, expected, 0, frame)
      assert.equal(seat.heard[at]!.bytes, bytes, `${n} at ${at}`)
    }
  }
})

test('a thread that stalls or is gone is silent for the others, and heard again when it is back', () => {
  const [one, two] = linked([0, 0])
  const listener = new FakeSeat()
  const speaker = new FakeSeat(sine(440, 200 * frame, 8000))
  one!.room.join(listener, false)
  two!.room.join(speaker, false)
  for (let n = 0; n < 100; n++) {
    one!.room.tick(20 * n)
    if (n < 30 || n >= 60) two!.room.tick(20 * n)
  }
  const loud = listener.heard.map(({ bytes }) => bytes.some(byte => byte !== 0xff))
  assert.ok(
    loud.slice(3, 31).every(is => is),
    'before',
  )
  assert.ok(
    loud.slice(33, 59).every(is => !is),
    'nothing old comes again',
  )
  assert.ok(
    loud.slice(64).every(is => is),
    'after',
  )
})

test('who has spoken keeps a coder of its own for a second where coders have a state', () => {
  const voice = new Int16Array(200 * 320)
  voice.set(sine(440, 10 * 320, 16_000))
  const [speaker, silent] = [new FakeSeat(voice, 'G722'), new FakeSeat(new Int16Array(0), 'G722')]
  run(roomOf(speaker, silent), 120)
  const shares = speaker.heard.map(({ payload }, n) => payload === silent.heard[n]!.payload)
  assert.is(shares.indexOf(true), 10 + gateHoldFrames + 50)
  assert.ok(shares.slice(shares.indexOf(true)).every(is => is))
})

test.run()
