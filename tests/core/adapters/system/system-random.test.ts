import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { systemRandom } from '../../../../core/adapters/system/system-clock.ts'

test('random bytes have the length that is asked for, and none are given twice', () => {
  for (const length of [0, 1, 4, 63, 64, 65, 300]) assert.is(systemRandom.bytes(length).length, length)
  const seen = new Set<string>()
  // More than one portion, in pieces that do not divide it.
  for (let n = 0; n < 3000; n++) seen.add(Buffer.from(systemRandom.bytes(9)).toString('hex'))
  assert.is(seen.size, 3000)
})

test('what was given is its owner’s alone', () => {
  const first = systemRandom.bytes(32)
  const copy = first.slice()
  const second = systemRandom.bytes(32)
  second.fill(1)
  assert.equal(first, copy)
  assert.is(first.buffer.byteLength, 32)
})

test.run()
