import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { keepGivingBackFreeMemory } from '../../../../core/adapters/system/free-memory.ts'

test('free memory is given back every ten seconds in which the thread had little to do, until that is ended', () => {
  const [set, clear] = [globalThis.setInterval, globalThis.clearInterval]
  const timer = { unref: () => timer }
  const asked: unknown[] = []
  let work = () => {}
  globalThis.setInterval = ((every: () => void, ms: number) => {
    work = every
    asked.push(ms)
    return timer
  }) as unknown as typeof setInterval
  globalThis.clearInterval = ((ended: unknown) => asked.push(ended)) as typeof clearInterval
  // Of the time since it was asked last.
  let busy = 0
  const utilization = () => ({ idle: 0, active: 0, utilization: busy })
  try {
    const end = keepGivingBackFreeMemory(() => asked.push('given'), utilization)
    for (const share of [0.02, 0.5, 0.11, 0.09]) {
      busy = share
      asked.push(share)
      work()
    }
    end()
  } finally {
    globalThis.setInterval = set
    globalThis.clearInterval = clear
  }
  assert.equal(asked, [10_000, 0.02, 'given', 0.5, 0.11, 0.09, 'given', timer])
})

test.run()
