import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { expectStatus } from '../rig/beds/account.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { SwitchBed } from '../rig/beds/switch-bed.ts'
import { type LinkConditions, LossyRelay } from '../rig/fakes/lossy-relay.ts'
import { RtpEndpoint } from '../rig/peers/rtp-endpoint.ts'
import { mediaPortSeen } from '../rig/peers/sipp.ts'
import { encodePcmu } from '../rig/probes/g711.ts'
import { babble } from '../rig/probes/tone.ts'
import { sleep, until } from '../rig/probes/wait.ts'

// Real calls over networks that lose and delay packets: what the switch measures is what was done to them.
const quality = suite('Quality of calls')

let bed: SwitchBed

const seconds = 12
const document = `<Response><Record maxLength="${seconds + 1}" timeout="0" playBeep="false"/></Response>`

quality.before(async () => {
  requirePeers('sipp')
  bed = await SwitchBed.open({ prefixes: ['+1'] })
  await bed.account.webhook('voice_inbound', bed.customer.on('/voice', document))
  await bed.tellStatus()
})
quality.after(() => bed?.close())

/** A call whose audio comes by such a way, seen from all sides. */
async function callBy(way: LinkConditions, from: string, scenario: string) {
  const relay = await LossyRelay.open(way)
  const rtp = await RtpEndpoint.open()
  const sipp = await bed.caller({ scenario, rtpPort: relay.port, from })
  relay.join(await until('the answer', () => mediaPortSeen(sipp, 'SIP/2.0 200'), 10_000), rtp.port)
  rtp.aim(relay.port)
  const streamed = rtp.stream(encodePcmu(babble(seconds, way.seed)))
  await sleep(8000)
  const { calls } = expectStatus(await bed.on.operator('GET', '/calls'), 200).body
  const live = calls.find((call: { from_number: string }) => call.from_number === from)
  await streamed
  const { code, messages, errors } = await sipp.done
  assert.is(code, 0, errors)
  const ended = await until('the end of the call', () =>
    bed.customer.to('/status').find(({ body }) => body.code === 'CALL.0300' && body.data.from_number === from),
  )
  const record = expectStatus(await bed.account.api('GET', `/calls/${ended.body.data.uuid}`), 200).body
  relay.close()
  rtp.close()
  return { relay, live, record, event: ended.body.data, messages }
}

const ways: readonly (readonly [string, LinkConditions, scenario: string])[] = [
  ['+254722000001', { lossRatio: 0, delayMs: 0, spreadMs: 0, seed: 1 }, 'caller'],
  ['+254722000002', { lossRatio: 0.05, delayMs: 50, spreadMs: 15, seed: 2 }, 'caller-reports'],
  ['+254722000003', { lossRatio: 0.2, delayMs: 120, spreadMs: 40, seed: 3 }, 'caller'],
]

quality('loss, jitter, round trip and score: live, on the record, in the event of the end, in metrics', async () => {
  const calls = await Promise.all(ways.map(([from, way, scenario]) => callBy(way, from, scenario)))
  for (const [index, { relay, live, record, event }] of calls.entries()) {
    const name = `call ${index + 1}`
    const [leg] = record.quality
    assert.is(record.quality.length, 1, name)
    assert.equal(event.quality, record.quality, name)
    const lost = (100 * relay.dropped) / relay.sent
    assert.ok(Math.abs(leg.loss_percent - lost) <= 1, `${name}: lost ${lost} %, measured ${leg.loss_percent}`)
    assert.ok(
      Math.abs(leg.jitter_ms - relay.jitterMs) <= 3,
      `${name}: jitter ${relay.jitterMs} ms, measured ${leg.jitter_ms}`,
    )
    const delayMs = ways[index]?.[1].delayMs ?? 0
    // The media thread looks every 5 ms, and this process may be late too.
    assert.ok(
      leg.round_trip_ms >= delayMs - 2 && leg.round_trip_ms <= delayMs + 30,
      `${name}: a way of ${delayMs} ms, measured ${leg.round_trip_ms}`,
    )
    assert.is(leg.codec, 'PCMU')
    assert.is(leg.far.jitter_ms, 5)
    const [now] = live.legs
    assert.is(now.codec, 'PCMU')
    assert.ok(now.quality.packets_received > 120, `${name}: live ${JSON.stringify(now.quality)}`)
    assert.ok(Math.abs(now.quality.loss_percent - leg.loss_percent) < 5, name)
    assert.ok(now.quality.mos >= 1 && now.quality.mos <= 4.5, name)
    assert.ok(relay.kinds.has('sender-report') && relay.kinds.has('sdes'), `${name}: ${[...relay.kinds]}`)
  }
  const scores = calls.map(({ record }) => record.quality[0].mos)
  assert.ok(scores[0] > 4.3, `${scores}`)
  assert.ok(scores[1] < 4.1 && scores[1] > 3.2, `${scores}`)
  assert.ok(scores[2] < 3 && scores[2] >= 1, `${scores}`)

  // Extended reports go only to those who offered them.
  const [clean, reporting, poor] = calls
  assert.match(reporting?.messages ?? '', /a=rtcp-xr:rcvr-rtt=all voip-metrics/)
  assert.ok((reporting?.relay.metrics.length ?? 0) > 0)
  const metrics = reporting?.relay.metrics.at(-1)
  assert.ok(Math.abs((metrics?.lossRate ?? 0) - 0.05) < 0.04, `${metrics?.lossRate}`)
  for (const other of [clean, poor]) {
    assert.not.match(other?.messages ?? '', /rtcp-xr/)
    assert.not.ok(other?.relay.kinds.has('extended-report'))
  }

  const text = String((await bed.on.request(bed.on.operatorKey, 'GET', '/metrics')).body)
  assert.match(text, /^sauti_leg_mos_count\{codec="PCMU"\} 3$/m)
  assert.match(text, /^sauti_leg_loss_ratio_bucket\{le="0",codec="PCMU"\} 1$/m)
})

quality.run()
