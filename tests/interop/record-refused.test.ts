import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Documents, VerbBed, type VerbCall } from '../rig/beds/verb-bed.ts'
import { encodePcmu } from '../rig/probes/g711.ts'
import { sine } from '../rig/probes/tone.ts'

// A folder of recordings in which nothing can be made: the recording fails, and says so; the call goes on.
const refused = suite('recordings that cannot begin')

let bed: VerbBed

refused.before(async () => {
  bed = await VerbBed.open()
  const folder = join(bed.on.dataFolder, 'recordings')
  rmSync(folder, { recursive: true })
  writeFileSync(folder, 'no folder')
})
refused.after(() => bed?.close())

const goesOn = '<Say>It goes on.</Say>'

refused('RecordSession and Record of either kind: REC.0400, and the document runs to its end', async () => {
  const documents: readonly Documents[] = [
    `<RecordSession/>${goesOn}`,
    `<RecordSession format="ogg"/>${goesOn}`,
    `<Record timeout="1"/>${goesOn}`,
    { voice: '<Record timeout="1" format="ogg" action="/recorded"/>', '/recorded': goesOn },
  ]
  const calls = await Promise.all(documents.map(each => bed.call(each)))
  const speak = async (call: VerbCall) => {
    await call.answered()
    await call.rtp.stream(encodePcmu(sine(500, 1)))
  }
  await Promise.all(calls.map(speak))
  for (const call of calls) {
    await call.done()
    assert.is((await call.record()).reason_code, 'END.0202')
    const reported = (await call.events()).filter(code => code.startsWith('REC'))
    assert.equal(reported, ['REC.0100', 'REC.0400'])
  }
  assert.is((await calls[3]!.post('/recorded')).body.RecordingDuration, 0)
})

refused.run()
