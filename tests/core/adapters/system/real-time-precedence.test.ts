import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { RealTimePrecedence } from '../../../../core/adapters/system/real-time-precedence.ts'

/** A system that writes down what is asked of it. */
class System {
  isReady = true
  isAllowed = true
  readonly asked: string[] = []

  readonly isDue = (): boolean => this.isReady
  readonly goInRealTime = (): boolean => {
    this.asked.push('real time')
    return this.isAllowed
  }
  readonly leaveRealTime = (): void => {
    this.asked.push('usual')
  }
}

test('a thread is in real time while that is due, and asks for each change once', () => {
  const system = new System()
  const precedence = new RealTimePrecedence(system)
  for (const isReady of [false, true, true, false, false, true]) {
    system.isReady = isReady
    precedence.look()
  }
  assert.equal(system.asked, ['real time', 'usual', 'real time'])
})

test('where the system does not allow it, it is asked again and nothing is taken back', () => {
  const system = new System()
  system.isAllowed = false
  const precedence = new RealTimePrecedence(system)
  precedence.look()
  precedence.look()
  system.isReady = false
  precedence.look()
  assert.equal(system.asked, ['real time', 'real time'])
})

test.run()
