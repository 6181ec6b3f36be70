import assert from 'node:assert/strict'
import test from 'node:test'
import { Simulation } from 'sauti/testing'
import { menu } from './menu.ts'

test('a wrong key, then sales', async () => {
  const sauti = new Simulation({ documents: menu, rates: [{ prefix: '+254', perMinute: '3.00' }] })
  const caller = sauti.call()
  await caller.hears('For sales press one')
  await caller.press('9')
  await caller.hears('not on the menu')
  await caller.hears('For sales press one')
  await caller.press('1')
  const sales = await sauti.dials('+254711000101')
  await sales.answers()
  await sauti.run('65s')
  await sales.hangUp()
  assert.equal((await caller.ended()).cost, '6.00')
})
