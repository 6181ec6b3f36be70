import assert from 'node:assert/strict'
import test from 'node:test'
import { Simulation } from 'sauti/testing'
import { recordedCall } from './recorded-call.ts'

for (const [key, recordings] of [
  ['1', 1],
  ['2', 0],
] as const) {
  test(`who presses ${key} has ${recordings} recordings`, async () => {
    const sauti = new Simulation({ documents: recordedCall })
    const caller = sauti.call()
    await caller.hears('press one')
    await caller.press(key)
    await caller.hears('+254711000901')
    await sauti.run('30s')
    await caller.hangUp()
    await sauti.run()
    assert.equal(sauti.recordings.length, recordings)
  })
}
