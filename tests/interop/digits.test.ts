import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DigitReceiver } from '../../rtp/dtmf/digit-receiver.ts'
import { InbandDetector } from '../../rtp/dtmf/inband-detector.ts'
import { renderTone } from '../../rtp/tone/tone-source.ts'
import { dtmfTone } from '../../rtp/tone/tones.ts'
import { VerbBed, type VerbCall } from '../rig/beds/verb-bed.ts'
import type { RtpEndpoint } from '../rig/peers/rtp-endpoint.ts'
import { decodePcmu, encodePcmu } from '../rig/probes/g711.ts'
import { until } from '../rig/probes/wait.ts'

// Digits of real calls, in the manner of each remote: RFC 4733, SIP INFO, tones in the audio. Each is reported once.
const digits = suite('digits')

let bed: VerbBed
digits.before(async () => {
  bed = await VerbBed.open()
})
digits.after(() => bed?.close())

/** What an endpoint has got, as telephone-events and as tones. */
const gotBy = (rtp: RtpEndpoint) => {
  const receiver = new DigitReceiver()
  let events = ''
  for (const { payloadType, payload, timestamp, marker, at } of rtp.received) {
    if (payloadType !== 101) continue
    receiver.push(payload, 0, payload.length, timestamp, marker, at)
    for (let press = receiver.take(); press !== undefined; press = receiver.take()) events += press.digit
  }
  const pcm = decodePcmu(rtp.audio())
  const detector = new InbandDetector()
  let tones = ''
  for (let at = 0; at < pcm.length; at += 160) {
    tones += detector.analyze(pcm, at, Math.min(160, pcm.length - at))?.digit ?? ''
  }
  return { events, tones }
}

/** As a phone sends them: 100 ms each, in silence. */
const tonesOf = (pressed: string): Uint8Array => {
  const pcm: number[] = new Array(1600).fill(0)
  for (const digit of pressed) {
    const tone = dtmfTone(digit, 100)
    if (tone !== undefined) pcm.push(...renderTone(tone, 8000))
    pcm.push(...new Array<number>(800).fill(0))
  }
  return encodePcmu(Int16Array.from([...pcm, ...new Array<number>(4800).fill(0)]))
}

digits('Play digits: events to whom takes them, tones to whom does not; w waits', async () => {
  const say = '<Play digits="1w24ww#A"/>'
  const [takes, takesNot] = await Promise.all([bed.call(say), bed.call(say, { scenario: 'caller-tones' })])
  await Promise.all([takes.done(), takesNot.done()])
  assert.equal(gotBy(takes.rtp), { events: '124#A', tones: '' })
  assert.equal(gotBy(takesNot.rtp), { events: '', tones: '124#A' })
})

digits('sendDigits to a callee without telephone-events: tones, before the bridge', async () => {
  const far = await bed.callee('callee-tones')
  const call = await bed.call(`<Dial timeLimit="4"><Number sendDigits="w55*">${far.number}</Number></Dial>`)
  await far.aim()
  await call.done()
  await far.sipp.done
  far.rtp.close()
  assert.equal(gotBy(far.rtp), { events: '', tones: '55*' })
})

type Manner = 'events' | 'tones' | 'INFO'

const scenarios: Readonly<Record<Manner, string>> = { events: 'caller', tones: 'caller-tones', INFO: 'caller-info' }
const pressed = '57#'

const press = async (call: VerbCall, manner: Manner): Promise<void> => {
  const quiet = (ms: number) => call.rtp.stream(new Uint8Array(8 * ms).fill(0xff))
  switch (manner) {
    case 'events':
      await quiet(300)
      for (const digit of pressed) {
        await call.rtp.digit('0123456789*#'.indexOf(digit))
        await quiet(200)
      }
      return quiet(600)
    case 'tones':
      return call.rtp.stream(tonesOf(pressed))
    case 'INFO':
      return quiet(3500)
  }
}

const reach = async (manner: Manner, wants: 'events' | 'tones'): Promise<void> => {
  const what = `${manner} to ${wants}`
  const far = await bed.callee(wants === 'events' ? 'callee' : 'callee-tones')
  const call = await bed.call(`<Dial timeLimit="6"><Number>${far.number}</Number></Dial>`, {
    scenario: scenarios[manner],
    pauseMs: 600,
  })
  await far.aim()
  await call.answered()
  await until('the bridge', () => call.rtp.received.length > 0 && far.rtp.received.length > 0, 5000)
  await press(call, manner)
  await call.done()
  await far.sipp.done
  far.rtp.close()
  const got = gotBy(far.rtp)
  assert.equal(got, wants === 'events' ? { events: pressed, tones: '' } : { events: '', tones: pressed }, what)
  const reported = (await call.events()).filter(code => code === 'DTMF.0100')
  assert.is(reported.length, pressed.length, what)
}

digits(
  'a caller who presses by events, tones or INFO reaches a callee who wants events or tones: each digit once',
  async () => {
    const manners = ['events', 'tones', 'INFO'] as const
    await Promise.all(manners.flatMap(manner => [reach(manner, 'events'), reach(manner, 'tones')]))
  },
)

digits.run()
