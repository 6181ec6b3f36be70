import { setImmediate as readAll } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sideBySide } from '../rig/beds/side-by-side.ts'
import { VerbBed, type VerbCall } from '../rig/beds/verb-bed.ts'
import type { Received } from '../rig/peers/rtp-endpoint.ts'
import { countOf, placeOf, placesOf, secondsOf, through } from '../rig/probes/received-audio.ts'
import { babble, sine } from '../rig/probes/tone.ts'
import { until } from '../rig/probes/wait.ts'

// <Gather>: each attribute's default, limits, bad values, and their effect on what the caller receives.
const gather = suite('Gather')
const calls = sideBySide(gather)

let bed: VerbBed
const prompt = sine(700, 6)
const short = through(babble(0.5, 5))

gather.before(async () => {
  bed = await VerbBed.open()
  await bed.asset('prompt', prompt)
  await bed.asset('short', babble(0.5, 5))
})
gather.after(() => bed?.close())

const after = '<Play asset="short"/>'
const rfc4733 = (key: string) => '0123456789*#ABCD'.indexOf(key)

async function press(call: VerbCall, keys: string): Promise<void> {
  for (const key of keys) await call.rtp.digit(rfc4733(key), 101, 60)
}

const isSilence = ({ payload }: Received): boolean => payload.every(byte => byte === 0xff)

interface Row {
  readonly what: string
  readonly attributes: string
  /** What is typed, and how long after the answer. */
  readonly keys: string
  readonly afterMs?: number
  readonly posted: string | undefined
  readonly problems?: number
}

const rows: readonly Row[] = [
  { what: 'ends at the finish key', attributes: '', keys: '12#', posted: '12' },
  { what: 'ends when nothing follows for 5 s by default', attributes: '', keys: '12', posted: '12' },
  { what: 'ends at the number of digits', attributes: 'numDigits="2"', keys: '123', posted: '12' },
  { what: 'waits for as long as the attribute says', attributes: 'timeout="3"', keys: '5', posted: '5' },
  { what: 'takes other finish keys', attributes: 'finishOnKey="*"', keys: '1#2*', posted: '1#2' },
  { what: 'takes none', attributes: 'finishOnKey="" timeout="3"', keys: '1#*', posted: '1#*' },
  { what: 'without digits the next verb runs', attributes: 'timeout="1"', keys: '', posted: undefined },
  { what: 'only the finish key is no digit', attributes: '', keys: '#', posted: undefined },
  {
    what: 'bad values leave the defaults',
    attributes: 'numDigits="0" timeout="-1" finishOnKey="x"',
    keys: '12#',
    posted: '12',
    problems: 3,
  },
  { what: 'other inputs are not there', attributes: 'input="speech"', keys: '1#', posted: '1', problems: 1 },
]

calls('attributes, ten calls at once', async () => {
  await Promise.all(
    rows.map(async row => {
      const call = await bed.call({ voice: `<Gather action="/digits" ${row.attributes}/>${after}`, '/digits': after })
      await call.answered()
      await press(call, row.keys)
      await call.done()
      const posts = call.posts('/digits')
      assert.equal(
        posts.map(post => post.body.Digits),
        row.posted === undefined ? [] : [row.posted],
        `${row.what}: ${(await call.events()).join(' ')}`,
      )
      assert.is(countOf(call.heard(), short), 1, `${row.what}: what comes next is heard`)
      assert.is(await call.problems(), row.problems ?? 0, row.what)
    }),
  )
})

calls('the first digit stops the prompt at once; digits typed into it are kept', async () => {
  const voice = `<Gather action="/digits" numDigits="3"><Play asset="prompt"/><Play asset="prompt"/></Gather>`
  const call = await bed.call({ voice, '/digits': after })
  await call.answered()
  await until('the prompt', () => placesOf(call.heard(), 700).length > 40)
  // A key that is held for 0.4 s: silence long before it is up. Counted in frames of 20 ms, by their numbers: when this
  // process reads them depends on the machine.
  await readAll()
  const before = call.rtp.received.length
  const down = call.rtp.received[before - 1]!.sequence
  await call.rtp.digit(4, 101, 400)
  await until('silence', () => call.rtp.received.slice(-15).every(isSilence))
  await call.rtp.more(15)
  const rest = call.rtp.received.slice(before)
  assert.ok(rest.length > 20)
  const sounding = rest.filter(packet => !isSilence(packet)).map(({ sequence }) => (sequence - down) & 0xffff)
  assert.ok(Math.max(0, ...sounding) <= 10, `frames of the prompt after the key: ${sounding}`)
  await press(call, '56')
  assert.is((await call.post('/digits')).body.Digits, '456')
  await call.done()
  assert.ok(secondsOf(call.heard(), 700) < 2.5, `${secondsOf(call.heard(), 700)} s of prompt`)
  assert.is(countOf(call.heard(), short), 1)
})

calls('prompts in order: Say, Pause, Play, then the time runs', async () => {
  const voice = `<Gather timeout="2"><Say>Hello</Say><Pause length="1"/><Play asset="short"/></Gather><Play asset="prompt"/><Hangup/>`
  const call = await bed.call(voice)
  await call.done()
  const heard = call.heard()
  const place = placeOf(heard, short)
  const next = placesOf(heard, 700)[0] ?? 0
  assert.ok(place > 8000 * 1.2, `${place / 8000} s`)
  const silence = (next - place - short.length) / 8000
  // What comes next begins when it is ready.
  assert.ok(silence > 1.9 && silence < 2.8, `${silence} s until the next verb`)
})

calls('without action the document is asked for again, with the digits', async () => {
  const call = await bed.call(`<Gather numDigits="1" timeout="3"/>${after}`)
  await call.answered()
  await press(call, '7')
  await call.done()
  assert.equal(
    call.posts('/voice').map(post => post.body.Digits),
    [undefined, '7'],
  )
})

calls('a caller who hangs up posts nothing', async () => {
  const call = await bed.call(
    { voice: '<Gather action="/digits"/>', '/digits': after },
    { scenario: 'caller-hangs-up', pauseMs: 800 },
  )
  await call.answered()
  await press(call, '1')
  await call.done()
  await call.record()
  assert.is(call.posts('/digits').length, 0)
})

gather.run()
