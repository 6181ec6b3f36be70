import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ProcessorChoice } from '../../../rtp/io/processor-choice.ts'

/** The moments at which a thread left its processor, by the moments at which it reported that it was late. */
const leftWhen = (behindAt: readonly number[], mayLeave = true): { readonly at: number[]; readonly left: number } => {
  const at: number[] = []
  let now = 0
  const processor = new ProcessorChoice(() => {
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
  assert.equal(at.slice(0, 4), [1000, 1040, 1120, 1280])
  assert.ok(at.length < 16, `${at.length} times in ten seconds`)
})

test('a thread that was well for a while leaves at once again', () => {
  const { at } = leftWhen([...every(1, 1000, 3000), 3060, 3061, 3200, 3210, 9000])
  assert.equal(at.slice(-3), [3060, 3200, 9000])
})

test('where there is no other processor nothing is counted', () => {
  assert.equal(leftWhen([1000, 5000], false), { at: [1000, 5000], left: 0 })
})

/** A thread stands aside at these moments; before, it has left a slow processor at `slowAt`. */
const asideWhen = (metAt: readonly number[], slowAt?: number): { readonly at: number[]; readonly left: number } => {
  const at: number[] = []
  let now = slowAt ?? 0
  const processor = new ProcessorChoice(() => {
    at.push(now)
    return true
  })
  if (slowAt !== undefined) processor.fellBehind(slowAt)
  for (now of metAt) processor.standAside(now)
  return { at, left: processor.left }
}

test('a thread that meets the one that commands it goes elsewhere, but not after it at each tick', () => {
  assert.equal(asideWhen(every(5, 1000, 1050)), { at: [1000, 1020, 1040], left: 0 })
})

test('a thread that has left a slow processor does not return to it for a second, whichever other thread is there', () => {
  assert.equal(asideWhen(every(5, 1005, 2010), 1000).at, [1000, 2000])
})

test.run()
