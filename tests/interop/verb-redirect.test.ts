import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { VerbBed } from '../rig/beds/verb-bed.ts'
import { countOf, loudSeconds, through } from '../rig/probes/received-audio.ts'
import { babble } from '../rig/probes/tone.ts'

// <Redirect>: where it leads, what is posted there, and what the caller receives of it.
const redirect = suite('Redirect')

let bed: VerbBed
const [here, there] = [babble(0.4, 1), babble(0.4, 2)]

redirect.before(async () => {
  bed = await VerbBed.open()
  await bed.asset('here', here)
  await bed.asset('there', there)
})
redirect.after(() => bed?.close())

redirect('absolute and relative addresses; what cannot be followed is skipped and reported', async () => {
  const next = '<Play asset="there"/>'
  const rows: [target: () => string, followed: boolean, codes: readonly string[]][] = [
    [() => '/next', true, []],
    [() => 'next', true, []],
    [() => ' /next?step=2 ', true, []],
    [() => bed.customer.url('/next'), true, []],
    [() => '', false, ['DOC.0422']],
    [() => 'ftp://a.test/next', false, ['DOC.0422']],
    [() => 'two words', false, ['DOC.0422']],
  ]
  await Promise.all(
    rows.map(async ([target, followed, codes]) => {
      const behind = followed ? '' : '<Play asset="here"/>'
      const call = await bed.call({
        voice: `<Play asset="here"/><Redirect>${target().replaceAll('&', '&amp;')}</Redirect>${behind}`,
        '/next': next,
      })
      await call.done()
      assert.is(countOf(call.heard(), through(there)), followed ? 1 : 0, target())
      assert.is(countOf(call.heard(), through(here)), followed ? 1 : 2, target())
      const posts = call.posts('/next')
      assert.is(posts.length, followed ? 1 : 0)
      if (followed) assert.is(posts[0]?.body.CallStatus, 'in-progress')
      const reported = (await call.events()).filter(code => code.startsWith('DOC'))
      assert.equal(reported, codes)
    }),
  )
})

redirect('does not answer, and no verb after it runs', async () => {
  const call = await bed.call(
    { voice: '<Redirect>/next</Redirect><Play asset="here"/>', '/next': '<Hangup reason="busy"/>' },
    { scenario: 'caller-busy' },
  )
  await call.done()
  assert.is((await call.post('/next')).body.CallStatus, 'ringing')
  assert.ok((await call.events()).includes('DOC.0204'))
})

redirect('a loop without audio ends with the fallback, which is played', async () => {
  const call = await bed.call({ voice: '<Redirect>/voice</Redirect>' })
  await call.done()
  assert.is((await call.record()).reason_code, 'END.3482')
  assert.is(call.posts('/voice').length, 50)
  assert.ok(loudSeconds(call.heard()) > 1)
})

redirect.run()
