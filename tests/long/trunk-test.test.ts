import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addTrunk, expectStatus } from '../rig/beds/account.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { SwitchBed } from '../rig/beds/switch-bed.ts'
import type { SippOptions } from '../rig/peers/sipp.ts'
import { freePort } from '../rig/probes/ports.ts'
import { until } from '../rig/probes/wait.ts'

// An operator's test call through a trunk, against sipp as the carrier.
const tests = suite('test call through a trunk')

const to = '+255733000222'
let bed: SwitchBed
let trunk: string

tests.before(async () => {
  requirePeers('sipp')
  bed = await SwitchBed.open()
  trunk = await addTrunk(bed.on, {
    ...{ name: 'carrier', port: bed.carrierPort, prefixes: ['+255', '+881'] },
    ...{ strip: 1, prepend: '00', codecs: ['PCMU'], max_calls: 1, options_ping_seconds: 0 },
  })
})

tests.after(() => bed?.close())

const ask = (body?: unknown) => bed.on.operator('POST', `/trunks/${trunk}/test`, body)

/** What the operator gets, with the carrier doing as the scenario says. */
async function tested(options: Partial<SippOptions>, body: unknown = { to }): Promise<any> {
  const callee = await bed.callee({ answersOptions: true, ...options })
  const { body: result } = expectStatus(await ask(body ?? undefined), 200)
  const { messages } = await callee.done
  return { ...result, messages }
}

const rowsAndMoney = async () => {
  const { body } = expectStatus(await bed.account.api('GET', '/account/'), 200)
  const calls = expectStatus(await bed.account.api('GET', '/calls/'), 200).body
  return [body.wallet_balance, body.held_amount, calls.total]
}

tests('an echo service: tones come back, with delay, codec, packets and times; no row, no money, noted', async () => {
  const before = await rowsAndMoney()
  const { call, messages } = await tested({ scenario: 'callee-echoes', echoesRtp: true }, { to, from: '+254711000999' })
  assert.is(call.outcome, 'echo', JSON.stringify(call))
  assert.equal([call.dialled, call.sip_status, call.reason_code, call.codec], ['00255733000222', 200, null, 'PCMU'])
  assert.ok(call.ringing_ms <= call.answered_ms && call.answered_ms >= 290, JSON.stringify(call))
  assert.ok(call.packets_sent >= 120 && call.packets_received >= 120, JSON.stringify(call))
  assert.ok(call.echo_ms >= 0 && call.echo_ms < 500 && call.echo_percent > 80, JSON.stringify(call))
  assert.ok(call.mos > 3.5 && call.loss_percent < 5, JSON.stringify(call))
  assert.match(messages, /INVITE sip:00255733000222@/)
  assert.match(messages, /From: .*254711000999/)
  assert.equal(await rowsAndMoney(), before)
  const [change] = expectStatus(await bed.on.operator('GET', '/changes'), 200).body.changes
  assert.equal([change.path, change.after.call.outcome], [`/operator/trunks/${trunk}/test`, 'echo'])
})

tests('answered without audio, busy, refused, not answered in time', async () => {
  const silent = (await tested({})).call
  assert.equal([silent.outcome, silent.sip_status, silent.packets_received, silent.mos], ['silent', 200, 0, null])
  const busy = (await tested({ scenario: 'callee-busy' })).call
  assert.equal([busy.outcome, busy.sip_status, busy.reason_code, busy.answered_ms], ['busy', 486, 'END.0486', null])
  const refused = (await tested({ scenario: 'callee-not-found' })).call
  assert.equal([refused.outcome, refused.sip_status, refused.reason_code], ['refused', 404, 'END.0404'])
  const ringing = (await tested({ scenario: 'callee-rings-on' })).call
  assert.equal([ringing.outcome, ringing.sip_status], ['no-answer', null])
  assert.ok(ringing.ringing_ms >= 0 && ringing.ended_ms >= 9900, JSON.stringify(ringing))
})

tests('one at a time, within max_calls, and what is blocked or of another trunk is refused', async () => {
  const callee = await bed.callee({ scenario: 'callee-rings-on', answersOptions: true })
  const gone = new AbortController()
  const first = fetch(`http://127.0.0.1:${bed.on.httpPort}/operator/trunks/${trunk}/test`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bed.on.operatorKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to }),
    signal: gone.signal,
  })
  await until('a second to be refused', async () => (await ask({ to: '+255733000999' })).status === 409)
  gone.abort()
  await first.catch(() => undefined)
  // The carrier gets a CANCEL, long before the ringing would have ended.
  const { messages } = await callee.done
  assert.match(messages, /CANCEL sip:/)
  const blocked = await ask({ to: '+8816000000' })
  assert.equal([blocked.status, blocked.body.code], [403, 'END.4433'])
  assert.is((await ask({ to: '+4930000000' })).status, 422)
  assert.is((await ask({ to: 'sip:x' })).status, 422)
  assert.is((await ask({ to, from: 'a"b' })).status, 422)
  const inbound = await addTrunk(bed.on, { name: 'in', port: await freePort(), prefixes: [], host: '' })
  assert.is((await bed.on.operator('POST', `/trunks/${inbound}/test`, { to })).status, 409)
})

tests('without a body OPTIONS alone', async () => {
  const { call, is_reachable: isReachable } = await tested({ calls: 0 }, null)
  assert.equal([call, isReachable], [null, true])
})

tests.run()
