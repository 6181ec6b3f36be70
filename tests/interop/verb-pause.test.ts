import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { VerbBed } from '../rig/beds/verb-bed.ts'
import { placeOf, through } from '../rig/probes/received-audio.ts'
import { babble } from '../rig/probes/tone.ts'

// <Pause>: its length's default, limits and bad values, as the silence between two sounds.
const pause = suite('Pause')

let bed: VerbBed
const [first, last] = [babble(0.5, 1), babble(0.5, 2)]

pause.before(async () => {
  bed = await VerbBed.open()
  await bed.asset('first', first)
  await bed.asset('last', last)
})
pause.after(() => bed?.close())

pause('the silence that is heard', async () => {
  const rows: [attributes: string, seconds: number, problems: number][] = [
    ['', 1, 0],
    ['length="0"', 0, 0],
    ['length="2"', 2, 0],
    ['length="0.5"', 0.5, 0],
    ['length="601"', 1, 1],
    ['length="-1"', 1, 1],
    ['length="long"', 1, 1],
    ['seconds="3"', 1, 1],
  ]
  await Promise.all(
    rows.map(async ([attributes, seconds, problems]) => {
      const call = await bed.call(`<Play asset="first"/><Pause ${attributes}/><Play asset="last"/>`)
      await call.done()
      const received = call.heard()
      const from = placeOf(received, through(first)) + first.length
      const silence = (placeOf(received, through(last)) - from) / 8000
      assert.ok(silence >= seconds - 0.05 && silence < seconds + 0.45, `${attributes}: ${silence} s`)
      assert.is(await call.problems(), problems)
    }),
  )
})

pause('before the answer it delays it', async () => {
  const call = await bed.call('<Pause length="2"/><Play asset="last"/>')
  const asked = await call.post('/voice')
  await call.answered()
  const ms = Date.now() - asked.at
  await call.done()
  assert.ok(ms > 1900 && ms < 3000, `${ms} ms`)
  assert.ok(placeOf(call.heard(), through(last)) >= 0)
})

pause.run()
