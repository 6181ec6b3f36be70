import assert from 'node:assert/strict'
import test from 'node:test'
import { Simulation } from 'sauti/testing'
import { voicemail } from './voicemail.ts'

test('nobody answers: a message of seven seconds', async () => {
  const sauti = new Simulation({ documents: voicemail, remotes: { '+254711000201': 'no-answer' } })
  const caller = sauti.call()
  await caller.hears('beep')
  await caller.speak('7s')
  await caller.press('#')
  await caller.hears('Thank you')
  await caller.ended()
  assert.equal(sauti.recordings[0]?.duration_seconds, 7)
  assert.equal(sauti.requests.at(-1)?.fields.RecordingDuration, 7)
})
