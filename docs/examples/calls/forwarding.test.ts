import assert from 'node:assert/strict'
import test from 'node:test'
import { Simulation } from 'sauti/testing'
import { forwarding } from './forwarding.ts'

test('the mobile rings for six seconds, then the office answers', async () => {
  const sauti = new Simulation({
    documents: forwarding,
    remotes: { '+254711000501': 'no-answer', '+254711000502': { answersAfter: '2s', hangsUpAfter: '40s' } },
  })
  const caller = sauti.call()
  await caller.hears('+254711000502')
  assert.equal((await caller.ended()).talkSeconds, 41)
  assert.deepEqual(
    sauti.requests.map(({ fields }) => fields.DialCallStatus),
    [undefined, 'no-answer', 'completed'],
  )
})

test('nobody answers', async () => {
  const sauti = new Simulation({ documents: forwarding, otherRemotes: 'busy' })
  await sauti.call().hears('Nobody can take your call')
})
