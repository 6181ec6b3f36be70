import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sideBySide } from '../rig/beds/side-by-side.ts'
import { VerbBed } from '../rig/beds/verb-bed.ts'
import { countOf, loudSeconds, placeOf, through } from '../rig/probes/received-audio.ts'
import { babble } from '../rig/probes/tone.ts'

// <Say>: each attribute's default, limits, bad values, and what the caller receives of them.
const say = suite('Say')
const calls = sideBySide(say)

let bed: VerbBed
const end = babble(0.4, 9)

say.before(async () => {
  bed = await VerbBed.open()
  await bed.asset('end', end)
})
say.after(() => bed?.close())

/** What is received of a verb: all before the mark after it. */
async function spoken(verb: string) {
  const call = await bed.call(`${verb}<Play asset="end"/>`)
  await call.done()
  const received = call.heard()
  const mark = placeOf(received, through(end))
  assert.ok(mark >= 0, `${verb}: the next verb is heard`)
  const codes = (await call.events()).filter(code => /^(DOC|SAY)/.test(code))
  const record = await call.record()
  return { samples: trimmed(received.subarray(0, mark)), codes, seconds: record.tts_seconds as number }
}

/**
 * The same, of text that has been spoken before. New text is received while it is being made, and where the engine gets no
 * processor in time there is silence between two pieces: only what is whole is compared bit by bit.
 */
async function spokenAgain(verb: string) {
  await spoken(verb)
  return spoken(verb)
}

function trimmed(samples: Int16Array): Int16Array {
  let from = 0
  let to = samples.length
  while (from < to && samples[from] === 0) from++
  while (to > from && samples[to - 1] === 0) to--
  return samples.slice(from, to)
}

const text = 'Karibu. Your balance is twelve shillings.'

calls('loop, voice, language, and bad values', async () => {
  const plain = await spokenAgain(`<Say>${text}</Say>`)
  assert.equal(plain.codes, [])
  assert.ok(loudSeconds(plain.samples) > 1, `${loudSeconds(plain.samples)} s`)
  assert.ok(plain.seconds >= 1)
  const core = plain.samples.subarray(800, plain.samples.length - 800)
  const rows: [verb: string, copies: number, codes: readonly string[]][] = [
    [`<Say loop="1">${text}</Say>`, 1, []],
    [`<Say loop="3">${text}</Say>`, 3, []],
    [`<Say loop="1001">${text}</Say>`, 1, ['DOC.0422']],
    [`<Say voice="en-gb">${text}</Say>`, 1, []],
    [`<Say language="en-GB">${text}</Say>`, 1, []],
    // An unknown name: the default speaks.
    [`<Say voice="Nobody">${text}</Say>`, 1, ['SAY.0404']],
    [`<Say voice="${'x'.repeat(65)}">${text}</Say>`, 1, ['DOC.0422']],
    [`<Say language="not a language">${text}</Say>`, 1, ['DOC.0422']],
    [`<Say pitch="9">${text}</Say>`, 1, ['DOC.0422']],
    [`<Say voice="woman">${text}</Say>`, 0, []],
    [`<Say language="sw">${text}</Say>`, 0, []],
    ['<Say>Other words altogether.</Say>', 0, []],
  ]
  await Promise.all(
    rows.map(async ([verb, copies, codes]) => {
      const { samples, codes: reported } = await spoken(verb)
      assert.equal(reported, codes, verb)
      assert.is(countOf(samples, core), copies, verb)
      assert.ok(loudSeconds(samples) > 0.8, `${verb} is heard`)
    }),
  )
})

calls('too long, empty: not spoken, reported, and the call goes on', async () => {
  const rows: [verb: string, codes: readonly string[]][] = [
    [`<Say>${'a '.repeat(2049)}</Say>`, ['SAY.0413']],
    ['<Say> </Say>', ['DOC.0422']],
    ['<Say/>', ['DOC.0422']],
  ]
  await Promise.all(
    rows.map(async ([verb, codes]) => {
      const got = await spoken(verb)
      assert.equal(got.codes, codes)
      assert.is(loudSeconds(got.samples), 0)
      assert.is(got.seconds, 0)
    }),
  )
})

calls('markup: a break is silence, sub is what is said instead', async () => {
  const [short, long, sub, plain] = await Promise.all([
    spokenAgain('<Say>One<break time="100ms"/>two.</Say>'),
    spokenAgain('<Say>One<break time="2s"/>two.</Say>'),
    spokenAgain('<Say><sub alias="World Health Organization">WHO</sub></Say>'),
    spokenAgain('<Say>World Health Organization</Say>'),
  ])
  const longer = (long.samples.length - short.samples.length) / 8000
  assert.ok(Math.abs(longer - 1.9) < 0.4, `${longer} s longer`)
  const ratio = sub.samples.length / plain.samples.length
  assert.ok(ratio > 0.8 && ratio < 1.25, `${ratio}`)
})

calls('loop 0 speaks until the caller hangs up', async () => {
  const once = await spokenAgain('<Say>Wait.</Say>')
  const call = await bed.call('<Say loop="0">Wait.</Say>', { scenario: 'caller-hangs-up', pauseMs: 5000 })
  await call.done()
  const core = once.samples.subarray(400, once.samples.length - 400)
  assert.ok(countOf(call.heard(), core) >= 3, `${countOf(call.heard(), core)} times`)
})

say.run()
