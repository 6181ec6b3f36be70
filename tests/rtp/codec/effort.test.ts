import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Effort } from '../../../rtp/codec/effort.ts'

const tickMs = 5
const ticksOf = (seconds: number) => (seconds * 1000) / tickMs
/** Seconds in which each tick takes that share of its time. */
const work = (effort: Effort, share: number, seconds: number): number => {
  for (let n = 0; n < ticksOf(seconds); n++) effort.observe(share * tickMs, tickMs)
  return effort.complexity
}

test('less effort the busier the thread is, one step at a time, and back when there is time', () => {
  const effort = new Effort()
  assert.is(effort.complexity, 5)
  for (const [share, complexity] of [
    [0.3, 5],
    [0.4, 3],
    [0.3, 3],
    [0.5, 3],
    [0.6, 1],
    [0.4, 1],
    [0.3, 3],
    [0.22, 3],
    [0.2, 5],
    [0, 5],
    [1, 1],
    [0, 5],
  ] as const)
    assert.is(work(effort, share, 20), complexity, `${share}`)
})

test('what makes itself less work does not swing: a step down does not lead back up', () => {
  // Of all the work nothing but encoding: a step takes a third of it away.
  const workOf = (complexity: number) => (complexity === 5 ? 1 : complexity === 3 ? 0.7 : 0.47)
  for (let share = 0.05; share < 1.5; share += 0.01) {
    const effort = new Effort()
    for (let n = 0; n < ticksOf(20); n++) effort.observe(share * workOf(effort.complexity) * tickMs, tickMs)
    let changes = 0
    for (let n = 0; n < ticksOf(60); n++) {
      const before = effort.complexity
      effort.observe(share * workOf(before) * tickMs, tickMs)
      if (effort.complexity !== before) changes++
    }
    assert.is(changes, 0, `${share.toFixed(2)} of the time`)
  }
})

test('one stall is no load, however long it was; a tenth of a second that was too short is', () => {
  const effort = new Effort()
  work(effort, 0.25, 20)
  effort.observe(500, tickMs)
  assert.is(effort.complexity, 5)
  work(effort, 0.25, 5)
  assert.ok(work(effort, 2, 0.1) < 5)
})

test.run()
