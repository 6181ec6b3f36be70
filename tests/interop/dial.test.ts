import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addTrunk, RigAccount, setRates } from '../rig/account.ts'
import { Baresip } from '../rig/baresip.ts'
import { Customer, codesOf } from '../rig/customer.ts'
import { requirePeers } from '../rig/debian.ts'
import { encodePcmu } from '../rig/g711.ts'
import { bestShare } from '../rig/hearing.ts'
import { freePort } from '../rig/ports.ts'
import { RtpEndpoint } from '../rig/rtp-endpoint.ts'
import { mediaPortSeen, Sipp, type SippOptions } from '../rig/sipp.ts'
import { SwitchProcess } from '../rig/switch-process.ts'
import { babble, sine, toneShare } from '../rig/tone.ts'
import { sleep, until } from '../rig/wait.ts'

// <Dial><Number> through an outbound trunk to a second user agent (issue: a first real call, 3).
const dial = suite('Dial')

const destination = '+254733000222'
let on: SwitchProcess
let account: RigAccount
let customer: Customer
let calleePort: number

dial.before(async () => {
  requirePeers('sipp', 'baresip')
  on = await SwitchProcess.start()
  customer = await Customer.open()
  calleePort = await freePort()
  await setRates(on)
  account = await RigAccount.make(on)
  await addTrunk(on, { name: 'out', port: calleePort, prefixes: ['+254'] })
  await account.webhook('voice_inbound', customer.url('/voice'))
  await account.webhook(
    'status',
    customer.on('/status', (_post, response) => response.writeHead(200).end()),
  )
  customer.on('/done', '<Response/>')
})

dial.after(async () => {
  await customer?.close()
  await on?.close()
})

dial.before.each(() => {
  customer.posts.length = 0
  customer.on('/voice', `<Response><Dial action="/done" timeout="5"><Number>${destination}</Number></Dial></Response>`)
})

async function caller(scenario: string, rtpPort: number, more: Partial<SippOptions> = {}): Promise<Sipp> {
  return new Sipp({
    scenario,
    remote: `127.0.0.1:${on.sipPort}`,
    localPort: await freePort(),
    rtpPort,
    service: account.number,
    from: '+254722000111',
    ...more,
  })
}

async function callee(scenario: string, rtpPort: number, pauseMs = 1000): Promise<Sipp> {
  const made = new Sipp({ scenario, localPort: calleePort, rtpPort, pauseMs })
  await made.listening()
  return made
}

async function endOf(result: Promise<{ code: number | null; messages: string; errors: string }>): Promise<string> {
  const { code, messages, errors } = await result
  assert.is(code, 0, `${errors}\n${messages.slice(-4000)}`)
  return messages
}

const findByte = (heard: Buffer, wanted: Buffer) => heard.indexOf(wanted)

dial('answer bridges; both sides hear the other byte-exact; DTMF passes; the caller’s BYE ends both', async () => {
  const [portA, portB] = [await freePort(), await freePort()]
  const [a, b] = [await RtpEndpoint.open(portA), await RtpEndpoint.open(portB)]
  const far = await callee('callee', portB)
  const near = await caller('caller-hangs-up', portA, { pauseMs: 4500 })
  a.aim(await until('our answer at the caller', () => mediaPortSeen(near, 'SIP/2.0 200'), 8000))
  b.aim(await until('our INVITE at the callee', () => mediaPortSeen(far, 'INVITE '), 5000))
  const toneA = encodePcmu(sine(1000, 2))
  const noiseB = encodePcmu(babble(2, 99))
  await sleep(500)
  await Promise.all([a.stream(toneA), b.stream(noiseB)])
  await a.digit(5)
  const messages = await endOf(near.done)
  await endOf(far.done)
  a.close()
  b.close()
  assert.match(messages, /SIP\/2\.0 180/)
  assert.ok(findByte(b.audio(), toneA.subarray(1600, 14400)) >= 0, 'B hears A’s tone byte-exact')
  assert.ok(findByte(a.audio(), noiseB.subarray(1600, 14400)) >= 0, 'A hears B byte-exact')
  const events = b.received.filter(packet => packet.payloadType === 101)
  assert.ok(events.length >= 4, `${events.length} telephone-event packets`)
  assert.ok(events.every(packet => packet.payload[0] === 5))
  assert.ok(events.at(-1)!.payload[1]! & 0x80, 'the last one has the end bit')

  const done = await customer.post('/done')
  assert.is(done.body.DialCallStatus, 'completed')
  assert.ok(done.body.DialCallDuration >= 3 && done.body.DialCallDuration <= 6, `${done.body.DialCallDuration} s`)
  const record = await until('the record', async () => {
    const call = await account.call(done.body.CallSid)
    return call?.status === 'completed' && call
  })
  assert.is(record.reason_code, 'END.0200')
  // 3 KES a minute, by the second.
  const perSecond = 0.05
  assert.ok(Number(record.cost) >= 3 * perSecond && Number(record.cost) <= 6 * perSecond, `cost ${record.cost}`)
  const codes = await until('the callbacks', () => {
    const got = codesOf(customer.to('/status'))
    return got.includes('CALL.0300') && got
  })
  for (const code of ['DIAL.0100', 'DIAL.0180', 'DIAL.0200', 'DIAL.0300', 'BILL.0200'])
    assert.ok(codes.includes(code as never), `${code} in ${codes}`)
})

dial('the callee’s BYE ends the Dial and the document goes on', async () => {
  customer.on('/done', '<Response><Hangup/></Response>')
  const far = await callee('callee-hangs-up', await freePort(), 1200)
  const near = await caller('caller', await freePort())
  await endOf(near.done)
  await endOf(far.done)
  const done = await customer.post('/done')
  assert.is(done.body.DialCallStatus, 'completed')
  assert.is(done.body.CallStatus, 'in-progress')
  customer.on('/done', '<Response/>')
})

dial('early media: 183 reaches the caller, and its audio, before the answer', async () => {
  const [portA, portB] = [await freePort(), await freePort()]
  const [a, b] = [await RtpEndpoint.open(portA), await RtpEndpoint.open(portB)]
  const far = await callee('callee-early-media', portB, 2500)
  const near = await caller('caller-hangs-up', portA, { pauseMs: 1000 })
  const early = encodePcmu(babble(1.5, 5))
  const port = await until('our INVITE at the callee', () => mediaPortSeen(far, 'INVITE '), 5000)
  b.aim(port)
  await sleep(300)
  await b.stream(early)
  const messages = await endOf(near.done)
  await endOf(far.done)
  a.close()
  b.close()
  assert.ok(messages.indexOf('SIP/2.0 183') > 0 && messages.indexOf('SIP/2.0 183') < messages.indexOf('SIP/2.0 200'))
  assert.ok(a.audio().indexOf(early.subarray(1600, 9600)) >= 0, 'early media is heard byte-exact')
})

for (const [scenario, status, reason] of [
  ['callee-busy', 'busy', 'END.0486'],
  ['callee-decline', 'busy', 'END.0603'],
  ['callee-unavailable', 'no-answer', 'END.0480'],
  ['callee-not-found', 'failed', 'END.0404'],
  ['callee-carrier-error', 'failed', 'END.0500'],
  ['callee-service-unavailable', 'failed', 'END.0503'],
  ['callee-rings-on', 'no-answer', 'END.0408'],
] as const)
  dial(`${scenario}: DialCallStatus ${status}, ${reason}`, async () => {
    customer.on(
      '/voice',
      `<Response><Dial action="/done" timeout="2"><Number>${destination}</Number></Dial></Response>`,
    )
    customer.on('/done', '<Response><Hangup reason="busy"/></Response>')
    const far = await callee(scenario, await freePort())
    const near = await caller('caller-busy', await freePort())
    await endOf(near.done)
    await endOf(far.done)
    const done = await customer.post('/done')
    assert.is(done.body.DialCallStatus, status)
    assert.is(done.body.DialReasonCode, reason)
    assert.is(done.body.DialCallDuration, 0)
    const record = await until('the record', async () => {
      const call = await account.call(done.body.CallSid)
      return call?.status === 'failed' && call
    })
    assert.is(record.cost, '0.00')
    customer.on('/done', '<Response/>')
  })

dial('nobody at the trunk’s address: failed, END.1408', async () => {
  customer.on('/done', '<Response><Hangup reason="busy"/></Response>')
  const port = await freePort()
  await addTrunk(on, { name: 'dead', port, prefixes: ['+255'], transport: 'tcp', inbound: false })
  customer.on('/voice', '<Response><Dial action="/done" timeout="40"><Number>+255700000000</Number></Dial></Response>')
  const near = await caller('caller-busy', await freePort(), { timeoutSeconds: 60 })
  await endOf(near.done)
  const done = await customer.post('/done')
  assert.is(done.body.DialCallStatus, 'failed')
  assert.is(done.body.DialReasonCode, 'END.1408')
  customer.on('/done', '<Response/>')
})

dial('a trunk whose UDP port is dead: given up after five INVITEs, failed, END.1408', async () => {
  customer.on('/done', '<Response><Hangup reason="busy"/></Response>')
  await addTrunk(on, { name: 'silent', port: await freePort(), prefixes: ['+256'], inbound: false })
  customer.on('/voice', '<Response><Dial action="/done"><Number>+256700000000</Number></Dial></Response>')
  const near = await caller('caller-busy', await freePort())
  await endOf(near.done)
  const done = await customer.post('/done')
  assert.is(done.body.DialCallStatus, 'failed')
  assert.is(done.body.DialReasonCode, 'END.1408')
})

dial('baresip answers a Dial: 1 kHz from the caller is heard', async () => {
  const portA = await freePort()
  const a = await RtpEndpoint.open(portA)
  const far = new Baresip({
    sipPort: calleePort,
    rtpPort: await freePort(),
    says: sine(400, 8),
    answers: true,
    user: destination,
  })
  await far.said('baresip is ready')
  const near = await caller('caller-hangs-up', portA, { pauseMs: 4000 })
  await until('audio from the far side', () => a.received.length > 5, 8000)
  await a.stream(encodePcmu(sine(1000, 2)))
  await endOf(near.done)
  await far.stop()
  const heard = far.heard()
  const window = heard.subarray(Math.max(0, heard.length - 24_000), heard.length - 8000)
  assert.ok(
    toneShare(window, 1000) > 0.5 || bestShare(heard, 1000, 4000, 2000) > 0.95,
    `1 kHz share ${bestShare(heard, 1000, 4000, 2000)}`,
  )
  a.close()
  far.remove()
})

dial.run()
