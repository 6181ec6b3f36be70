import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { killsUnderLoad } from '../../bench/kills/kills.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { seeded } from '../rig/probes/seeded.ts'

const kills = Number(process.env.SAUTI_TEST_KILLS ?? 12)

// `npm run bench kills` does it 200 times.
test(`kill -9 at ${kills} random moments under load: nothing open, nothing charged twice, no event lost or doubled`, async () => {
  requirePeers('sipp')
  const seed = Number(process.env.SAUTI_TEST_SEED ?? Date.now() % 1_000_000)
  const random = seeded(seed)
  const result = await killsUnderLoad({ kills, inboundPerSecond: 15, placedPerSecond: 8, random, onProgress: () => {} })
  assert.equal(result.findings, [], `seed ${seed}`)
  assert.is(result.restartMs.length, kills)
  assert.ok(result.interrupted > kills, `${result.interrupted} of ${result.calls} calls were interrupted`)
})

test.run()
