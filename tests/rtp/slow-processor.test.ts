import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SlowProcessor } from '../../rtp/io/slow-processor.ts'

/** When the processor was left, of a thread that says so often that it is behind. */
const leftWhen = (behindAt: readonly number[], mayLeave = true): { readonly at: number[]; readonly left: number } => {
  const at: number[] = []
  let now = 0
  const processor = new SlowProcessor(() => {
    at.push(now)
    return mayLeave
  })
  for (now of behindAt) processor.fellBehind(now)
  return { at, left: processor.left }
}
const every = (stepMs: number, fromMs: number, toMs: number): number[] =>
  Array.from({ length: Math.ceil((toMs - fromMs) / stepMs) }, (_, n) => fromMs + n * stepMs)

test('a thread that falls behind leaves its processor at once, and once', () => {
  assert.equal(leftWhen([1000, 1001, 1006, 1012]), { at: [1000], left: 1 })
})

test('where the next is no better it is not the processor: the tries become rare', () => {
  const { at } = leftWhen(every(1, 1000, 11_000))
  assert.equal(at.slice(0, 5), [1000, 1020, 1060, 1140, 1300])
  assert.ok(at.length < 17, `${at.length} times in ten seconds`)
})

test('after a second in which all went well it is tried at once again', () => {
  const { at } = leftWhen([...every(1, 1000, 3000), 6000, 6020, 9000])
  assert.equal(at.slice(-3), [6000, 6020, 9000])
})

test('where there is no other processor nothing is counted', () => {
  assert.equal(leftWhen([1000, 5000], false), { at: [1000, 5000], left: 0 })
})

test.run()
