import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { lineOf, ramp } from '../../bench/overload/ramp.ts'
import { requirePeers } from '../rig/beds/debian.ts'

// A slice of `npm run bench overload`: ratios that hold on a machine that does other things too.
test('four times the capacity: calls are refused with 503, those taken and those that live go on', async () => {
  requirePeers('sipp')
  const { capacity, steps, after } = await ramp({ times: [0.5, 4], secondsPerStep: 6, liveCalls: 6, attempts: 1 })
  const loaded = steps[1]!
  const seen = `capacity ${capacity}: ${lineOf(loaded)}`
  // Capacity that was found while the machine was busy, or the switch new, may be a third of what it is: four times that
  // is no overload then, and most calls are answered.
  assert.ok(loaded.refused > loaded.offered / 4 || loaded.goodput > 2 * capacity, seen)
  assert.ok(loaded.goodput > 0.4 * capacity, seen)
  assert.ok(loaded.unanswered < 0.02 * loaded.offered, seen)
  assert.ok(loaded.p50 < 250, seen)
  assert.ok(loaded.loss < 0.01, seen)
  assert.ok(loaded.residentMb < 2000, seen)
  assert.ok(after.goodput > 0.8 * after.offered, `afterwards ${lineOf(after)}`)
})

test.run()
