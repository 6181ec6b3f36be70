import assert from 'node:assert/strict'
import test from 'node:test'
import { Simulation } from 'sauti/testing'
import { spokenCode } from './spoken-code.ts'

test('the code is said digit by digit', async () => {
  const sauti = new Simulation({ documents: spokenCode })
  const callee = await sauti.originate({ to: '+254711000701', customPayload: '4711' })
  assert.equal((await callee.ended()).status, 'completed')
  assert.deepEqual(callee.transcript, ['say "Your code is 4, 7, 1, 1." × 2', 'say "Goodbye."'])
})
