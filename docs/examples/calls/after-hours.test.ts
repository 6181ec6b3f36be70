import assert from 'node:assert/strict'
import test from 'node:test'
import { Simulation } from 'sauti/testing'
import { afterHours } from './after-hours.ts'

test('closed at 07:59 and open a minute later', async () => {
  const startsAt = new Date('2026-03-02T07:59:00+03:00')
  const sauti: Simulation = new Simulation({ documents: afterHours(() => sauti.now), startsAt })
  const early = sauti.call()
  await early.hears('We are closed')
  assert.equal((await early.ended()).cost, '0.00')
  await sauti.run('1m')
  await sauti.call().hears('+254711001201')
})
