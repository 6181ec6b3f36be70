import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addTrunk, expectStatus, RigAccount } from '../rig/account.ts'
import { Customer } from '../rig/customer.ts'
import { requirePeers } from '../rig/debian.ts'
import { encodePcmu } from '../rig/g711.ts'
import { freePort } from '../rig/ports.ts'
import { RtpEndpoint } from '../rig/rtp-endpoint.ts'
import { Sipp } from '../rig/sipp.ts'
import { SwitchProcess } from '../rig/switch-process.ts'
import { babble, wavOf } from '../rig/tone.ts'
import { until } from '../rig/wait.ts'

// Bad customer servers: the fallback runs, the reason is right, another call feels nothing (issue: a first real call, 6).
const bad = suite('bad documents')

let on: SwitchProcess
let customer: Customer
let account: RigAccount
const sorry = babble(1, 77)
const sorryPcmu = encodePcmu(sorry)

bad.before(async () => {
  requirePeers('sipp', 'espeak-ng')
  on = await SwitchProcess.start()
  customer = await Customer.open()
  account = await RigAccount.make(on)
  await addTrunk(on, { name: 'carrier', port: 5999, prefixes: ['+1'] })
  await account.webhook('voice_inbound', customer.url('/voice'))
  customer.on('/sorry.wav', (_post, response) =>
    response.writeHead(200, { 'content-type': 'audio/wav' }).end(wavOf(sorry)),
  )
  expectStatus(
    await account.api('POST', '/account/webhooks', {
      fallback_mode: 'play',
      fallback_value: customer.url('/sorry.wav'),
    }),
    200,
  )
})

bad.after(async () => {
  await customer?.close()
  await on?.close()
})

async function call(scenario: string, number = account.number) {
  const rtpPort = await freePort()
  const rtp = await RtpEndpoint.open(rtpPort)
  const caller = new Sipp({
    scenario,
    remote: `127.0.0.1:${on.sipPort}`,
    localPort: await freePort(),
    rtpPort,
    service: number,
  })
  const result = await caller.done
  rtp.close()
  assert.is(result.code, 0, `${result.errors}\n${result.messages.slice(-3000)}`)
  return rtp
}

const newest = () =>
  until('the record', async () => {
    const it = await account.call()
    return ['completed', 'failed'].includes(it?.status) && it
  })

const answers = {
  'not well-formed': ['END.3422', '<Response><Say>Hi</Response>'],
  'wrong root': ['END.3422', '<Answer/>'],
  'none of its verbs known': ['END.3422', '<Response><Sing/><Dance/></Response>'],
  'a 500': ['END.3502', (_post, response) => response.writeHead(500).end('<Response/>')],
  'a 201': ['END.3502', (_post, response) => response.writeHead(201).end('<Response/>')],
  'a redirect': ['END.3502', (_post, response) => response.writeHead(302, { location: '/elsewhere' }).end()],
  'a broken connection': ['END.3502', (_post, response) => response.destroy()],
  '64 KB and one byte': [
    'END.3413',
    (_post, response) => response.writeHead(200).end(`<Response><Hangup/></Response>${' '.repeat(65_536 - 29)}`),
  ],
  'a document that redirects to itself': ['END.3482', '<Response><Redirect>/voice</Redirect></Response>'],
} as const satisfies Record<string, readonly [string, Parameters<Customer['on']>[1]]>

for (const [name, [reason, reply]] of Object.entries(answers))
  bad(`${name}: the fallback is heard and the reason is ${reason}`, async () => {
    customer.on('/voice', reply as Parameters<Customer['on']>[1])
    const rtp = await call('caller')
    assert.ok(rtp.audio().indexOf(sorryPcmu) >= 0, 'the fallback audio, bit-exact')
    const record = await newest()
    assert.is(record.reason_code, reason)
    assert.is(record.status, 'completed')
  })

bad('a stall of 10.5 s: cut at 10 s, the fallback runs, and a good call meanwhile feels nothing', async () => {
  const other = await RigAccount.make(on)
  await other.webhook('voice_inbound', customer.on('/good', '<Response><Play>/sorry.wav</Play></Response>'))
  let stalledAt = 0
  customer.on('/voice', (_post, response) => {
    stalledAt = Date.now()
    setTimeout(() => response.writeHead(200).end('<Response><Hangup/></Response>'), 10_500)
  })
  const stalled = call('caller')
  await until('the stall', () => stalledAt > 0)
  const started = Date.now()
  const good = await call('caller', other.number)
  assert.ok(good.audio().indexOf(sorryPcmu) >= 0)
  assert.ok(Date.now() - started < 5000, `the good call took ${Date.now() - started} ms`)
  const rtp = await stalled
  assert.ok(rtp.audio().indexOf(sorryPcmu) >= 0)
  const cutAfter = rtp.received[0]!.at + performance.timeOrigin - stalledAt
  assert.ok(cutAfter > 9_500 && cutAfter < 10_500, `the fallback was heard after ${Math.round(cutAfter)} ms`)
  assert.is((await newest()).reason_code, 'END.3408')
})

bad('fallback drop: 603 before the answer', async () => {
  expectStatus(await account.api('POST', '/account/webhooks', { fallback_mode: 'drop' }), 200)
  customer.on('/voice', '<nonsense')
  await call('caller-declined')
  const record = await newest()
  assert.is(record.status, 'failed')
  assert.is(record.reason_code, 'END.3422')
})

bad('fallback message is spoken', async () => {
  expectStatus(
    await account.api('POST', '/account/webhooks', { fallback_mode: 'message', fallback_value: 'Sorry.' }),
    200,
  )
  const rtp = await call('caller')
  assert.ok(rtp.audio().length > 3000)
  const record = await newest()
  assert.is(record.reason_code, 'END.3422')
  assert.ok(record.tts_seconds >= 1)
})

bad.run()
