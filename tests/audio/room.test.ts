import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pcma } from '../../rtp/codec/g711.ts'
import { pcmu } from '../../rtp/index.ts'
import type { RoomLink } from '../../rtp/mix/room-link.ts'
import type { Seat } from '../../rtp/mix/seat.ts'
import { gateHoldFrames } from '../../rtp/mix/speech-gate.ts'
import { ThreadRooms } from '../../rtp/mix/thread-rooms.ts'
import { levelAt } from '../../rtp/tone/goertzel.ts'
import { seeded } from '../rig/probes/seeded.ts'
import { sine } from '../rtp/bed/audio-measure.ts'
import { FakeSeat } from '../rtp/bed/fake-seat.ts'
import { clip, frame, noise, opus, roomOf, run } from './room-bed.ts'

// The mixer without sessions: sums, edges, faults.

test('each member receives exactly the sum of the others, clipped once, for any number: 40 rooms of 2 to 50', () => {
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
        assert.equal(seat.received[at]!.bytes, bytes.slice(at * frame, (at + 1) * frame), `${round}: ${n} of ${size}`)
      }
    }
  }
})

test('silent and muted members receive the same bytes, encoded once for each codec', () => {
  const voice = sine(440, 60 * frame, 8000)
  const speaker = new FakeSeat(voice)
  const silent = [new FakeSeat(), new FakeSeat(), new FakeSeat(), new FakeSeat(voice)]
  const other = [new FakeSeat(new Int16Array(0), 'PCMA'), new FakeSeat(new Int16Array(0), 'PCMA')]
  const room = roomOf(speaker, ...silent.slice(0, 3), ...other)
  room.join(silent[3]!, true)
  run(room, 60)
  for (const seat of [...silent, ...other]) assert.is(seat.received.length, 60)
  for (let at = 2; at < 60; at++) {
    for (const seat of silent) assert.is(seat.received[at]!.payload, silent[0]!.received[at]!.payload)
    assert.is(other[0]!.received[at]!.payload, other[1]!.received[at]!.payload)
  }
  assert.equal(silent[3]!.samples(1), silent[0]!.samples(1))
  assert.is(silent[3]!.reads, 0, 'who is muted is not even read')
  assert.ok(
    speaker.samples().every(sample => sample === 0),
    'the speaker hears nothing of itself',
  )
  assert.ok(levelAt(silent[0]!.samples(2), 0, 8000, 440, 8000) > -9)
})

test('noise below the gate is not passed on; a voice is, from its first frame to 400 ms after its last', () => {
  const words = new Int16Array(100 * frame)
  words.set(noise(40 * frame, 3, 30))
  words.set(noise(10 * frame, 4, 9000), 40 * frame)
  words.set(noise(50 * frame, 5, 30), 50 * frame)
  const listener = new FakeSeat()
  run(roomOf(new FakeSeat(words), listener), 100)
  const received = listener.received.map(({ bytes }) => bytes.some(byte => byte !== 0xff))
  assert.is(received.indexOf(true), 40)
  assert.is(received.lastIndexOf(true), 49 + gateHoldFrames + 1)
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
  const received = listener.samples(1)
  assert.is(received.length, (seconds * 50 - 1) * frame, 'a frame every 20 ms')
  // The slopes of all tones together, and what mu-law rounds.
  const slope = (2 * Math.PI * (6000 * 200 + 5 * 3000 * 450)) / 8000
  assert.ok(greatestStep(received) < slope + 1000, `a step of ${greatestStep(received)}, ${slope} at most`)
  const pieces = Array.from({ length: seconds * 10 - 1 }, (_, n) => levelAt(received, n * 800, 800, 200, 8000))
  assert.ok(Math.min(...pieces) > -14, `the steady one at ${Math.min(...pieces)} dBm0`)
})

test('a room tone reaches all members at once; many joins at the same time do not ring for ever', () => {
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

test('a member whose code fails is removed, and the fault is reported; the others do not notice', () => {
  const failed: Seat[] = []
  const rooms = new ThreadRooms({ opus, failed: seat => failed.push(seat) })
  const [a, b, c] = [new FakeSeat(sine(440, 8000, 8000)), new FakeSeat(), new FakeSeat()]
  for (const seat of [a, b, c]) rooms.join('r', seat, false, () => undefined, 0)
  for (let n = 0; n < 10; n++) {
    if (n === 5) c.failing = true
    rooms.tick(n * 20)
  }
  assert.equal(failed, [c])
  assert.is(c.released, 1)
  assert.is(b.received.length, 10)
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
  const rooms = new ThreadRooms({ opus, failed: seat => failed.push(seat) })
  const seats = [new FakeSeat(), new FakeSeat(), new FakeSeat()]
  const broken = { frameAfter: () => 0, exchange: () => assert.unreachable() } as unknown as RoomLink
  for (const [n, seat] of seats.entries()) {
    rooms.join(n < 2 ? 'bad' : 'good', seat, false, () => (n < 2 ? broken : undefined), 0)
  }
  rooms.tick(0)
  assert.equal(failed, seats.slice(0, 2))
  assert.is(rooms.size, 1)
  rooms.tick(20)
  assert.is(seats[2]!.received.length, 2)
})

test('after a stall owed frames are sent, up to 100 ms, and the clock keeps its grid', () => {
  const seat = new FakeSeat()
  const room = roomOf(seat)
  run(room, 3)
  room.tick(140)
  assert.equal(
    seat.received.map(({ at }) => at),
    [0, 20, 40, 60, 80, 100, 120, 140],
  )
  room.tick(1000)
  assert.is(room.stalls, 1)
  assert.is(seat.received.length, 13)
  room.tick(1020)
  assert.is(seat.received.at(-1)!.at % 20, 0)
})

test.run()
