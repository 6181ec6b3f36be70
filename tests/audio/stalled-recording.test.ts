import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { recordedThrough, type Weather } from './stalled-talk.ts'

// Whatever stands still makes packets late, and never early: that is no other clock. Not one sample of a remote whose
// clock is ours may be missing in its recording, or be there twice.

const isWhole = (weather: Weather): void => {
  for (const [side, { wrong, slips, lateMs }] of recordedThrough(weather).entries()) {
    const where = `seed ${weather.seed}, ${side === 0 ? 'left' : 'right'}`
    assert.ok(lateMs.length >= Math.floor(weather.minutes * 60) - 2, `${where}: ${lateMs.length} s`)
    assert.equal({ wrong, slips }, { wrong: 0, slips: 0 }, where)
  }
}

test('ten minutes in which the thread, remotes or the machine stand still once a second: every sample as it was said', () => {
  isWhole({ seed: 1, minutes: 10, stallsPerMinute: 60 })
  for (const who of ['thread', 'remotes', 'machine'] as const)
    isWhole({ seed: 2, minutes: 4, stallsPerMinute: 60, who: [who] })
})

test('remotes that send up to 15 ms late for seconds, again and again: that is no other clock', () => {
  isWhole({ seed: 4, minutes: 10, stallsPerMinute: 10, lateShare: 0.3 })
})

test('recordings that begin while something stands still', () => {
  for (let seed = 1; seed <= 40; seed++) isWhole({ seed, minutes: 0.1, beginsStill: true })
})

for (const [what, weather] of [
  ['in calm weather', {}],
  ['with stalls and remotes that are late for seconds', { stallsPerMinute: 10, lateShare: 0.3 }],
] as const) {
  test(`clocks 200 ppm apart, ${what}: nothing wrong, and the sides within 20 ms once it is known`, () => {
    for (const ppm of [
      [100, -100],
      [-200, 0],
    ] as const) {
      const [left, right] = recordedThrough({ seed: 6, minutes: 10, ppm, ...weather })
      assert.equal([left.wrong, right.wrong], [0, 0])
      // Each slip is of one sample: this many were needed.
      for (const [side, { slips }] of [left, right].entries()) {
        const due = Math.abs(ppm[side]!) * 0.6 * 8
        assert.ok(slips <= due + 8 && slips >= due - 150, `${ppm[side]} ppm: ${slips} samples, due ${due}`)
      }
      const apart = left.lateMs.map((ms, at) => Math.abs(ms - (right.lateMs[at] ?? ms)))
      // A tick of 5 ms distinguishes two clocks only when they are two ticks apart, and half a minute later.
      const behind = Math.max(...apart.slice(180))
      assert.ok(apart.length > 590 && behind <= 20, `${ppm}: ${behind} ms`)
      assert.ok(Math.max(...apart) <= 24, `${ppm}: ${Math.max(...apart)} ms before that`)
    }
  })
}

test.run()
