import { suite, test } from 'uvu'
import * as assert from 'uvu/assert'
import { libWebrtc, shareAt } from '../core/libwebrtc-peer.ts'
import { addTrunk, expectStatus, RigAccount, setRates } from '../rig/account.ts'
import { makeUser, mint, type PhoneUser } from '../rig/browser-phone.ts'
import { requirePeers } from '../rig/debian.ts'
import { decodePcmu, encodePcmu } from '../rig/g711.ts'
import { documentedPhone } from '../rig/library-page.ts'
import { freePort } from '../rig/ports.ts'
import { RtpEndpoint } from '../rig/rtp-endpoint.ts'
import { Sipp } from '../rig/sipp.ts'
import { SwitchProcess } from '../rig/switch-process.ts'
import { sine, toneShare, wavOf } from '../rig/tone.ts'
import { until } from '../rig/wait.ts'

// JsSIP and libwebrtc in Node, by the block of docs/phones.md as it stands (issue: browser phones, 2).

interface NodePhone {
  signIn(options: object): Promise<unknown>
  say(samples: Int16Array): void
  call(to: string): unknown
  answer(): void
  hangUp(): void
  signOut(): void
}

const calls = suite('JsSIP and libwebrtc in Node')
const [ownHz, farHz, assetHz] = [600, 1000, 440]
const number = '+254733000555'
const rateHz = 48_000
const states: { state: string; detail: unknown }[] = []
/** The last second that was heard. */
let heard: number[] = []
let heardHz = rateHz
let on: SwitchProcess
let account: RigAccount
let user: PhoneUser
let phone: NodePhone
let calleePort: number
let talking: NodeJS.Timeout

/** Its packages are found from here; the block itself stands nowhere. */
const load = (): Promise<NodePhone> => {
  const code = documentedPhone('node').replace(/ from '(.*)'/g, (_, name) => ` from '${import.meta.resolve(name)}'`)
  return import(`data:text/javascript,${encodeURIComponent(code)}`)
}

calls.before(async () => {
  requirePeers('sipp')
  on = await SwitchProcess.start()
  calleePort = await freePort()
  await setRates(on)
  account = await RigAccount.make(on)
  await addTrunk(on, { name: 'carrier', port: calleePort, prefixes: ['+254'] })
  const wav = wavOf(sine(assetHz, 1))
  expectStatus(await on.request(account.key, 'PUT', '/assets/tone', wav, { 'content-type': 'audio/wav' }), 201)
  user = await makeUser(account, 'Robot')
  phone = await load()
  let at = 0
  const began = performance.now()
  talking = setInterval(() => {
    for (; at < (performance.now() - began) * 48; at += 480)
      phone.say(Int16Array.from({ length: 480 }, (_, i) => 8000 * Math.sin((2 * Math.PI * ownHz * (at + i)) / rateHz)))
  }, 10)
})

calls.after(async () => {
  clearInterval(talking)
  phone?.signOut()
  await on?.close()
  // JsSIP and libwebrtc leave timers and threads behind.
  setTimeout(() => process.exit(), 200)
})

calls.before.each(() => {
  states.length = 0
  heard = []
})

const webhook = async (purpose: 'voice_inbound' | 'voice_outbound', verbs: string) => {
  const body = `<Response>${verbs}</Response>`
  const made = expectStatus(await account.api('POST', '/documents/', { name: 'd', body }), 201)
  await account.webhook(purpose, made.body.url)
}
const state = (wanted: string) => until(`the phone to be ${wanted}`, () => states.find(it => it.state === wanted))
const hears = (hz: number) =>
  until(`the phone to hear ${hz} Hz`, () => {
    const last = heard.slice(-heardHz / 5)
    return last.length === heardHz / 5 && shareAt(last, heardHz, hz) > 0.7
  })
const bothHear = async (far: RtpEndpoint) => {
  await until('the far end to hear the phone', () => {
    const samples = decodePcmu(far.audio().subarray(-4000))
    return samples.length === 4000 && toneShare(samples, ownHz) > 0.7
  })
  const said = far.stream(encodePcmu(sine(farHz, 1)))
  await hears(farHz)
  await said
}

calls('registers, calls a hosted document, hears it to its end', async () => {
  const { token } = await mint(account, user)
  await phone.signIn({
    url: `ws://127.0.0.1:${on.httpPort}/sip`,
    realm: 'localhost',
    extension: user.extension,
    token,
    onState: (named: string, detail: unknown) => states.push({ state: named, detail }),
    onAudio: ({ samples, sampleRate }: { samples: Int16Array; sampleRate: number }) => {
      if (sampleRate !== heardHz || heard.length > 2 * sampleRate) heard = heard.slice(-sampleRate)
      heardHz = sampleRate
      heard.push(...samples)
    },
  })
  await webhook('voice_outbound', '<Play asset="tone" loop="2"/>')
  phone.call('+254711000001')
  await state('talking')
  await hears(assetHz)
  await state('ended')
  await until('the row of the call', async () => (await account.call()).status === 'completed')
  assert.is((await account.call()).reason_code, 'END.0202')
})

calls('calls a SIP user agent behind a trunk: tones both ways, hangs up', async () => {
  await webhook('voice_outbound', '<Dial><Number>{{To}}</Number></Dial>')
  const rtpPort = await freePort()
  const far = await RtpEndpoint.open(rtpPort)
  const callee = new Sipp({ scenario: 'callee', localPort: calleePort, rtpPort })
  phone.call(number)
  await state('talking')
  await bothHear(far)
  phone.hangUp()
  await state('ended')
  assert.is((await callee.done).code, 0)
  far.close()
})

calls('is called by a SIP user agent behind a trunk: tones both ways, the caller hangs up', async () => {
  await webhook('voice_inbound', `<Dial callerId="+254722000111"><Client>${user.uuid}</Client></Dial>`)
  const rtpPort = await freePort()
  const near = await RtpEndpoint.open(rtpPort)
  const caller = new Sipp({
    scenario: 'caller-hangs-up',
    remote: `127.0.0.1:${on.sipPort}`,
    localPort: await freePort(),
    rtpPort,
    service: account.number,
    from: '+254722000111',
    pauseMs: 2500,
  })
  assert.is((await state('incoming')).detail, '+254722000111')
  phone.answer()
  await state('talking')
  await bothHear(near)
  await state('ended')
  assert.is((await caller.done).code, 0)
  near.close()
})

if (libWebrtc !== undefined) calls.run()
else {
  process.stderr.write('SKIPPED (no binary of @roamhq/wrtc here): JsSIP and libwebrtc in Node\n')
  test.skip('JsSIP and libwebrtc in Node')
  test.run()
}
