import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addTrunk } from '../rig/beds/account.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { sideBySide } from '../rig/beds/side-by-side.ts'
import { VerbBed } from '../rig/beds/verb-bed.ts'
import { Baresip } from '../rig/peers/baresip.ts'
import { encodePcmu } from '../rig/probes/g711.ts'
import { freePort } from '../rig/probes/ports.ts'
import { bestShare } from '../rig/probes/received-audio.ts'
import { babble, sine, toneShare } from '../rig/probes/tone.ts'
import { until } from '../rig/probes/wait.ts'

// <Dial><Number> through an outbound trunk to a second user agent.
const dial = suite('Dial')
const calls = sideBySide(dial)

let bed: VerbBed

dial.before(async () => {
  requirePeers('sipp', 'baresip')
  bed = await VerbBed.open()
})

dial.after(() => bed?.close())

const dialled = (number: string, timeoutSeconds = 5) =>
  `<Dial action="/done" timeout="${timeoutSeconds}"><Number>${number}</Number></Dial>`
const done = { '/done': '' } as const
const endsBusy = { '/done': '<Hangup reason="busy"/>' } as const

async function endOf(result: Promise<{ code: number | null; messages: string; errors: string }>): Promise<void> {
  const { code, messages, errors } = await result
  assert.is(code, 0, `${errors}\n${messages.slice(-4000)}`)
}

calls('answer bridges; both sides receive the other byte-exact; DTMF passes; the caller’s BYE ends both', async () => {
  const far = await bed.callee()
  const call = await bed.call({ voice: dialled(far.number), ...done }, { scenario: 'caller-hangs-up', pauseMs: 4500 })
  const [a, b] = [call.rtp, far.rtp]
  await Promise.all([call.answered(), far.aim()])
  const toneA = encodePcmu(sine(1000, 2))
  const noiseB = encodePcmu(babble(2, 99))
  await Promise.all([a.more(20), b.more(20)])
  await Promise.all([a.stream(toneA), b.stream(noiseB)])
  await a.digit(5)
  const messages = await call.done()
  await endOf(far.sipp.done)
  b.close()
  assert.match(messages, /SIP\/2\.0 180/)
  assert.ok(b.audio().indexOf(toneA.subarray(1600, 14400)) >= 0, 'B hears A’s tone byte-exact')
  assert.ok(a.audio().indexOf(noiseB.subarray(1600, 14400)) >= 0, 'A hears B byte-exact')
  const events = b.received.filter(packet => packet.payloadType === 101)
  assert.ok(events.length >= 4, `${events.length} telephone-event packets`)
  assert.ok(events.every(packet => packet.payload[0] === 5))
  assert.ok(events.at(-1)!.payload[1]! & 0x80, 'the last one has the end bit')

  const { body } = await call.post('/done')
  assert.is(body.DialCallStatus, 'completed')
  assert.ok(body.DialCallDuration >= 3 && body.DialCallDuration <= 6, `${body.DialCallDuration} s`)
  const record = await call.record()
  assert.is(record.status, 'completed')
  assert.is(record.reason_code, 'END.0200')
  // 3 KES a minute, by the second.
  const perSecond = 0.05
  assert.ok(Number(record.cost) >= 3 * perSecond && Number(record.cost) <= 6 * perSecond, `cost ${record.cost}`)
  const codes = await until('the callbacks', async () => {
    const got = await call.codes()
    return got.includes('CALL.0300') && got
  })
  for (const code of ['DIAL.0100', 'DIAL.0180', 'DIAL.0200', 'DIAL.0300', 'BILL.0200'])
    assert.ok(codes.includes(code), `${code} in ${codes}`)
})

calls('the callee’s BYE ends the Dial and the document goes on', async () => {
  const far = await bed.callee('callee-hangs-up', 1200)
  const call = await bed.call({ voice: dialled(far.number), '/done': '<Hangup/>' })
  await call.done()
  await endOf(far.sipp.done)
  far.rtp.close()
  const { body } = await call.post('/done')
  assert.is(body.DialCallStatus, 'completed')
  assert.is(body.CallStatus, 'in-progress')
})

calls('early media: 183 reaches the caller, and its audio, before the answer', async () => {
  const far = await bed.callee('callee-early-media', 2500)
  const call = await bed.call({ voice: dialled(far.number), ...done }, { scenario: 'caller-hangs-up' })
  const early = encodePcmu(babble(1.5, 5))
  await far.aim()
  await until('183 at the caller', () => call.sipp.messagesSoFar().includes('SIP/2.0 183'))
  await far.rtp.stream(early)
  const messages = await call.done()
  await endOf(far.sipp.done)
  far.rtp.close()
  assert.ok(messages.indexOf('SIP/2.0 183') > 0 && messages.indexOf('SIP/2.0 183') < messages.indexOf('SIP/2.0 200'))
  assert.ok(call.rtp.audio().indexOf(early.subarray(1600, 9600)) >= 0, 'early media is heard byte-exact')
})

for (const [scenario, status, reason] of [
  ['callee-busy', 'busy', 'END.0486'],
  ['callee-decline', 'busy', 'END.0603'],
  ['callee-unavailable', 'no-answer', 'END.0480'],
  ['callee-not-found', 'failed', 'END.0404'],
  ['callee-redirects', 'failed', 'END.0410'],
  ['callee-carrier-error', 'failed', 'END.0500'],
  ['callee-service-unavailable', 'failed', 'END.0503'],
  ['callee-rings-on', 'no-answer', 'END.0408'],
] as const)
  calls(`${scenario}: DialCallStatus ${status}, ${reason}`, async () => {
    const far = await bed.callee(scenario)
    const call = await bed.call({ voice: dialled(far.number, 2), ...endsBusy }, { scenario: 'caller-busy' })
    await call.done()
    await endOf(far.sipp.done)
    far.rtp.close()
    const { body } = await call.post('/done')
    assert.is(body.DialCallStatus, status)
    assert.is(body.DialReasonCode, reason)
    assert.is(body.DialCallDuration, 0)
    const record = await call.record()
    assert.is(record.status, 'failed')
    assert.is(record.cost, '0.00')
  })

calls('no server at the trunk’s address: failed, END.1408', async () => {
  const port = await freePort()
  await addTrunk(bed.on, { name: 'dead', port, prefixes: ['+255'], transport: 'tcp', inbound: false })
  const call = await bed.call(
    { voice: dialled('+255700000000', 40), ...endsBusy },
    { scenario: 'caller-busy', timeoutSeconds: 60 },
  )
  await call.done()
  const { body } = await call.post('/done')
  assert.is(body.DialCallStatus, 'failed')
  assert.is(body.DialReasonCode, 'END.1408')
})

calls('a trunk whose UDP port is dead: given up after five INVITEs, failed, END.1408', async () => {
  await addTrunk(bed.on, { name: 'silent', port: await freePort(), prefixes: ['+256'], inbound: false })
  const call = await bed.call(
    { voice: '<Dial action="/done"><Number>+256700000000</Number></Dial>', ...endsBusy },
    { scenario: 'caller-busy' },
  )
  await call.done()
  const { body } = await call.post('/done')
  assert.is(body.DialCallStatus, 'failed')
  assert.is(body.DialReasonCode, 'END.1408')
})

calls('baresip answers a Dial and receives 1 kHz from the caller', async () => {
  const { number, port } = await bed.destination()
  const far = new Baresip({
    sipPort: port,
    rtpPort: await freePort(),
    says: sine(400, 8),
    answers: true,
    user: number,
  })
  await far.said('baresip is ready')
  const call = await bed.call({ voice: dialled(number), ...done }, { scenario: 'caller-hangs-up', pauseMs: 4000 })
  await call.rtp.more(6)
  await call.rtp.stream(encodePcmu(sine(1000, 2)))
  await call.done()
  await far.stop()
  const heard = far.received()
  const window = heard.subarray(Math.max(0, heard.length - 24_000), heard.length - 8000)
  assert.ok(
    toneShare(window, 1000) > 0.5 || bestShare(heard, 1000, 4000, 2000) > 0.95,
    `1 kHz share ${bestShare(heard, 1000, 4000, 2000)}`,
  )
  far.remove()
})

dial.run()
