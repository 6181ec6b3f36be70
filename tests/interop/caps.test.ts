import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { expectStatus } from '../rig/beds/account.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { VerbBed } from '../rig/beds/verb-bed.ts'
import { RtpEndpoint } from '../rig/peers/rtp-endpoint.ts'
import { Sipp } from '../rig/peers/sipp.ts'
import { until } from '../rig/probes/wait.ts'

// The caps of docs/errors.md over real SIP. Without them one inbound call made 310 live calls, or 276 INVITEs to the carrier in four seconds.
const caps = suite('caps of an account')

let bed: VerbBed

caps.before(async () => {
  requirePeers('sipp')
  bed = await VerbBed.open()
})

caps.after(() => bed?.close())

const allow = async (fields: object) =>
  expectStatus(await bed.on.operator('PATCH', `/accounts/${bed.account.uuid}`, fields), 200)

/** Another number of the account, whose document stands. */
async function numberThatRuns(number: string, verbs: string): Promise<void> {
  const pool = expectStatus(await bed.on.operator('POST', '/numbers', { number }), 201)
  const { uuid } = expectStatus(await bed.account.api('POST', '/numbers/acquire', { uuid: pool.body.uuid }), 200).body
  const url = await bed.account.document(verbs)
  expectStatus(await bed.account.api('POST', '/numbers/configure', { uuid, webhook_urls: { voice_inbound: url } }), 200)
}

/** When each INVITE of its own came, ms. */
function invitesOf(messages: string): readonly number[] {
  const seen = new Map<string, number>()
  for (const part of messages.split(/^-{20,} /m)) {
    const at = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d\.\d{3})/.exec(part)
    const id = /^Call-ID: *(.+)$/m.exec(part)?.[1]
    if (at === null || id === undefined || !/^INVITE /m.test(part)) continue
    if (!seen.has(id)) seen.set(id, Date.parse(`${at[1]}T${at[2]}Z`))
  }
  return [...seen.values()].sort((a, b) => a - b)
}

caps('the call beyond max_inbound_calls gets 480, and its owner sees END.4429', async () => {
  await allow({ max_inbound_calls: 1 })
  const first = await bed.call('<Say>Hello</Say><Pause length="20"/>')
  await first.answered()
  const rtp = await RtpEndpoint.open()
  const second = await bed.call('<Say>Hello</Say>', { scenario: 'caller-unavailable' })
  const messages = await second.done()
  rtp.close()
  assert.match(messages, /SIP\/2\.0 480 /)
  assert.match(messages, /X-Voice-Reason-Code: END\.4429/)
  assert.match(messages, /Reason: SIP;cause=480/)
  await first.hangUp()
  await first.done()
  const { calls } = expectStatus(await bed.account.api('GET', '/calls/?status=failed'), 200).body
  assert.equal(
    calls.map((call: { reason_code: string }) => call.reason_code),
    ['END.4429'],
  )
  await allow({ max_inbound_calls: 100 })
})

caps(
  'ten numbers that dial ten numbers each: 20 on-net legs, and INVITEs to the carrier at the rate of calls',
  async () => {
    const { number, port } = await bed.destination()
    const rtp = await RtpEndpoint.open()
    const far = new Sipp({
      scenario: 'callee-rings-on',
      localPort: port,
      rtpPort: rtp.port,
      calls: 1000,
      timeoutSeconds: 60,
    })
    await far.listening()
    const branching = '+254744400001'
    const tenTimes = (to: string) => `<Dial timeout="4">${`<Number>${to}</Number>`.repeat(10)}</Dial>`
    await numberThatRuns(branching, tenTimes(number))
    await allow({ max_calls_per_second: 10, max_dialled_legs: 60 })
    // No answer: the caller gets that status when the Dial is over.
    const call = await bed.call(tenTimes(branching), { scenario: 'caller-unavailable' })
    await call.done()
    const { calls } = expectStatus(
      await bed.account.api('GET', `/calls/?limit=200&search=${branching.slice(1)}`),
      200,
    ).body
    assert.is(calls.length, 10, 'each of the ten is a call of its own, and dials nobody on-net')
    const invites = await until('the INVITEs', async () => {
      const seen = invitesOf(far.messagesSoFar())
      return seen.length >= 20 && seen
    })
    far.stop()
    rtp.close()
    assert.ok(invites.length <= 20, `${invites.length} INVITEs`)
    // The switch keeps the rate to the millisecond; a busy machine may deliver two bursts closer together.
    for (const from of invites)
      assert.ok(invites.filter(at => at >= from && at < from + 800).length <= 10, invites.join())
  },
)

caps.run()
