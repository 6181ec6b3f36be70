import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addTrunk, expectStatus, RigAccount, setRates } from '../rig/account.ts'
import { Baresip } from '../rig/baresip.ts'
import { requirePeers } from '../rig/debian.ts'
import { decodePcmu, encodePcmu } from '../rig/g711.ts'
import { bestShare, secondsOf } from '../rig/hearing.ts'
import { freePort } from '../rig/ports.ts'
import { RtpEndpoint } from '../rig/rtp-endpoint.ts'
import { Sipp } from '../rig/sipp.ts'
import { SwitchProcess } from '../rig/switch-process.ts'
import { sine, toneShare, wavOf } from '../rig/tone.ts'
import { sleep, until } from '../rig/wait.ts'

// A carrier with SRTP by keys in SDP (RFC 4568): Debian's baresip, which nobody here wrote, as its side of the trunk.

const trunks = suite('SRTP towards a trunk')
const [ownHz, farHz, assetHz] = [600, 1000, 440]
let on: SwitchProcess
let account: RigAccount
let secure: string
let clear: string
let securePort: number
let carrier: Baresip | undefined

trunks.before(async () => {
  requirePeers('baresip', 'sipp')
  on = await SwitchProcess.start({ SAUTI_LOG: 'debug' })
  securePort = await freePort()
  await setRates(on)
  account = await RigAccount.make(on)
  secure = await addTrunk(on, { name: 'secure', port: securePort, prefixes: ['+254'], inbound: false })
  clear = await addTrunk(on, { name: 'clear', port: await freePort(), prefixes: ['+255'], inbound: false })
  const wav = wavOf(sine(assetHz, 1))
  expectStatus(await on.request(account.key, 'PUT', '/assets/tone', wav, { 'content-type': 'audio/wav' }), 201)
})

trunks.after.each(async () => {
  await carrier?.stop()
  carrier?.remove()
  carrier = undefined
})

trunks.after(async () => {
  await on?.close()
})

type Encryption = 'off' | 'optional' | 'required'

/** Both trunks are of one host: calls come in by one of them at a time. */
async function trunk(srtp: Encryption, inbound: 'secure' | 'clear'): Promise<void> {
  const hosts = (of: typeof inbound) => ({ inbound_hosts: of === inbound ? ['127.0.0.1'] : [] })
  expectStatus(await on.operator('PATCH', `/trunks/${clear}`, hosts('clear')), 200)
  expectStatus(await on.operator('PATCH', `/trunks/${secure}`, { srtp, ...hosts('secure') }), 200)
}

async function documentUrl(verbs: string): Promise<string> {
  const body = `<Response>${verbs}</Response>`
  return expectStatus(await account.api('POST', '/documents/', { name: 'd', body }), 201).body.url
}
const document = async (verbs: string) => account.webhook('voice_inbound', await documentUrl(verbs))

/** `encryption`: as baresip names it; none: it speaks plain RTP and nothing else. */
async function carrierWith(
  encryption: 'srtp-mand' | 'srtp-mandf' | 'srtp' | undefined,
  more: { readonly dial?: string } = {},
): Promise<Baresip> {
  carrier = new Baresip({
    sipPort: securePort,
    rtpPort: await freePort(),
    says: sine(ownHz, 20),
    account:
      `<sip:+254733000222@127.0.0.1:${securePort};transport=udp>;regint=0;audio_codecs=PCMU/8000/1` +
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
  const rtpPort = await freePort()
  const near = await RtpEndpoint.open(rtpPort)
  const caller = new Sipp({
    scenario: 'caller-hangs-up',
    remote: `127.0.0.1:${on.sipPort}`,
    localPort: await freePort(),
    rtpPort,
    service: account.number,
    from: '+254722000111',
    pauseMs,
  })
  return { near, caller }
}

const hearsCarrier = (near: RtpEndpoint) =>
  until('the caller to hear the carrier', () => {
    const heard = decodePcmu(near.audio().subarray(-4000))
    return heard.length === 4000 && toneShare(heard, ownHz) > 0.7
  })

const numberUri = () => `sip:${account.number}@127.0.0.1:${on.sipPort}`
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
    assert.ok(secondsOf(far.heard(), assetHz) > 0.8, `${secondsOf(far.heard(), assetHz)} s of the tone`)
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
    await until('the row of the call', async () => (await account.call()).reason_code === 'END.0488')
  })
}

trunks('both sides protected: each hears the other', async () => {
  const suite = 'SRTP is Enabled (cryptosuite=AES_CM_128_HMAC_SHA1_80)'
  await trunk('required', 'secure')
  await document('<Dial><Number>+254733000222</Number></Dial>')
  const far = await carrierWith('srtp-mand')
  const near = new Baresip({
    sipPort: await freePort(),
    rtpPort: await freePort(),
    says: sine(farHz, 20),
    account: '<sip:+254722000111@127.0.0.1>;regint=0;audio_codecs=PCMU/8000/1;mediaenc=srtp-mand\n',
    modules: ['srtp'],
    dial: numberUri(),
  })
  try {
    await Promise.all([near.said(suite), far.said(suite)])
    await sleep(2500)
    await near.stop()
    await far.stop()
    assert.ok(bestShare(near.heard(), ownHz) > 0.9, 'the caller hears the callee')
    assert.ok(bestShare(far.heard(), farHz) > 0.9, 'the callee hears the caller')
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
    await hearsCarrier(near)
    await near.stream(encodePcmu(sine(farHz, 1)))
    if (srtp === 'required') {
      // Hold and resume: two new offers, with keys.
      const before = near.audio().length
      far.command('x')
      await sleep(600)
      far.command('X')
      await until('the caller to hear the carrier again', () => near.audio().length > before + 8000)
      await hearsCarrier(near)
    }
    assert.is((await caller.done).code, 0)
    near.close()
    await far.stop()
    assert.is(isProtected(far), protects)
    assert.not(far.output.includes('failed to decrypt'))
    assert.ok(secondsOf(far.heard(), farHz) > 0.7, `${secondsOf(far.heard(), farHz)} s of the tone`)
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
      const order = { to: '+254733000222', from: account.number, url: await documentUrl('<Play asset="tone"/>') }
      expectStatus(await account.api('POST', '/calls/originate', order), 201)
      await until('the row of the call', async () => (await account.call()).reason_code === 'END.0488')
      assert.not(far.output.includes('Call established'))
      assert.is(far.heard().length, 0)
    },
  )
}

trunks('no key stands in the log', () => {
  assert.ok(on.log.length > 0)
  assert.not(on.log.some(line => /inline:|a=crypto/.test(line)))
})

trunks.run()
