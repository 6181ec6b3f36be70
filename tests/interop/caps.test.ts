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

/** Calls that the carrier was offered. */
function invitesOf(messages: string): number {
  const seen = new Set<string>()
  for (const part of messages.split(/^-{20,} /m)) {
    const id = /^Call-ID: *(.+)$/m.exec(part)?.[1]
    if (id !== undefined && /^INVITE /m.test(part)) seen.add(id)
  }
  return seen.size
}

interface Trace {
  readonly legs: readonly { readonly id: string; readonly via: string }[]
  readonly entries: readonly {
    readonly at: string
    readonly kind: string
    readonly leg: string
    readonly text: string
  }[]
}

/**
 * When each leg to a carrier was begun, ms, by the switch's clock: its hold is taken then, and its INVITE leaves once that is
 * on the disk, which a busy one may take longer for.
 */
async function begins(call: string): Promise<readonly number[]> {
  const { legs, entries } = expectStatus(await bed.account.api('GET', `/calls/${call}/trace`), 200).body as Trace
  return legs
    .filter(({ via }) => via === 'trunk')
    .map(({ id }) => entries.find(({ leg, kind, text }) => leg === id && kind === 'money' && text.startsWith('holds ')))
    .filter(hold => hold !== undefined)
    .map(({ at }) => Date.parse(at))
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
      return seen >= 20 && seen
    })
    far.stop()
    rtp.close()
    assert.ok(invites <= 20, `${invites} INVITEs`)
    const begun = (await Promise.all(calls.map(({ uuid }: { uuid: string }) => begins(uuid))))
      .flat()
      .sort((a, b) => a - b)
    assert.is(begun.length, 20)
    // To the millisecond in virtual time (tests/core/caps); here each is recorded once its hold is on the disk.
    const [first = 0, eleventh = 0] = [begun[0], begun[10]]
    assert.ok(eleventh - first > 900, begun.join())
  },
)

caps.run()
