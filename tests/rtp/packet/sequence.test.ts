import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SequenceUnwrapper, sequenceAfter, sequenceDelta, timestampDelta } from '../../../rtp/packet/sequence.ts'

test('sequenceDelta is right across the wrap, for every pair of a sample', () => {
  assert.is(sequenceDelta(0, 0xffff), 1)
  assert.is(sequenceDelta(0xffff, 0), -1)
  assert.is(sequenceDelta(0x8000, 0), -32768)
  for (let base = 0; base < 0x10000; base += 257)
    for (let by = -32768; by < 32768; by += 251) assert.is(sequenceDelta((base + by) & 0xffff, base), by)
  assert.is(sequenceAfter(0xffff, 1), 0)
})

test('timestampDelta is right across the wrap', () => {
  assert.is(timestampDelta(100, 0xffffff9c), 200)
  assert.is(timestampDelta(0xffffff9c, 100), -200)
  assert.is(timestampDelta(0xffffffff, 0xffffff00), 255)
})

test('SequenceUnwrapper follows a disordered stream over many cycles', () => {
  const unwrapper = new SequenceUnwrapper()
  assert.is(unwrapper.highest, -1)
  let seed = 7
  for (let index = 65_000; index < 400_000; index += 1 + (seed % 5)) {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 1
    const late = index > 66_000 ? index - (seed % 700) : index
    assert.is(unwrapper.indexOf(late & 0xffff), unwrapper.highest < 0 ? 65_000 : late)
    assert.is(unwrapper.unwrap(index & 0xffff), index)
    assert.is(unwrapper.unwrap(late & 0xffff), late)
    assert.is(unwrapper.highest, index)
  }
})

test('SequenceUnwrapper puts what precedes the first number below zero at its own place', () => {
  const unwrapper = new SequenceUnwrapper()
  assert.is(unwrapper.unwrap(3), 3)
  assert.is(unwrapper.unwrap(0xffff), -1)
  assert.is(unwrapper.highest, 3)
  unwrapper.reset()
  assert.is(unwrapper.unwrap(9), 9)
})

test.run()
