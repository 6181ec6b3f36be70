import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { DeadlineHeap } from '../../../core/exchange/deadline-heap.ts'
import { seeded } from '../bed/seeded.ts'

test('a key that was removed leaves no entry, however late its deadline was', () => {
  const heap = new DeadlineHeap<object>()
  for (let at = 0; at < 1000; at++) {
    const key = {}
    heap.set(key, 14_400_000)
    heap.set(key, 50)
    heap.set(key, undefined)
  }
  assert.is(heap.size, 0)
  assert.is(heap.next(), undefined)
})

test('any course of changes: due keys come in the order of their deadlines, each once', () => {
  for (let seed = 1; seed <= 50; seed++) {
    const draw = seeded(seed)
    const heap = new DeadlineHeap<string>()
    const model = new Map<string, number>()
    for (let step = 0; step < 400; step++) {
      const key = `k${draw.below(30)}`
      const at = draw.below(5) === 0 ? undefined : draw.below(1000)
      heap.set(key, at)
      if (at === undefined) model.delete(key)
      else model.set(key, at)
      if (draw.below(10) === 0) {
        const now = draw.below(1000)
        const wanted = [...model].filter(([, due]) => due <= now).map(([, due]) => due)
        const taken: number[] = []
        for (let due = heap.takeDue(now); due !== undefined; due = heap.takeDue(now)) {
          taken.push(model.get(due) ?? Number.NaN)
          model.delete(due)
        }
        assert.equal(
          taken,
          wanted.sort((a, b) => a - b),
          `seed ${seed}`,
        )
      }
      assert.is(heap.size, model.size)
      assert.is(heap.next(), model.size === 0 ? undefined : Math.min(...model.values()))
    }
  }
})

test.run()
