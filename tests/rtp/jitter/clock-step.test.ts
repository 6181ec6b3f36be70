import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ClockStep } from '../../../rtp/jitter/clock-step.ts'
import { kinds, listen, stream } from './jitter-listener.ts'

// A gateway that joins another stream to a call keeps source and numbers and forgets the times: this must be inaudible.

const sets = [-40_000, -990, -500, -100, -40, 100, 200, 500, 990, 40_000]

for (const stretches of [true, false]) {
  for (const ms of sets) {
    test(`a clock that is set by ${ms} ms moves nothing, ${stretches ? 'stretched' : 'by frames'}`, () => {
      const even = stream(600).map((one, i) => ({ ...one, at: one.at + (i % 3) * 4 }))
      const set = even.map((one, i) => (i < 200 ? one : { ...one, timestamp: (one.timestamp + ms * 8) >>> 0 }))
      const { buffer, received, frames } = listen(set, 12_300, { stretches })
      assert.equal(
        frames.map(one => one.timestamp),
        set.map(one => one.timestamp),
      )
      assert.match(kinds(received), /^w+f+w*$/, 'neither silence nor a loss')
      const { lost, late, dropped } = buffer.counters
      assert.equal([lost, late, dropped], [0, 0, 0])
      const still = listen(even, 12_300, { stretches }).buffer
      assert.ok(Math.abs(buffer.delayMs - still.delayMs) <= 20, `${buffer.delayMs} ms, unset ${still.delayMs}`)
    })
  }
}

test('a clock that is set every second is followed every time', () => {
  const set = stream(600).map((one, i) => ({
    ...one,
    timestamp: (one.timestamp + 8 * 37 * Math.floor(i / 50) * (i % 100 < 50 ? -9 : 11)) >>> 0,
  }))
  const { received, frames } = listen(set, 12_300, { stretches: true })
  assert.is(frames.length, set.length)
  assert.match(kinds(received), /^w+f+w*$/)
})

test('pauses, losses, disorder and a network that halts set no clock', () => {
  const reported = (of: readonly { at: number; sequence: number; timestamp: number }[]) => {
    const step = new ClockStep(8000)
    return new Set(of.map(one => step.judge(one.sequence, one.timestamp, one.at)))
  }
  const even = stream(400)
  const only = new Set(['none'])
  assert.equal(reported(even), only)
  assert.equal(reported(even.filter((_, i) => i < 100 || i > 180)), only, 'a pause whose time runs')
  const halted = even.map((one, i) => ({ ...one, at: i >= 100 && i < 150 ? 3020 + (i - 100) * 0.1 : one.at }))
  assert.equal(reported(halted), only, 'what comes all at once')
  const swapped = even.map((one, i) => even[i % 10 === 4 ? i + 1 : i % 10 === 5 ? i - 1 : i] ?? one)
  assert.equal(reported(swapped), only, 'disorder')
  assert.equal(reported(even.flatMap(one => [one, one])), only, 'twice')
})

test.run()
