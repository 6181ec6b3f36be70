import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SignallingPrecedence } from '../../../../core/adapters/system/signalling-precedence.ts'

/** A system with so many processors; what is asked of it is written down. */
class System {
  count: number
  isAllowed = true
  readonly asked: string[] = []

  constructor(count: number) {
    this.count = count
  }

  readonly processors = (): number => this.count
  readonly goAfterMedia = (): boolean => {
    this.asked.push('real time')
    return this.isAllowed
  }
  readonly leaveRealTime = (): void => {
    this.asked.push('usual')
  }
  readonly v8GoesBefore = (): void => {
    this.asked.push('V8 before others')
  }
  readonly v8GivesWay = (): void => {
    this.asked.push('V8 as usual')
  }
}

test('signalling is in real time where there is a processor more than media threads', () => {
  for (const [processors, mediaThreads, asked] of [
    [1, 0, []],
    [2, 0, []],
    [1, 1, []],
    [2, 1, ['real time', 'V8 before others']],
    [2, 2, []],
    [8, 7, ['real time', 'V8 before others']],
    [4, 8, []],
  ] as const) {
    const system = new System(processors)
    const precedence = new SignallingPrecedence(mediaThreads, system)
    precedence.look()
    precedence.look()
    assert.equal(system.asked, asked, `${processors} processors, ${mediaThreads} media threads`)
  }
})

test('it leaves real time with its processor, and comes back with it', () => {
  const system = new System(2)
  const precedence = new SignallingPrecedence(1, system)
  precedence.look()
  system.count = 1
  precedence.look()
  precedence.look()
  system.count = 4
  precedence.look()
  assert.equal(system.asked, [
    'real time',
    'V8 before others',
    // Before signalling loses its precedence: V8 would go before it.
    'V8 as usual',
    'usual',
    'real time',
    'V8 before others',
  ])
})

test('where the system does not allow it, it is asked again and nothing is taken back', () => {
  const system = new System(2)
  system.isAllowed = false
  const precedence = new SignallingPrecedence(1, system)
  precedence.look()
  precedence.look()
  system.count = 1
  precedence.look()
  assert.equal(system.asked, ['real time', 'real time'])
})

test.run()
