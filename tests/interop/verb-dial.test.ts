import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sideBySide } from '../rig/beds/side-by-side.ts'
import { type Callee, heardBy, VerbBed, type VerbCall } from '../rig/beds/verb-bed.ts'
import { encodePcmu } from '../rig/probes/g711.ts'
import { placeOf, placesOf, secondsOf, through } from '../rig/probes/received-audio.ts'
import { babble, sine } from '../rig/probes/tone.ts'

// <Dial>: each attribute's default, limits, bad values, and their effect on the audio of both sides.
const dial = suite('Dial')
const calls = sideBySide(dial)

let bed: VerbBed
const music = babble(3, 12)

dial.before(async () => {
  bed = await VerbBed.open()
  await bed.asset('music', music)
  await bed.asset('short', babble(0.5, 5))
})
dial.after(() => bed?.close())

const done = { '/done': '<Hangup/>' } as const
const to = (far: Callee, attributes = '', number = `<Number>${far.number}</Number>`) =>
  `<Dial action="/done" ${attributes}>${number}</Dial>`

async function over(call: VerbCall, ...fars: readonly Callee[]): Promise<void> {
  await call.done()
  for (const far of fars) {
    const { code, messages, errors } = await far.sipp.done
    far.rtp.close()
    assert.is(code, 0, `${errors}\n${messages.slice(-2000)}`)
  }
}

/** Both get what the switch sends on a line that is quiet. */
const bridged = (call: VerbCall, far: Callee) => Promise.all([call.rtp.more(20), far.rtp.more(20)])

/** Both stream at once, from the moment when both are bridged. */
async function talk(call: VerbCall, far: Callee, ours: Int16Array, theirs: Int16Array): Promise<void> {
  await Promise.all([call.answered(), far.aim()])
  await bridged(call, far)
  await Promise.all([call.rtp.stream(encodePcmu(ours)), far.rtp.stream(encodePcmu(theirs))])
}

calls('record: nothing by default, both mixed, or each on its side', async () => {
  const [ours, theirs] = [babble(2, 1), babble(2, 2)]
  const record = async (attributes: string) => {
    const far = await bed.callee()
    const call = await bed.call({ voice: `<Play asset="short"/>${to(far, `timeLimit="4" ${attributes}`)}`, ...done })
    await talk(call, far, ours, theirs)
    await over(call, far)
    assert.ok(placeOf(heardBy(far.rtp), through(ours)) >= 0, 'heard bit for bit while it is recorded')
    return call
  }
  const [none, bad, mono, dual] = await Promise.all(
    ['', 'record="always"', 'record="record-from-answer"', 'record="record-from-answer-dual"'].map(record),
  )
  for (const call of [none, bad])
    assert.equal(
      (await call!.events()).filter(code => code.startsWith('REC')),
      [],
    )
  assert.is(await bad!.problems(), 1)
  const [mixed] = await mono!.recordings()
  assert.is(mixed?.channels, 1)
  const left = placeOf(mixed!.sides[0]!, through(ours).subarray(0, 40))
  assert.ok(mixed!.seconds > 2.5 && mixed!.seconds < 5, `${mixed!.seconds} s from the answer to the end`)
  assert.is(placeOf(mixed!.sides[0]!, through(ours)), -1, `mixed: ${left}`)
  const [two] = await dual!.recordings()
  assert.is(two?.channels, 2)
  const places = [placeOf(two!.sides[0]!, through(ours)), placeOf(two!.sides[1]!, through(theirs))] as const
  assert.ok(places[0] >= 0 && places[1] >= 0, 'caller left, far side right, bit for bit')
  assert.ok(Math.abs(places[0] - places[1]) <= 160, `${(places[0] - places[1]) / 8} ms apart`)
  assert.is(placeOf(two!.sides[1]!, through(babble(0.5, 5))), -1, 'nothing from before the answer')
  assert.equal(
    (await dual!.codes()).filter(code => code.startsWith('REC')),
    ['REC.0100', 'REC.0200'],
  )
})

interface Ringing {
  readonly attributes: string
  readonly hz: number | undefined
  /** Of a frequency, in the first seconds of ringing. */
  readonly onMs?: number
  readonly offMs?: number
  readonly problems?: number
}

const ringing: readonly Ringing[] = [
  { attributes: '', hz: 425, onMs: 670, offMs: 3000 },
  { attributes: 'ringTone="ke"', hz: 425, onMs: 670, offMs: 3000 },
  { attributes: 'ringTone="fr"', hz: 440, onMs: 1500, offMs: 3500 },
  { attributes: 'ringTone="gh"', hz: 400, onMs: 400, offMs: 200 },
  { attributes: 'ringTone="tz"', hz: 425, onMs: 1000, offMs: 4000 },
  { attributes: 'ringTone="NOT A TONE"', hz: 425, onMs: 670, offMs: 3000, problems: 1 },
  { attributes: 'ringTone="music"', hz: undefined },
]

calls('ringTone: played to an answered caller, by country and by asset', async () => {
  await Promise.all(
    ringing.map(async ({ attributes, hz, onMs = 0, offMs = 0, problems = 0 }) => {
      const far = await bed.callee('callee-rings-on')
      const voice = to(far, `answerOnBridge="false" timeout="6" ${attributes}`)
      const call = await bed.call({ voice, ...done })
      await over(call, far)
      const heard = call.heard()
      assert.is((await call.post('/done')).body.DialCallStatus, 'no-answer')
      assert.is(await call.problems(), problems)
      if (hz === undefined) {
        assert.ok(placeOf(heard, through(music)) >= 0, 'the asset')
        assert.ok(
          placeOf(heard, Int16Array.from([...through(music), ...through(music).subarray(0, 8000)])) >= 0,
          'again',
        )
        return
      }
      const places = placesOf(heard, hz)
      const first = places[0] ?? 0
      const onset = places.find(at => at > first + 8 * onMs) ?? 0
      const on = places.filter(at => at < onset || onset === 0).length * 20
      assert.ok(Math.abs(on - onMs) <= 60, `${attributes}: ${on} ms on, not ${onMs}`)
      const off = (onset - first) / 8 - onMs
      assert.ok(Math.abs(off - offMs) <= 60, `${attributes}: ${off} ms off, not ${offMs}`)
    }),
  )
})

calls('answerOnBridge by default: the caller hears its own network, and no 200 before that of the callee', async () => {
  const far = await bed.callee('callee-rings-on')
  const call = await bed.call(
    { voice: to(far, 'timeout="2"'), '/done': '<Hangup reason="busy"/>' },
    { scenario: 'caller-busy' },
  )
  await over(call, far)
  assert.is(call.rtp.received.length, 0)
  assert.is((await call.post('/done')).body.DialReasonCode, 'END.0408')
})

calls('timeLimit ends the talk; hangupOnStar ends it by a digit, only when ordered', async () => {
  const star = async (attributes: string) => {
    const far = await bed.callee()
    const call = await bed.call({ voice: to(far, attributes), '/done': '<Play asset="short"/>' })
    await Promise.all([call.answered(), far.aim()])
    await bridged(call, far)
    await call.rtp.stream(encodePcmu(sine(500, 0.4)))
    await call.rtp.digit(10, 101, 60)
    await over(call, far)
    assert.ok(placeOf(call.heard(), through(babble(0.5, 5))) >= 0, 'the action’s document runs')
    return (await call.post('/done')).body
  }
  const [on, off, limit] = await Promise.all([
    star('hangupOnStar="true" timeLimit="20"'),
    star('timeLimit="3"'),
    star('timeLimit="2" hangupOnStar="maybe"'),
  ])
  assert.ok(on.DialCallDuration <= 3, `${on.DialCallDuration} s`)
  assert.is(on.DialReasonCode, 'END.0200')
  assert.is(off.DialReasonCode, 'END.0210')
  // Seconds are rounded up, and no timer fires early.
  for (const [body, seconds] of [
    [off, 3],
    [limit, 2],
  ] as const) {
    assert.ok(body.DialCallDuration === seconds || body.DialCallDuration === seconds + 1, `${body.DialCallDuration} s`)
  }
  for (const body of [on, off, limit]) assert.is(body.DialCallStatus, 'completed')
})

calls('sendDigits: sent to the callee before the bridge', async () => {
  const far = await bed.callee()
  const number = `<Number sendDigits="ww12#">${far.number}</Number>`
  const call = await bed.call({ voice: to(far, 'timeLimit="4"', number), ...done })
  await far.aim()
  await call.answered()
  await call.rtp.stream(encodePcmu(sine(500, 2.5)))
  await over(call, far)
  const ends = far.rtp.received.filter(packet => packet.payloadType === 101 && (packet.payload[1]! & 0x80) !== 0)
  const digits = [...new Set(ends.map(packet => `${packet.timestamp} ${packet.payload[0]}`))].map(
    key => key.split(' ')[1],
  )
  assert.equal(digits, ['1', '2', '11'])
  const audio = far.rtp.received.find(packet => packet.payloadType === 0 && packet.payload.some(byte => byte !== 0xff))
  assert.ok(audio !== undefined && audio.at >= ends.at(-1)!.at, 'the caller is heard after the digits')
})

calls('callerId: the call’s own number, or another one of the account', async () => {
  const presented = async (attributes: string) => {
    const far = await bed.callee()
    const call = await bed.call({ voice: to(far, `timeLimit="1" ${attributes}`), ...done })
    const { messages } = await far.sipp.done
    far.rtp.close()
    await call.done()
    return { from: /\nFrom:[^\n]*sip:([^@]+)@/.exec(messages)?.[1], problems: await call.problems() }
  }
  const own = bed.account.number
  const rows = await Promise.all(
    ['', `callerId="${own}"`, 'callerId="+254799999999"', 'callerId="me"'].map(attributes => presented(attributes)),
  )
  for (const row of rows) assert.is(row.from, own)
  assert.equal(
    rows.map(row => row.problems),
    [0, 0, 1, 1],
  )
})

calls('children: the first to answer wins and is bridged alone; sequential takes one after another', async () => {
  const [busy, slow, quick] = await Promise.all([
    bed.callee('callee-busy'),
    bed.callee('callee-rings-on'),
    bed.callee(),
  ])
  const numbers = (...fars: Callee[]) => fars.map(far => `<Number>${far.number}</Number>`).join('')
  const together = await bed.call({
    voice: `<Dial action="/done" timeLimit="3">${numbers(busy, slow, quick)}</Dial>`,
    ...done,
  })
  await talk(together, quick, sine(500, 1), sine(900, 1))
  await over(together, busy, slow, quick)
  assert.ok(secondsOf(together.heard(), 900) > 0.8)
  assert.is((await together.post('/done')).body.DialCallStatus, 'completed')

  const [first, second] = await Promise.all([bed.callee('callee-rings-on'), bed.callee()])
  const voice = `<Dial action="/done" sequential="true" timeout="2" timeLimit="2">${numbers(first, second)}</Dial>`
  const inTurn = await bed.call({ voice, ...done })
  const started = performance.now()
  await second.aim()
  assert.ok(performance.now() - started > 1800, 'the second rings only after the first has had its time')
  await over(inTurn, first, second)
  assert.is((await inTurn.post('/done')).body.DialCallStatus, 'completed')
})

calls(
  'sequential: a child that takes the CANCEL and keeps silent is waited for two seconds; its late answer is hung up',
  async () => {
    const [first, second] = await Promise.all([bed.callee('callee-ignores-cancel', 4000), bed.callee()])
    const numbers = `<Number>${first.number}</Number><Number>${second.number}</Number>`
    const call = await bed.call({
      voice: `<Dial action="/done" sequential="true" timeout="2" timeLimit="3">${numbers}</Dial>`,
      ...done,
    })
    const started = performance.now()
    await second.aim()
    const waited = performance.now() - started
    assert.ok(waited > 3800 && waited < 8000, `the second rings after ${waited} ms`)
    await over(call, first, second)
    assert.is((await call.post('/done')).body.DialCallStatus, 'completed')
    // By the second at 3 KES a minute, and only the one who talked.
    const { cost } = await call.record()
    assert.ok(Number(cost) > 0 && Number(cost) <= 0.2, cost)
  },
)

calls(
  'a remote that moves its audio by UPDATE before its answer is received from, and sent to, the new address',
  async () => {
    const far = await bed.callee('callee-moves-early')
    const call = await bed.call({ voice: to(far, 'timeLimit="4"'), ...done })
    await talk(call, far, sine(500, 1), sine(900, 1))
    await over(call, far)
    assert.ok(secondsOf(call.heard(), 900) > 0.8)
    assert.ok(secondsOf(heardBy(far.rtp), 500) > 0.8)
    assert.is((await call.post('/done')).body.DialCallStatus, 'completed')
  },
)

calls('timeout and bad values: defaults stand, and each is reported', async () => {
  const far = await bed.callee()
  const voice = to(far, 'timeout="0" timeLimit="0" answerOnBridge="1" sequential="2" callerId="x" foo="1"')
  const call = await bed.call({ voice, ...done }, { scenario: 'caller-hangs-up', pauseMs: 500 })
  await over(call, far)
  assert.is(await call.problems(), 6)
})

dial.run()
