import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { soak } from '../../bench/soak/soak.ts'
import { HumFollower, humHz, speechLoop } from '../../bench/soak/sounds.ts'
import { linearOfMuLaw } from '../../rtp/codec/g711-tables.ts'

const seconds = 12
const calls = 8

// A slice of `npm run bench soak`: only what must hold on a machine that does other things too. Its times are no test.
test(`${calls} calls between PCMU and Opus, recorded on one thread: nothing missing, nothing twice, numbers and times whole`, async () => {
  const { files, ...result } = await soak({ calls, seconds })
  assert.is(result.holes, 0)
  assert.is(result.timeJumps, 0)
  assert.is(result.failedRecordings, 0)
  assert.is(result.unsent, 0)
  assert.is(result.packetsLost, 0)
  assert.ok(result.packets >= 2 * calls * 50 * (seconds - 1), `${result.packets} packets`)
  assert.is(files.length, calls)
  for (const [call, file] of files.entries()) {
    assert.ok(file.seconds >= seconds, `call ${call}: ${file.seconds} s`)
    assert.is(file.slips, 0, `call ${call}`)
    assert.is(file.drifts, 0, `call ${call}`)
    assert.is(file.wrong, 0, `call ${call}`)
    assert.is(file.humSilent, 0, `call ${call}`)
  }
})

test('what follows the tone finds a frame that is missing, and one that is there twice', () => {
  const tone = (i: number) => 9000 * Math.sin((2 * Math.PI * humHz * i) / 8000)
  const jumps = (from: (i: number) => number) => {
    const follower = new HumFollower()
    for (let i = 0; i < 16_000; i++) follower.receive(tone(from(i)))
    return follower.jumps
  }
  assert.is(
    jumps(i => i),
    0,
  )
  assert.ok(jumps(i => (i < 8000 ? i : i + 160)) > 0)
  assert.ok(jumps(i => (i < 8000 ? i : i - 160)) > 0)
  assert.ok(jumps(i => (i < 8000 ? i : i + 45)) > 0)
})

test('no two places of what the PCMU side says are alike', () => {
  const said = Array.from(speechLoop(), code => linearOfMuLaw[code]!)
  const seen = new Set<string>()
  for (let at = 0; at + 64 <= said.length; at += 64) seen.add(said.slice(at, at + 64).join(' '))
  assert.is(seen.size, said.length / 64)
})

test.run()
