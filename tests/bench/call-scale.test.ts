import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { callSection, isBorne, type RatePoint, wallOf } from '../../bench/load/call-scale.ts'

const point = (callsPerSecond: number, change: Partial<RatePoint> = {}): RatePoint => ({
  callsPerSecond,
  seconds: 10,
  answered: 10 * callsPerSecond,
  refused: 0,
  failed: 0,
  unanswered: 0,
  setUpMs: { p50: 4, p99: 40 },
  refusedP99Ms: 0,
  threads: { signalling: 1, store: 0.5, media: 0.8, 'thread pool': 0.2 },
  busy: 0.5,
  residentMb: 300,
  descriptors: 90,
  writtenKb: 20,
  generatorKeptUp: true,
  ...change,
})

test('few cores are full before any thread is; then the busiest single thread is the wall', () => {
  assert.equal(wallOf(point(200), 2), { cores: 2, callsPerSecond: 680, name: 'all cores' })
  assert.equal(wallOf(point(200), 8), { cores: 8, callsPerSecond: 850, name: 'the signalling thread: one core' })
  const slowStore = point(200, { threads: { signalling: 1, store: 2, media: 0.5 } })
  assert.equal(wallOf(slowStore, 32), { cores: 32, callsPerSecond: 425, name: 'the store thread: one core' })
})

test('a rate with a call that failed or had no answer, with many refused ones, or that sipp could not offer, is not borne', () => {
  assert.ok(isBorne(point(50)))
  assert.ok(isBorne(point(50, { answered: 499, refused: 1 })))
  assert.not(isBorne(point(50, { answered: 490, refused: 10 })))
  assert.not(isBorne(point(50, { unanswered: 1 })))
  assert.not(isBorne(point(50, { failed: 1 })))
  assert.not(isBorne(point(50, { generatorKeptUp: false })))
})

test('the section has a row for each rate, names those beyond the capacity, and reckons from the last one that was borne', () => {
  const over = (rate: number) => point(rate, { answered: 3000, refused: 10 * rate - 3000, refusedP99Ms: 60 })
  const text = callSection([point(50), point(200), over(500), over(700)])
  for (const row of [
    /^\| 50 \| 500 \(50\) \| 0 \| 0 \| 0 \|/m,
    /^\| 200 \| 2000 \(200\) \| 0 \| 0 \| 0 \|/m,
    /^\| 500 \| 3000 \(300\) \| 2000, 60 ms \| 0 \| 0 \|/m,
    /^\| 700 \| 3000 \(300\) \| 4000, 60 ms \| 0 \| 0 \|/m,
  ])
    assert.match(text, row)
  assert.match(text, /Beyond what this core bears: 500, 700 a second/)
  assert.match(text, /By the costs at 200 a second/)
  assert.match(text, /^\| 8 \| 850 \| the signalling thread: one core \| 16\.6 MB a second \|$/m)
  assert.not.match(callSection([point(50)]), /Beyond/)
})

test('a rate that sipp could not offer is named, and nothing is reckoned from it', () => {
  const text = callSection([point(50), point(700, { generatorKeptUp: false })])
  assert.match(text, /could not offer 700 a second/)
  assert.match(text, /By the costs at 50 a second/)
})

test.run()
