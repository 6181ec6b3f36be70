import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { CommandingThread } from '../../../rtp/io/commanding-thread.ts'

/** A thread that runs on this processor. */
const on = (processor: number) => ({ libc: { sched_getcpu: () => processor } }) as never

test('a media thread knows whether the thread that commands it ran last on its own processor', () => {
  const commanding = new CommandingThread(on(3))
  const seenFrom = (processor: number) => new CommandingThread(on(processor), commanding.memory).runsHere()
  assert.equal([0, 3].map(seenFrom), [false, false], 'nothing is known yet')
  commanding.note()
  assert.equal([0, 3].map(seenFrom), [false, true])
})

test('where the system tells no processor none is known', () => {
  const commanding = new CommandingThread(undefined)
  commanding.note()
  assert.is(new CommandingThread(on(0), commanding.memory).runsHere(), false)
  // −1 is an error of sched_getcpu(3) as well.
  assert.is(new CommandingThread(on(-1), commanding.memory).runsHere(), false)
})

test.run()
