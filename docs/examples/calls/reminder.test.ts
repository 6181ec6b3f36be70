import assert from 'node:assert/strict'
import test from 'node:test'
import { Simulation } from 'sauti/testing'
import { reminder } from './reminder.ts'

test('the patient changes the appointment', async () => {
  const sauti = new Simulation({ documents: reminder })
  const patient = await sauti.originate({ to: '+254711000802' })
  await patient.hears('tomorrow at nine')
  await patient.press('2')
  await patient.hears('+254711000801')
})

test('a patient who presses nothing is called again', async () => {
  const sauti = new Simulation({ documents: reminder })
  const patient = await sauti.originate({ to: '+254711000802' })
  await patient.hears('We will call again')
  assert.equal((await patient.ended()).reason, 'END.0202')
})
