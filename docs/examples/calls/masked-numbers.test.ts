import assert from 'node:assert/strict'
import test from 'node:test'
import { Simulation } from 'sauti/testing'
import { maskedNumbers } from './masked-numbers.ts'

test('the driver sees the number between them, and a third party reaches nobody', async () => {
  const sauti = new Simulation({ documents: maskedNumbers, numbers: ['+254700000006'] })
  const rider = sauti.call('+254700000006', { from: '+254711000601' })
  const driver = await sauti.dials('+254711000602')
  assert.equal(driver.callerId, '+254700000006')
  await rider.hears('+254711000602')
  await rider.hangUp()
  const other = sauti.call('+254700000006', { from: '+254711999999' })
  assert.equal((await other.ended()).reason, 'END.0603')
})
