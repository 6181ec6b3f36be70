import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { BytePace } from '../../../../core/adapters/queue/byte-pace.ts'

const mega = 1_000_000
const pace = () => new BytePace({ bytesPerSecond: 10 * mega, burstBytes: 2 * mega })

test('an idle owner moves its burst at once, and waits for what exceeds it', () => {
  const one = pace()
  assert.is(one.waitMs('a', 2 * mega, 0), 0)
  assert.is(Math.round(one.waitMs('a', mega, 0)), 100)
  assert.is(one.waitMs('b', mega, 0), 0, 'another owner does not wait')
})

test('a reader that waits for the pauses that it gets moves the limit on average, in whatever pieces', () => {
  for (const piece of [1_000, 64 * 1024, 3 * mega]) {
    const one = pace()
    let nowMs = 5_000
    let bytes = 0
    while (bytes < 50 * mega) {
      nowMs += one.waitMs('a', piece, nowMs)
      bytes += piece
    }
    const expected = 5_000 + ((bytes - 2 * mega) / (10 * mega)) * 1000
    assert.ok(Math.abs(nowMs - expected) < 1, `pieces of ${piece}: ${nowMs} ms, expected ${expected}`)
  }
})

test('time that an owner did not use is no credit beyond its burst', () => {
  const one = pace()
  one.waitMs('a', 2 * mega, 0)
  assert.is(one.waitMs('a', 2 * mega, 3_600_000), 0)
  assert.is(Math.round(one.waitMs('a', mega, 3_600_000)), 100)
})

test('idle owners are forgotten without a change for those who wait', () => {
  const one = pace()
  one.waitMs('busy', 50 * mega, 0)
  for (let owner = 0; owner < 5_000; owner++) one.waitMs(`owner ${owner}`, 1, owner / 10)
  assert.ok(one.waitMs('busy', 0, 500) > 4_000)
})

test.run()
