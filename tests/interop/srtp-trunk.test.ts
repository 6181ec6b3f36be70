import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addTrunk, expectStatus } from '../rig/beds/account.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { outsideCaller, SwitchBed } from '../rig/beds/switch-bed.ts'
import { Baresip } from '../rig/peers/baresip.ts'
import { RtpEndpoint } from '../rig/peers/rtp-endpoint.ts'
import type { Sipp } from '../rig/peers/sipp.ts'
import { encodePcmu } from '../rig/probes/g711.ts'
import { freePort } from '../rig/probes/ports.ts'
import { bestShare, secondsOf, untilReceived } from '../rig/probes/received-audio.ts'
import { sine } from '../rig/probes/tone.ts'
import { sleep, until } from '../rig/probes/wait.ts'

// A carrier with SRTP by keys in SDP (RFC 4568): Debian's baresip, foreign code, as its side of the trunk.

const trunks = suite('SRTP towards a trunk')
const [ownHz, farHz, assetHz] = [600, 1000, 440]
let bed: SwitchBed
let secure: string
let clear: string
let carrier: Baresip | undefined

trunks.before(async () => {
  requirePeers('baresip', 'sipp')
  bed = await SwitchBed.open({ env: { SAUTI_LOG: 'debug' } })
  const { on, account, carrierPort } = bed
  secure = await addTrunk(on, { name: 'secure', port: carrierPort, prefixes: ['+254'], inbound: false })
  clear = await addTrunk(on, { name: 'clear', port: await freePort(), prefixes: ['+255'], inbound: false })
  await account.asset('tone', sine(assetHz, 1))
})

trunks.after.each(async () => {
  await carrier?.stop()
  carrier?.remove()
  carrier = undefined
})

trunks.after(() => bed?.close())

type Encryption = 'off' | 'optional' | 'required'

/** Both trunks are of one host: calls come in by one of them at a time. */
async function trunk(srtp: Encryption, inbound: 'secure' | 'clear'): Promise<void> {
  const hosts = (of: typeof inbound) => ({ inbound_hosts: of === inbound ? ['127.0.0.1'] : [] })
  expectStatus(await bed.on.operator('PATCH', `/trunks/${clear}`, hosts('clear')), 200)
  expectStatus(await bed.on.operator('PATCH', `/trunks/${secure}`, { srtp, ...hosts('secure') }), 200)
}

const document = (verbs: string) => bed.account.hosts('voice_inbound', verbs)

/** `encryption`: as baresip names it; none: it speaks plain RTP and nothing else. */
async function carrierWith(
  encryption: 'srtp-mand' | 'srtp-mandf' | 'srtp' | undefined,
  more: { readonly dial?: string } = {},
): Promise<Baresip> {
  carrier = new Baresip({
    sipPort: bed.carrierPort,
    rtpPort: await freePort(),
    says: sine(ownHz, 20),
    account:
      `<sip:+254733000222@127.0.0.1:${bed.carrierPort};transport=udp>;regint=0;audio_codecs=PCMU/8000/1` +
      `${encryption === undefined ? '' : `;mediaenc=${encryption}`};answermode=auto\n`,
    modules: encryption === undefined ? [] : ['srtp'],
    ...more,
  })
  if (more.dial === undefined) await carrier.said('baresip is ready')
  return carrier
}

/** A caller in the clear; its document dials on to the carrier. */
async function callThrough(pauseMs: number): Promise<{ readonly near: RtpEndpoint; readonly caller: Sipp }> {
  await document('<Dial timeout="8"><Number>+254733000222</Number></Dial>')
  const near = await RtpEndpoint.open()
  const caller = await bed.caller({ scenario: 'caller-hangs-up', rtpPort: near.port, pauseMs })
  return { near, caller }
}

const numberUri = () => `sip:${bed.account.number}@127.0.0.1:${bed.on.sipPort}`
const isProtected = (far: Baresip) => far.output.includes('SRTP is Enabled')

for (const [srtp, encryption] of [
  ['required', 'srtp-mand'],
  ['required', 'srtp-mandf'],
  ['optional', 'srtp-mand'],
  ['optional', undefined],
  ['optional', 'srtp'],
] as const) {
  trunks(`${srtp}: a carrier with ${encryption ?? 'plain RTP'} calls a number and hears its document`, async () => {
    await trunk(srtp, 'secure')
    await document('<Play asset="tone"/>')
    const far = await carrierWith(encryption, { dial: numberUri() })
    await far.said('Call established')
    await far.said(/Call with .* terminated/)
    assert.is(isProtected(far), encryption?.startsWith('srtp-mand') === true)
    await far.stop()
    assert.ok(secondsOf(far.received(), assetHz) > 0.8, `${secondsOf(far.received(), assetHz)} s of the tone`)
  })
}

for (const [srtp, encryption] of [
  ['required', undefined],
  ['required', 'srtp'],
  ['off', 'srtp-mand'],
] as const) {
  trunks(`${srtp}: a carrier that calls with ${encryption ?? 'plain RTP'} is refused with 488`, async () => {
    await trunk(srtp, 'secure')
    await document('<Play asset="tone"/>')
    const far = await carrierWith(encryption, { dial: numberUri() })
    await far.said('488 Not Acceptable Here')
    await until('the row of the call', async () => (await bed.account.call()).reason_code === 'END.0488')
  })
}

trunks('both sides protected: each receives the other', async () => {
  const suite = 'SRTP is Enabled (cryptosuite=AES_CM_128_HMAC_SHA1_80)'
  await trunk('required', 'secure')
  await document('<Dial><Number>+254733000222</Number></Dial>')
  const far = await carrierWith('srtp-mand')
  const near = new Baresip({
    sipPort: await freePort(),
    rtpPort: await freePort(),
    says: sine(farHz, 20),
    account: `<sip:${outsideCaller}@127.0.0.1>;regint=0;audio_codecs=PCMU/8000/1;mediaenc=srtp-mand\n`,
    modules: ['srtp'],
    dial: numberUri(),
  })
  try {
    await Promise.all([near.said(suite), far.said(suite)])
    await sleep(2500)
    await near.stop()
    await far.stop()
    assert.ok(bestShare(near.received(), ownHz) > 0.9, 'the caller hears the callee')
    assert.ok(bestShare(far.received(), farHz) > 0.9, 'the callee hears the caller')
  } finally {
    await near.stop()
    near.remove()
  }
})

for (const [srtp, encryption, protects] of [
  ['required', 'srtp-mand', true],
  ['optional', 'srtp-mand', true],
  ['optional', undefined, false],
] as const) {
  trunks(`${srtp}: a carrier of ${encryption ?? 'plain RTP'} is dialled, tones both ways`, async () => {
    await trunk(srtp, 'clear')
    const far = await carrierWith(encryption)
    const { near, caller } = await callThrough(srtp === 'required' ? 4500 : 2500)
    await far.said('Call established')
    await untilReceived(near, ownHz)
    await near.stream(encodePcmu(sine(farHz, 1)))
    if (srtp === 'required') {
      // Hold and resume: two new offers, with keys.
      const before = near.audio().length
      far.command('x')
      await sleep(600)
      far.command('X')
      await until('the caller to hear the carrier again', () => near.audio().length > before + 8000)
      await untilReceived(near, ownHz)
    }
    assert.is((await caller.done).code, 0)
    near.close()
    await far.stop()
    assert.is(isProtected(far), protects)
    assert.not(far.output.includes('failed to decrypt'))
    assert.ok(secondsOf(far.received(), farHz) > 0.7, `${secondsOf(far.received(), farHz)} s of the tone`)
  })
}

for (const [srtp, encryption] of [
  ['required', undefined],
  ['off', 'srtp-mand'],
] as const) {
  trunks(
    `${srtp}: a carrier that takes only ${encryption ?? 'plain RTP'} is not reached, and hears nothing`,
    async () => {
      await trunk(srtp, 'clear')
      const far = await carrierWith(encryption)
      const url = await bed.account.document('<Play asset="tone"/>')
      const order = { to: '+254733000222', from: bed.account.number, url }
      expectStatus(await bed.account.api('POST', '/calls/originate', order), 201)
      await until('the row of the call', async () => (await bed.account.call()).reason_code === 'END.0488')
      assert.not(far.output.includes('Call established'))
      assert.is(far.received().length, 0)
    },
  )
}

trunks('no key stands in the log', () => {
  assert.ok(bed.on.log.length > 0)
  assert.not(bed.on.log.some(line => /inline:|a=crypto/.test(line)))
})

trunks.run()
