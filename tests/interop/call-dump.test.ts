import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addTrunk, expectStatus } from '../rig/beds/account.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { SwitchBed } from '../rig/beds/switch-bed.ts'
import { Baresip } from '../rig/peers/baresip.ts'
import { RtpEndpoint } from '../rig/peers/rtp-endpoint.ts'
import { encodePcmu } from '../rig/probes/g711.ts'
import { freePort } from '../rig/probes/ports.ts'
import { untilReceived } from '../rig/probes/received-audio.ts'
import { sine } from '../rig/probes/tone.ts'
import { until } from '../rig/probes/wait.ts'

// A caller in the clear, bridged with a carrier whose packets are protected (SRTP) and whose trunk has a password.

const dumps = suite('the dump of a live call')
const password = 'trunk-password-of-the-dump-test'
let bed: SwitchBed
let carrier: Baresip | undefined

dumps.before(async () => {
  requirePeers('baresip', 'sipp')
  bed = await SwitchBed.open()
  const { on, account, carrierPort } = bed
  await addTrunk(on, { name: 'clear', port: await freePort(), prefixes: ['+255'] })
  await addTrunk(on, {
    name: 'secure',
    port: carrierPort,
    prefixes: ['+254'],
    inbound: false,
    srtp: 'required',
    username: 'sauti',
    password,
  })
  await account.hosts('voice_inbound', '<Dial timeout="8"><Number>+254733000222</Number></Dial>')
})

dumps.after(async () => {
  await carrier?.stop()
  carrier?.remove()
  await bed?.close()
})

const get = (id: string, query = '') => bed.on.operator('GET', `/calls/${id}/dump${query}`)

/** Packets of the caller that have come in. */
async function receivedOfCaller(): Promise<number> {
  const { calls } = (await bed.on.operator('GET', '/calls')).body
  const { legs } = (await get(calls[0].sid)).body
  return legs[0].media.session.quality.packets_received
}

dumps('shows document, money, SIP and media of a bridged call, and no secret', async () => {
  carrier = new Baresip({
    sipPort: bed.carrierPort,
    rtpPort: await freePort(),
    says: sine(600, 20),
    account: `<sip:+254733000222@127.0.0.1:${bed.carrierPort};transport=udp>;regint=0;audio_codecs=PCMU/8000/1;mediaenc=srtp-mand;answermode=auto\n`,
    modules: ['srtp'],
  })
  await carrier.said('baresip is ready')
  const near = await RtpEndpoint.open()
  const caller = await bed.caller({ scenario: 'caller-hangs-up', rtpPort: near.port, pauseMs: 6000 })
  await untilReceived(near, 600)
  const speaking = near.stream(encodePcmu(sine(1000, 3)))
  await until('packets of the caller', async () => (await receivedOfCaller()) > 5)

  const { calls } = expectStatus(await bed.on.operator('GET', '/calls'), 200).body
  const { uuid, sid } = calls[0]
  const { body } = expectStatus(await get(sid), 200)
  assert.equal([body.uuid, body.sid, body.status, body.phase], [uuid, sid, 'answered', 'live'])
  assert.equal([body.document.state, body.document.verb, body.document.line], ['running', 'Dial', 1])
  assert.equal([body.dial.kind, body.dial.state, body.dial.branches[0].state], ['dial', 'won', 'answered'])
  assert.ok(body.waits_for.includes('the Dial to end'))
  assert.match(body.holds[0].amount, /^\d+\.\d{2}/)
  assert.is(body.holds[0].rate_prefix, '+254')
  const [inbound, outbound] = body.legs
  assert.is(body.dial.bridged_leg, outbound.uuid)

  for (const leg of [inbound, outbound]) {
    assert.equal([leg.state, leg.media_state, leg.is_ready], ['up', 'open', true])
    const { dialog } = leg.sip
    assert.equal([dialog.state, dialog.offer, dialog.open_request], ['open', 'stable', 'none'])
    assert.match(dialog.remote_target, /^sip:/)
    const { session } = leg.media
    // Either may send from another port than the one in its SDP.
    assert.ok(['confirmed', 'learned'].includes(session.source.state), session.source.state)
    assert.match(session.source.address, /^127\.0\.0\.1:\d+$/)
    assert.is(session.send_source, 'bridge')
    assert.equal([session.agreement.codec, session.agreement.ptime_ms], ['PCMU', 20])
  }
  assert.equal([inbound.sip.direction, inbound.sip.state], ['incoming', 'answered'])
  assert.equal([outbound.sip.direction, outbound.sip.state], ['outgoing', 'answered'])
  assert.equal([inbound.sip.dialog.remote_cseq, outbound.sip.dialog.local_cseq], [1, 1])
  assert.is(inbound.media.session.source.signalled, `127.0.0.1:${near.port}`)
  assert.is(inbound.media.session.srtp.state, 'plain')
  assert.is(outbound.media.session.srtp.state, 'protected')
  assert.match(outbound.media.session.srtp.suite, /^AE/)
  assert.match(
    inbound.media.session.send_pipeline,
    /^dtmf \| prompt \| bridge\(forward PCMU\) \| silence → packetize\(20 ms\) → udp:\d+$/,
  )
  assert.match(outbound.media.session.send_pipeline, /→ srtp → udp:\d+$/)
  assert.match(outbound.media.session.receive_pipeline, /^udp:\d+ → srtp → PCMU.* → forward$/)
  assert.is(inbound.media.session.bridged_with, outbound.uuid)
  assert.ok(outbound.media.session.quality.packets_received > 10)

  const text = expectStatus(await get(uuid, '?format=text'), 200).body
  const printed = await bed.on.cli('call', 'dump', sid)
  assert.is(printed.code, 0, printed.output)
  assert.match(printed.output, /document\s+running <Dial> at line 1/)
  assert.match(printed.output, /sends\s+dtmf \| prompt \| bridge\(forward PCMU\)/)
  const json = await bed.on.cli('call', 'dump', sid, '--json')
  assert.is(JSON.parse(json.output).sid, sid)

  for (const shown of [JSON.stringify(body), String(text), printed.output, json.output]) {
    for (const secret of [password, bed.on.operatorKey, bed.account.key, 'inline:', 'a=crypto', 'nonce'])
      assert.not(shown.includes(secret), secret)
    // A master key and salt are 30 bytes, 40 characters in base64 (RFC 4568 §6.1).
    assert.not.match(shown, /[A-Za-z0-9+/]{40}/)
  }

  await speaking
  assert.is((await caller.done).code, 0)
  near.close()
  await until('the call to be forgotten', async () => (await get(sid)).status === 404)
  assert.match((await get(sid)).body.detail, /No such call lives.*trace/)
})

dumps('is the operator’s alone; an unknown call answers 404', async () => {
  const asCustomer = await bed.account.api('GET', '/operator/calls/CA01JZXQ7R5T8K2M4N/dump')
  assert.ok(asCustomer.status === 401 || asCustomer.status === 403, String(asCustomer.status))
  assert.is((await get('CA01JZXQ7R5T8K2M4N')).status, 404)
  const printed = await bed.on.cli('call', 'dump', 'CA01JZXQ7R5T8K2M4N')
  assert.is.not(printed.code, 0)
  assert.match(printed.output, /No such call lives/)
})

dumps.run()
