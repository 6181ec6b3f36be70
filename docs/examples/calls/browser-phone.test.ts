import assert from 'node:assert/strict'
import test from 'node:test'
import { Simulation } from 'sauti/testing'
import { browserPhone } from './browser-phone.ts'

test('the phone of the desk calls out, and is called', async () => {
  const users = [{ extension: '1001', email: 'desk@example.com' }]
  const sauti = new Simulation({ documents: browserPhone, users, numbers: ['+254700000011'] })
  const phone = sauti.callFrom('1001', '+254711001101')
  const callee = await sauti.dials('+254711001101')
  assert.equal(callee.callerId, '+254700000011')
  await phone.hears('+254711001101')
  assert.equal((await phone.hangUp()).reason, 'END.0200')
  const caller = sauti.call('+254700000011')
  await caller.hears('1001')
  await caller.hangUp()
})
