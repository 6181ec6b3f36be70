import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { VerbBed } from '../rig/beds/verb-bed.ts'
import { countOf, through } from '../rig/probes/received-audio.ts'
import { babble } from '../rig/probes/tone.ts'

// <Hangup> and <Reject>: which response the caller gets, before the answer and after it.
const hangup = suite('Hangup and Reject')

let bed: VerbBed
const sound = babble(0.4, 1)

hangup.before(async () => {
  bed = await VerbBed.open()
  await bed.asset('sound', sound)
})
hangup.after(() => bed?.close())

hangup('reasons, before the answer and after it', async () => {
  const rows: [verb: string, scenario: string, reason: string, problems: number][] = [
    ['<Hangup/>', 'caller-declined', 'END.0202', 0],
    ['<Hangup reason="busy"/>', 'caller-busy', 'END.0486', 0],
    ['<Hangup reason="rejected"/>', 'caller-declined', 'END.0603', 0],
    ['<Hangup reason="tired"/>', 'caller-declined', 'END.0202', 1],
    ['<Reject/>', 'caller-declined', 'END.0603', 0],
    ['<Reject reason="busy"/>', 'caller-busy', 'END.0486', 0],
    ['<Reject reason="rejected"/>', 'caller-declined', 'END.0603', 0],
    ['<Reject reason="no"/>', 'caller-declined', 'END.0603', 1],
    ['<Play asset="sound"/><Hangup/>', 'caller', 'END.0202', 0],
    ['<Play asset="sound"/><Hangup reason="busy"/>', 'caller', 'END.0202', 0],
    ['<Play asset="sound"/><Reject/>', 'caller', 'END.0202', 0],
  ]
  await Promise.all(
    rows.map(async ([verb, scenario, reason, problems]) => {
      const call = await bed.call(verb, { scenario })
      await call.done()
      const record = await call.record()
      assert.is(record.reason_code, reason, verb)
      assert.is(record.status, scenario === 'caller' ? 'completed' : 'failed', verb)
      assert.is(countOf(call.heard(), through(sound)), scenario === 'caller' ? 1 : 0, verb)
      assert.is(call.rtp.received.length === 0, scenario !== 'caller', `${verb}: no audio before the answer`)
      assert.is(await call.problems(), problems, verb)
      if (scenario !== 'caller') assert.is(record.cost, '0.00')
    }),
  )
})

hangup('nothing behind it runs', async () => {
  const call = await bed.call('<Hangup/><Play asset="sound"/>', { scenario: 'caller-declined' })
  await call.done()
  assert.ok((await call.events()).includes('DOC.0204'))
})

hangup.run()
