import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Turn } from '../../../sip/transport/turn.ts'

function bed() {
  const at = { now: 100, turns: 1, waitedMs: 40 }
  const turn = new Turn(() => at.now, { turns: () => at.turns, waitedMs: () => at.waitedMs })
  return {
    turn,
    work: (ms: number) => {
      at.now += ms
    },
    wait: (ms: number) => {
      at.turns++
      at.now += ms
      at.waitedMs += ms
    },
  }
}

test('all who ask in a turn hear the same start and end', () => {
  const { turn, work, wait } = bed()
  wait(10)
  assert.is(turn.began(), 110)
  work(1.5)
  assert.is(turn.began(), 110)
  assert.is(turn.end(), 112)
  wait(5)
  assert.is(turn.began(), 116.5)
})

test('what the thread did before somebody asked belongs to the turn', () => {
  const { turn, work, wait } = bed()
  turn.began()
  wait(10)
  work(6)
  assert.is(turn.began(), 110)
  assert.is(turn.end(), 112)
  assert.is(turn.leastEnd(), 116.5, 'half a millisecond is left for what must go on')
})

test('what is last in a turn has the rest of it, and half a millisecond at least; a short part has no more', () => {
  const { turn, work, wait } = bed()
  wait(10)
  turn.began()
  work(1)
  assert.is(turn.leastEnd(), 112)
  assert.is(turn.shortEnd(), 111.5)
  work(0.75)
  assert.is(turn.leastEnd(), 112.25)
})

test('on a real event loop an immediate belongs to the turn in which it was set, and the next one to the next', async () => {
  const turn = new Turn(() => performance.now())
  await new Promise(resolve => setTimeout(resolve, 1))
  const inTimer = turn.began()
  await new Promise(resolve => setImmediate(resolve))
  // A timer comes last in its turn: this immediate is in the next one.
  const first = turn.began()
  assert.ok(first > inTimer)
  const busy = performance.now() + 2
  while (performance.now() < busy);
  await Promise.resolve()
  assert.is(turn.began(), first)
  assert.ok(turn.end() < performance.now() + 2)
  await new Promise(resolve => setImmediate(resolve))
  assert.ok(turn.began() >= busy)
})

test.run()
