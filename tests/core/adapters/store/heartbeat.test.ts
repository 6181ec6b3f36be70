import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Heartbeat } from '../../../../core/adapters/store/heartbeat.ts'
import type { Log } from '../../../../core/ports/log.ts'
import { TestClock } from '../../bed/store-bed.ts'

test('a database that cannot be written is reported at once, then once a minute, and when it can be again', async () => {
  const clock = new TestClock()
  const lines: string[] = []
  const note = (_fields: object, message: string) => {
    lines.push(`${Math.round(clock.now() / 1000)} ${message.slice(0, 39)}`)
  }
  const log: Log = { error: note, warn: note, info: note, debug: note }
  let answer: () => Promise<boolean> = async () => true
  const heartbeat = new Heartbeat({ heartbeat: { beatWithLiveCalls: () => answer() }, clock, log })
  heartbeat.start()
  const run = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      clock.pass(1000)
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  const began = Math.round(clock.now() / 1000)
  await run(5)
  answer = () => Promise.reject(new Error('database or disk is full'))
  await run(70)
  // No call lives: nothing was written.
  answer = async () => false
  await run(5)
  answer = async () => true
  await run(5)
  heartbeat.stop()
  assert.equal(
    lines.map(line => line.replace(/^\d+/, at => String(Number(at) - began))),
    [
      '6 the database cannot be written: live ca',
      '66 the database cannot be written: live ca',
      '81 the database can be written again',
    ],
  )
})

test.run()
