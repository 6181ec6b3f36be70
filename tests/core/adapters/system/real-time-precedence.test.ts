import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { RealTimePrecedence } from '../../../../core/adapters/system/real-time-precedence.ts'

/** A system with so many processors; what is asked of it is written down. */
class System {
  count: number
  isAllowed = true
  readonly asked: string[] = []

  constructor(count: number) {
    this.count = count
  }

  readonly processors = (): number => this.count
  readonly goInRealTime = (): boolean => {
    this.asked.push('real time')
    return this.isAllowed
  }
  readonly leaveRealTime = (): void => {
    this.asked.push('usual')
  }
}

test('a thread is in real time where there is a processor more than media threads', () => {
  for (const [processors, mediaThreads, asked] of [
    [1, 0, []],
    [2, 0, []],
    [1, 1, []],
    [2, 1, ['real time']],
    [2, 2, []],
    [8, 7, ['real time']],
    [4, 8, []],
  ] as const) {
    const system = new System(processors)
    const precedence = new RealTimePrecedence(mediaThreads, system)
    precedence.look()
    precedence.look()
    assert.equal(system.asked, asked, `${processors} processors, ${mediaThreads} media threads`)
  }
})

test('it leaves real time with its processor, and comes back with it', () => {
  const system = new System(2)
  const precedence = new RealTimePrecedence(1, system)
  precedence.look()
  system.count = 1
  precedence.look()
  precedence.look()
  system.count = 4
  precedence.look()
  assert.equal(system.asked, ['real time', 'usual', 'real time'])
})

test('where the system does not allow it, it is asked again and nothing is taken back', () => {
  const system = new System(2)
  system.isAllowed = false
  const precedence = new RealTimePrecedence(1, system)
  precedence.look()
  precedence.look()
  system.count = 1
  precedence.look()
  assert.equal(system.asked, ['real time', 'real time'])
})

test.run()
