import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pcmu } from '../../rtp/index.ts'
import { Room } from '../../rtp/mix/room.ts'
import { linkBytesOf, linkLagFrames, RoomLink } from '../../rtp/mix/room-link.ts'
import { sine } from '../rtp/bed/audio-measure.ts'
import { FakeSeat } from '../rtp/bed/fake-seat.ts'
import { clip, frame, noise, opus } from './room-bed.ts'

// The mixer without sessions: a room whose members live on different threads.

/** Parts of one room, each with a clock of its own. */
const linked = (offsets: readonly number[]) => {
  const memory = new SharedArrayBuffer(linkBytesOf(offsets.length))
  return offsets.map((offset, part) => {
    const link = new RoomLink({ memory, part, parts: offsets.length, phaseMs: 0 }, -offset)
    const room = new Room({ opus, failed: (_seat, error) => assert.unreachable(String(error)) }, link, offset)
    return { room, offset }
  })
}

test('a room on three threads: each member receives all others exactly, two frames later from another thread', () => {
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
      assert.equal(seat.received[at]!.bytes, bytes, `${n} at ${at}`)
    }
  }
})

test('members of a thread that stalls or ends are silent for the others, and audible again when it is back', () => {
  const [one, two] = linked([0, 0])
  const listener = new FakeSeat()
  const speaker = new FakeSeat(sine(440, 200 * frame, 8000))
  one!.room.join(listener, false)
  two!.room.join(speaker, false)
  for (let n = 0; n < 100; n++) {
    one!.room.tick(20 * n)
    if (n < 30 || n >= 60) two!.room.tick(20 * n)
  }
  const loud = listener.received.map(({ bytes }) => bytes.some(byte => byte !== 0xff))
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

test.run()
