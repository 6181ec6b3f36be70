import assert from 'node:assert/strict'
import test from 'node:test'
import { Simulation } from 'sauti/testing'
import { dialByExtension } from './dial-by-extension.ts'

test('a phone that is not registered, then one that is', async () => {
  const users = [{ extension: '1001' }, { extension: '1002', phone: null }]
  const sauti = new Simulation({ documents: dialByExtension, users })
  const caller = sauti.call()
  await caller.hears('type the extension')
  await caller.press('1002')
  await caller.hears('Nobody answers there')
  await caller.hears('type the extension')
  await caller.press('1001')
  await caller.hears('1001')
  await caller.hangUp()
  assert.deepEqual(
    sauti.requests.flatMap(({ fields }) => fields.DialReasonCode ?? []),
    ['END.1480', 'END.0200'],
  )
})
