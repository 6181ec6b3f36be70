import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sideBySide } from '../rig/beds/side-by-side.ts'
import { VerbBed, type VerbCall } from '../rig/beds/verb-bed.ts'
import { countOf, placeOf, through } from '../rig/probes/received-audio.ts'
import { babble, wavOf } from '../rig/probes/tone.ts'

// <Play>: each attribute's default, limits, bad values, and what the caller receives of them.
const play = suite('Play')
const calls = sideBySide(play)

let bed: VerbBed
const music = babble(1.3, 4)
const other = babble(0.9, 6)
const end = babble(0.4, 9)

play.before(async () => {
  bed = await VerbBed.open()
  await bed.asset('music', music)
  await bed.asset('end', end)
  bed.customer.on('/other.wav', (_post, response) =>
    response.writeHead(200, { 'content-type': 'audio/wav' }).end(wavOf(other)),
  )
})
play.after(() => bed?.close())

const twice = () => Int16Array.from([...through(music), ...through(music)])

interface Row {
  readonly verb: string
  readonly heard: (samples: Int16Array) => boolean
  readonly codes?: readonly string[]
}

const url = () => bed.customer.url('/other.wav')

const rows: readonly (() => Row)[] = [
  () => ({ verb: '<Play asset="music"/>', heard: it => countOf(it, through(music)) === 1 }),
  () => ({ verb: '<Play asset="music" loop="2"/>', heard: it => placeOf(it, twice()) >= 0 }),
  () => ({
    verb: '<Play asset="music" loop="1001"/>',
    heard: it => countOf(it, through(music)) === 1,
    codes: ['DOC.0422'],
  }),
  () => ({
    verb: '<Play asset="music" loop="-1"/>',
    heard: it => countOf(it, through(music)) === 1,
    codes: ['DOC.0422'],
  }),
  () => ({ verb: `<Play>${url()}</Play>`, heard: it => countOf(it, through(other)) === 1 }),
  () => ({ verb: '<Play>/other.wav</Play>', heard: it => countOf(it, through(other)) === 1 }),
  () => ({
    verb: `<Play asset="music">${url()}</Play>`,
    heard: it => countOf(it, through(music)) === 1 && countOf(it, through(other)) === 0,
  }),
  () => ({ verb: '<Play asset="nothing"/>', heard: it => countOf(it, through(music)) === 0, codes: ['PLAY.0404'] }),
  () => ({ verb: '<Play>/nothing.wav</Play>', heard: it => countOf(it, through(music)) === 0, codes: ['PLAY.0404'] }),
  () => ({ verb: '<Play>ftp://a.test/x.wav</Play>', heard: () => true, codes: ['DOC.0422', 'PLAY.0400'] }),
  () => ({ verb: '<Play/>', heard: () => true, codes: ['DOC.0422'] }),
  () => ({
    verb: '<Play asset="music" digits="12x"/>',
    heard: it => countOf(it, through(music)) === 1,
    codes: ['DOC.0422'],
  }),
  () => ({
    verb: '<Play asset="music" speed="2"/>',
    heard: it => countOf(it, through(music)) === 1,
    codes: ['DOC.0422'],
  }),
]

play('sources, loop, bad values: bit for bit, and the call goes on', async () => {
  await Promise.all(
    rows.map(async make => {
      const row = make()
      const call = await bed.call(`${row.verb}<Play asset="end"/>`)
      await call.done()
      const heard = call.heard()
      assert.ok(row.heard(heard), row.verb)
      assert.is(countOf(heard, through(end)), 1, `${row.verb}: the next verb`)
      const codes = (await call.events()).filter(code => /^(DOC|PLAY)/.test(code))
      assert.equal(codes, row.codes ?? [], row.verb)
    }),
  )
})

calls('a slow server is asked during the prompt before: no caller waits for it', async () => {
  const slow = babble(0.7, 11)
  bed.customer.on('/slow.wav', (_post, response) => {
    setTimeout(() => response.writeHead(200, { 'content-type': 'audio/wav' }).end(wavOf(slow)), 600)
  })
  const call = await bed.call('<Play asset="music"/><Play>/slow.wav</Play><Play asset="end"/>')
  await call.done()
  const heard = call.heard()
  const places = [music, slow, end].map(each => placeOf(heard, through(each)))
  assert.ok(places[0]! >= 0)
  const gaps = [places[1]! - places[0]! - music.length, places[2]! - places[1]! - slow.length]
  for (const gap of gaps) assert.ok(gap >= 0 && gap < 1600, `a gap of ${gap / 8} ms`)
})

calls('loop 0 continues until the caller hangs up, without a gap; no verb after it runs', async () => {
  const call = await bed.call('<Play asset="music" loop="0"/><Play asset="end"/>', {
    scenario: 'caller-hangs-up',
    pauseMs: 4500,
  })
  await call.done()
  assert.ok(placeOf(call.heard(), Int16Array.from([...twice(), ...through(music)])) >= 0)
  assert.ok((await call.events()).includes('DOC.0204'))
})

function digitsOf(call: VerbCall): { digits: string; at: readonly number[] } {
  const presses = new Map<number, { digit: string; at: number }>()
  for (const { payloadType, timestamp, payload, at } of call.rtp.received) {
    if (payloadType !== 101 || presses.has(timestamp)) continue
    presses.set(timestamp, { digit: '0123456789*#ABCD'[payload[0]!] ?? '?', at })
  }
  const all = [...presses.values()]
  return { digits: all.map(({ digit }) => digit).join(''), at: all.map(({ at }) => at) }
}

calls('digits are sent after the audio, or alone; w waits half a second', async () => {
  const [alone, behind] = await Promise.all([
    bed.call('<Play digits="1w2ww#A"/><Play asset="end"/>'),
    bed.call('<Play asset="music" digits="9*"/><Play asset="end"/>'),
  ])
  await Promise.all([alone.done(), behind.done()])
  const { digits, at } = digitsOf(alone)
  assert.is(digits, '12#A')
  const between = at.slice(1).map((time, n) => time - at[n]!)
  const pace = between[2]!
  assert.ok(Math.abs(between[0]! - pace - 500) < 60, `${between[0]} ms`)
  assert.ok(Math.abs(between[1]! - pace - 1000) < 60, `${between[1]} ms`)
  assert.is(digitsOf(behind).digits, '9*')
  assert.is(countOf(behind.heard(), through(music)), 1)
})

play.run()
