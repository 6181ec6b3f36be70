import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { lineOf, ramp } from '../../bench/overload/ramp.ts'
import { requirePeers } from '../rig/debian.ts'

/**
 * A switch that answers twice the capacity that was found was measured while the machine did something else: four times such
 * a capacity is no overload. It is measured again then.
 */
async function rampAtRest(): ReturnType<typeof ramp> {
  for (let attempt = 1; ; attempt++) {
    const ramped = await ramp({ times: [0.5, 4], secondsPerStep: 6, liveCalls: 6 })
    if (attempt === 3 || ramped.steps[1]!.goodput < 2 * ramped.capacity) return ramped
  }
}

// A slice of `npm run bench overload`: ratios that hold on a machine that does other things too.
test('four times the capacity: calls are refused with 503, those taken and those that live go on', async () => {
  requirePeers('sipp')
  const { capacity, steps, after } = await rampAtRest()
  const loaded = steps[1]!
  const seen = `capacity ${capacity}: ${lineOf(loaded)}`
  assert.ok(loaded.refused > loaded.offered / 4, seen)
  assert.ok(loaded.goodput > 0.4 * capacity, seen)
  assert.ok(loaded.unanswered < 0.02 * loaded.offered, seen)
  assert.ok(loaded.p50 < 250, seen)
  assert.ok(loaded.loss < 0.01, seen)
  assert.ok(loaded.residentMb < 2000, seen)
  assert.ok(after.goodput > 0.8 * after.offered, `afterwards ${lineOf(after)}`)
})

test.run()
