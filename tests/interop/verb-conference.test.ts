import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { levelAt } from '../../rtp/tone/goertzel.ts'
import { type CallOptions, VerbBed, type VerbCall } from '../rig/beds/verb-bed.ts'
import { encodePcmu } from '../rig/probes/g711.ts'
import { placeOf, placesOf, through } from '../rig/probes/received-audio.ts'
import { babble, sine } from '../rig/probes/tone.ts'
import { sleep, until } from '../rig/probes/wait.ts'

// <Dial><Conference>: each attribute's default, limits, bad values, and what those in the room hear of one another. The
// switch has two media threads, so that the members of a room live on both.
const conference = suite('Conference')

let bed: VerbBed
const [music, short] = [babble(1.5, 31), babble(0.5, 32)]

conference.before(async () => {
  bed = await VerbBed.open({ SAUTI_MEDIA_WORKERS: '2' })
  await bed.asset('music', music)
  await bed.asset('short', short)
})
conference.after(() => bed?.close())

interface Guest {
  readonly attributes?: string
  readonly dial?: string
  /** Default: the next document hangs up. */
  readonly after?: string
  readonly options?: CallOptions
}

let rooms = 0
const newRoom = () => `Room ${++rooms}`

/** A call that enters the room; resolves when it is answered. */
async function enter(room: string, guest: Guest = {}): Promise<VerbCall> {
  const { attributes = '', dial = '', after = '<Hangup/>', options } = guest
  const call = await bed.call(
    {
      voice: `<Dial action="/left" ${dial}><Conference ${attributes}>${room}</Conference></Dial>`,
      '/left': after,
    },
    options,
  )
  await call.answered()
  return call
}

const speak = (call: VerbCall, hz: number, seconds: number) => call.rtp.stream(encodePcmu(sine(hz, seconds, 3000)))

/** The highest level of a tone, dBm0, over any 300 ms. */
function loudest(call: VerbCall, hz: number, heard = call.heard()): number {
  let level = -100
  for (let at = 0; at + 2400 <= heard.length; at += 400) level = Math.max(level, levelAt(heard, at, 2400, hz, 8000))
  return level
}

const hears = (call: VerbCall, hz: number): boolean => {
  const level = loudest(call, hz)
  assert.ok(level > -20 || level < -38, `${hz} Hz at ${level} dBm0 is neither there nor absent`)
  return level > -20
}

const tones = [430, 710, 1130, 1570, 1990]

/** Each receives all others and not itself; a muted one sends nothing; a recording holds both sides. */
const mixing = async () => {
  const room = newRoom()
  const dial = 'timeLimit="5"'
  const guests = await Promise.all([
    enter(room, { dial: `${dial} record="record-from-answer-dual"` }),
    enter(room, { dial }),
    enter(room, { dial, attributes: 'muted="false" beep="false"' }),
    enter(room, { dial, attributes: 'muted="true"' }),
    enter(room, { dial, attributes: 'muted="maybe"' }),
  ])
  await Promise.all(guests.map(guest => guest.rtp.more(10)))
  await Promise.all(guests.map((guest, n) => speak(guest, tones[n]!, 2)))
  await Promise.all(guests.map(guest => guest.done()))
  for (const [n, guest] of guests.entries()) {
    for (const [m, hz] of tones.entries()) {
      assert.is(hears(guest, hz), n !== m && m !== 3, `${n} of ${m}: ${loudest(guest, hz)} dBm0`)
    }
    const { body } = await guest.post('/left')
    assert.is(body.DialCallStatus, 'completed')
    assert.is(body.DialReasonCode, 'END.0210')
    assert.ok(body.DialCallDuration === 5 || body.DialCallDuration === 6, `${body.DialCallDuration} s`)
    assert.is(guest.posts('/left').length, 1)
    assert.is(await guest.problems(), n === 4 ? 1 : 0)
  }
  const [file] = await guests[0]!.recordings()
  assert.is(file?.channels, 2)
  const [said, heard] = file!.sides as [Int16Array, Int16Array]
  for (const [m, hz] of tones.entries()) {
    assert.is(loudest(guests[0]!, hz, said) > -20, m === 0, `said ${hz}`)
    assert.is(loudest(guests[0]!, hz, heard) > -20, m !== 0 && m !== 3, `heard ${hz}`)
  }
  const dials = (await guests[1]!.codes()).filter(code => code.startsWith('DIAL'))
  assert.equal(dials, ['DIAL.0100', 'DIAL.0200', 'DIAL.0300'])
}

interface Wait {
  readonly attributes: string
  readonly hz?: number
  readonly isMusic?: boolean
  readonly problems?: number
}

const waits: readonly Wait[] = [
  { attributes: 'startOnEnter="false"', hz: 659 },
  { attributes: 'startOnEnter="false" waitAsset="silence"' },
  { attributes: 'startOnEnter="false" waitAsset="gh"', hz: 400 },
  { attributes: 'startOnEnter="false" waitAsset="music"', isMusic: true },
  { attributes: 'startOnEnter="false" waitAsset="No Slug"', hz: 659, problems: 1 },
]

/** StartOnEnter false waits, with what waitAsset says, until one comes who starts it. */
const waiting = async () => {
  await Promise.all(
    waits.map(async ({ attributes, hz, isMusic, problems = 0 }) => {
      const room = newRoom()
      const dial = 'timeLimit="8" hangupOnStar="true"'
      const [one, two] = await Promise.all([
        enter(room, { dial, attributes }),
        enter(room, { dial, attributes: 'startOnEnter="false" waitAsset="silence"' }),
      ])
      await Promise.all([sleep(3300), speak(one, 1130, 2.5)])
      const before = one.heard()
      const third = await enter(room, { dial, attributes: 'startOnEnter="true" beep="false"' })
      await third.rtp.more(10)
      await Promise.all([speak(one, 1570, 1), speak(third, 1990, 1)])
      await Promise.all([one, two, third].map(call => call.rtp.digit(10)))
      await Promise.all([one, two, third].map(call => call.done()))
      assert.not(hears(two, 1130), 'nobody is heard before the start')
      assert.ok(hears(two, 1570) && hears(two, 1990) && hears(one, 1990) && hears(third, 1570))
      for (const heard of [400, 659]) {
        assert.is(placesOf(before, heard).length > 5, heard === hz, `${attributes}: ${heard} Hz before the start`)
      }
      const twice = Int16Array.from([...through(music), ...through(music).subarray(0, 4000)])
      assert.is(placeOf(one.heard(), twice) >= 0, isMusic === true, 'the asset, over and over without a gap')
      assert.is(await one.problems(), problems)
    }),
  )
}

/** Notes in the order in which they are received. */
const notes = (call: VerbCall): string => {
  const heard = call.heard()
  const all = [660, 880].flatMap(hz => placesOf(heard, hz).map(at => ({ at, hz })))
  return all
    .sort((a, b) => a.at - b.at)
    .filter(({ hz }, n, sorted) => n === 0 || sorted[n - 1]!.hz !== hz)
    .map(({ hz }) => (hz === 660 ? 'low' : 'high'))
    .join(' ')
}

const beeps = [
  ['', 'low high low'],
  ['beep="true"', 'low high low'],
  ['beep="onEnter"', 'low high'],
  ['beep="onExit"', 'high low'],
  ['beep="false"', ''],
  ['beep="loud"', 'low high low'],
] as const

/** Beep: two notes up for who enters, two down for who leaves, by default both. */
const beeping = async () => {
  await Promise.all(
    beeps.map(async ([attributes, expected]) => {
      const room = newRoom()
      const listener = await enter(room, { attributes: 'beep="false"', dial: 'timeLimit="5"' })
      const guest = await enter(room, { attributes, dial: 'timeLimit="2"' })
      await Promise.all([guest.done(), listener.done()])
      assert.is(notes(listener), expected, attributes)
    }),
  )
}

/** EndOnExit ends the room for all, whose documents go on; without it the room stays. */
const ending = async () => {
  const ends = async (attributes: string) => {
    const room = newRoom()
    const guest = await enter(room, { dial: 'timeLimit="5"', after: '<Play asset="short"/>' })
    const host = await enter(room, { attributes, options: { scenario: 'caller-hangs-up', pauseMs: 1500 } })
    await Promise.all([guest.done(), host.done()])
    assert.ok(placeOf(guest.heard(), through(short)) >= 0, 'its document goes on')
    assert.is((await host.post('/left')).body.DialCallStatus, 'completed')
    assert.is((await host.record()).reason_code, 'END.0200')
    return (await guest.post('/left')).body
  }
  const [yes, no, bad] = await Promise.all(['endOnExit="true"', '', 'endOnExit="1"'].map(ends))
  assert.is(yes.DialReasonCode, 'END.0200')
  assert.ok(yes.DialCallDuration <= 3, `${yes.DialCallDuration} s`)
  for (const body of [no, bad]) assert.is(body.DialReasonCode, 'END.0210')
  assert.is(yes.DialCallStatus, 'completed')
}

/** MaxMembers: who finds the room full is busy, unanswered; digits are reported and not passed on. */
const filling = async () => {
  const room = newRoom()
  const two = await Promise.all([0, 1].map(() => enter(room, { dial: 'hangupOnStar="true" timeLimit="20"' })))
  const full = await bed.call(
    {
      voice: `<Dial action="/left"><Conference maxMembers="2">${room}</Conference></Dial>`,
      '/left': '<Hangup reason="busy"/>',
    },
    { scenario: 'caller-busy' },
  )
  await full.done()
  assert.is((await full.post('/left')).body.DialCallStatus, 'busy')
  assert.is((await full.post('/left')).body.DialReasonCode, 'END.0486')
  const [a, b] = two as [VerbCall, VerbCall]
  await a.rtp.stream(encodePcmu(sine(500, 0.3)))
  await a.rtp.digit(5)
  await until('the key', async () => (await a.eventsSoFar()).includes('DTMF.0100'))
  const live = await bed.on.operator('GET', '/calls')
  const mine = live.body.calls.filter((call: any) => call.legs.some((leg: any) => leg.conference === room))
  assert.is(mine.length, 2, 'the operator sees who is in which room')
  await Promise.all([a.rtp.digit(10), b.rtp.digit(10)])
  await Promise.all([a.done(), b.done()])
  assert.is((await a.post('/left')).body.DialReasonCode, 'END.0200')
  assert.is(b.rtp.received.filter(({ payloadType }) => payloadType === 101).length, 0)
  assert.not(hears(b, 770))
}

interface Problem {
  readonly inside: string
  readonly dial?: string
  readonly problems: number
}

const faults: readonly Problem[] = [
  { inside: '<Conference maxMembers="1">x</Conference>', problems: 1 },
  { inside: '<Conference maxMembers="51">x</Conference>', problems: 1 },
  { inside: '<Conference maxMembers="many" startOnEnter="0" foo="1">x</Conference>', problems: 3 },
  { inside: '<Conference maxMembers="2">x</Conference>', problems: 0 },
  { inside: '<Conference>  A  room,\n of "many" &amp; Bücher </Conference> text', problems: 1 },
  { inside: '<Conference>x</Conference>', dial: 'callerId="?" timeout="0"', problems: 2 },
]

/** Bad values: defaults stand, and each is reported; without a name, or beside others in its Dial, no one enters. */
const badValues = async () => {
  await Promise.all([
    ...faults.map(async ({ inside, dial = '', problems }) => {
      const call = await bed.call({
        voice: `<Dial action="/left" timeLimit="1" ${dial}>${inside.replace('>x<', `>${newRoom()}<`)}</Dial>`,
        '/left': '<Hangup/>',
      })
      await call.done()
      assert.is((await call.post('/left')).body.DialCallStatus, 'completed', inside)
      assert.is(await call.problems(), problems, inside)
    }),
    ...['<Conference> </Conference>', '<Conference>a</Conference><Conference>b</Conference>'].map(async (inside, n) => {
      const call = await bed.call(
        { voice: `<Dial action="/left">${inside}</Dial>`, '/left': '<Hangup reason="busy"/>' },
        { scenario: 'caller-busy' },
      )
      await call.done()
      assert.is((await call.post('/left')).body.DialCallStatus, 'failed')
      assert.is(await call.problems(), n === 0 ? 1 : 2)
    }),
  ])
}

// Calls of several tests at once: most of their time is spent in waiting.
conference('who receives whom, muted, record; endOnExit', () => Promise.all([mixing(), ending()]).then(() => {}))
conference('startOnEnter, waitAsset', waiting)
conference('beep, maxMembers, digits, bad values', () =>
  Promise.all([beeping(), filling(), badValues()]).then(() => {}),
)

conference.run()
