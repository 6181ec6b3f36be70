import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BedAccount, expectStatus } from '../rig/beds/account.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { sideBySide } from '../rig/beds/side-by-side.ts'
import { SwitchBed } from '../rig/beds/switch-bed.ts'
import type { Customer } from '../rig/peers/customer.ts'
import { RtpEndpoint } from '../rig/peers/rtp-endpoint.ts'
import { encodePcmu } from '../rig/probes/g711.ts'
import { babble, wavOf } from '../rig/probes/tone.ts'
import { until } from '../rig/probes/wait.ts'

// Bad customer servers: the fallback runs, the reason is right, another call feels nothing.
const bad = suite('bad documents')
const calls = sideBySide(bad)

let bed: SwitchBed
const sorry = babble(1, 77)
const sorryPcmu = encodePcmu(sorry)

bad.before(async () => {
  requirePeers('sipp', 'espeak-ng')
  bed = await SwitchBed.open({ prefixes: ['+1'] })
  bed.customer.on('/sorry.wav', (_post, response) =>
    response.writeHead(200, { 'content-type': 'audio/wav' }).end(wavOf(sorry)),
  )
})

bad.after(() => bed?.close())

type Reply = Parameters<Customer['on']>[1]
let servers = 0

/** An account whose server answers so, and what is played in its place. */
async function accountOf(
  replyAt: (path: string) => Reply,
  fallback: object = { fallback_mode: 'play', fallback_value: bed.customer.url('/sorry.wav') },
): Promise<BedAccount> {
  const account = await BedAccount.make(bed.on)
  const path = `/voice-${++servers}`
  await account.webhook('voice_inbound', bed.customer.on(path, replyAt(path)))
  expectStatus(await account.api('POST', '/account/webhooks', fallback), 200)
  return account
}

async function call(account: BedAccount, scenario = 'caller') {
  const rtp = await RtpEndpoint.open()
  const caller = await bed.caller({ scenario, rtpPort: rtp.port, service: account.number })
  const result = await caller.done
  rtp.close()
  assert.is(result.code, 0, `${result.errors}\n${result.messages.slice(-3000)}`)
  return rtp
}

const recordOf = (account: BedAccount) =>
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
} as const satisfies Record<string, readonly [string, Reply]>

const itself = (path: string) => `<Response><Redirect>${path}</Redirect></Response>`

for (const [name, reason, replyAt] of [
  ...Object.entries(answers).map(([name, [reason, reply]]) => [name, reason, () => reply as Reply] as const),
  ['a document that redirects to itself', 'END.3482', itself] as const,
])
  calls(`${name}: the fallback is heard and the reason is ${reason}`, async () => {
    const account = await accountOf(replyAt)
    const rtp = await call(account)
    assert.ok(rtp.audio().indexOf(sorryPcmu) >= 0, 'the fallback audio, bit-exact')
    const record = await recordOf(account)
    assert.is(record.reason_code, reason)
    assert.is(record.status, 'completed')
  })

calls('a stall of 10.5 s: cut at 10 s, the fallback runs, and a good call meanwhile feels nothing', async () => {
  const other = await accountOf(() => '<Response><Play>/sorry.wav</Play></Response>')
  let stalledAt = 0
  const account = await accountOf(() => (_post, response) => {
    stalledAt = Date.now()
    setTimeout(() => response.writeHead(200).end('<Response><Hangup/></Response>'), 10_500)
  })
  const stalled = call(account)
  await until('the stall', () => stalledAt > 0)
  const started = Date.now()
  const good = await call(other)
  assert.ok(good.audio().indexOf(sorryPcmu) >= 0)
  assert.ok(Date.now() - started < 5000, `the good call took ${Date.now() - started} ms`)
  const rtp = await stalled
  assert.ok(rtp.audio().indexOf(sorryPcmu) >= 0)
  const cutAfter = rtp.received[0]!.at + performance.timeOrigin - stalledAt
  // Not before its time; nor much later, or the document would have ended the call without a word.
  assert.ok(cutAfter > 9_500, `the fallback was heard after ${Math.round(cutAfter)} ms`)
  assert.is((await recordOf(account)).reason_code, 'END.3408')
})

calls('fallback drop: 603 before the answer', async () => {
  const account = await accountOf(() => '<nonsense', { fallback_mode: 'drop' })
  await call(account, 'caller-declined')
  const record = await recordOf(account)
  assert.is(record.status, 'failed')
  assert.is(record.reason_code, 'END.3422')
})

calls('fallback message is spoken', async () => {
  const account = await accountOf(() => '<nonsense', { fallback_mode: 'message', fallback_value: 'Sorry.' })
  const rtp = await call(account)
  assert.ok(rtp.audio().length > 3000)
  const record = await recordOf(account)
  assert.is(record.reason_code, 'END.3422')
  assert.ok(record.tts_seconds >= 1)
})

bad.run()
