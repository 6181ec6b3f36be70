import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { keepGivingBackFreeMemory } from '../../../../core/adapters/system/free-memory.ts'

test('free memory is given back every ten seconds until that is ended', () => {
  const [set, clear] = [globalThis.setInterval, globalThis.clearInterval]
  const timer = { unref: () => timer }
  const asked: unknown[] = []
  globalThis.setInterval = ((_work: () => void, ms: number) => {
    asked.push(ms)
    return timer
  }) as unknown as typeof setInterval
  globalThis.clearInterval = ((ended: unknown) => asked.push(ended)) as typeof clearInterval
  try {
    const end = keepGivingBackFreeMemory()
    end()
  } finally {
    globalThis.setInterval = set
    globalThis.clearInterval = clear
  }
  assert.equal(asked, [10_000, timer])
})

test.run()
