import { suite, test } from 'uvu'
import * as assert from 'uvu/assert'
import { libWebrtc, shareAt } from '../core/bed/libwebrtc-peer.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { outsideCaller, SwitchBed } from '../rig/beds/switch-bed.ts'
import { makeUser, mint, type PhoneUser } from '../rig/peers/browser-phone.ts'
import { documentedPhone } from '../rig/peers/library-page.ts'
import { RtpEndpoint } from '../rig/peers/rtp-endpoint.ts'
import { encodePcmu } from '../rig/probes/g711.ts'
import { untilReceived } from '../rig/probes/received-audio.ts'
import { sine } from '../rig/probes/tone.ts'
import { until } from '../rig/probes/wait.ts'

// JsSIP and libwebrtc in Node, by the block of docs/phones.md as it stands.

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
/** The last second that was received. */
let received: number[] = []
let receivedHz = rateHz
let bed: SwitchBed
let user: PhoneUser
let phone: NodePhone
let talking: NodeJS.Timeout

/** Its packages are found from here; the block itself stands nowhere. */
const load = (): Promise<NodePhone> => {
  const code = documentedPhone('node').replace(/ from '(.*)'/g, (_, name) => ` from '${import.meta.resolve(name)}'`)
  return import(`data:text/javascript,${encodeURIComponent(code)}`)
}

calls.before(async () => {
  requirePeers('sipp')
  bed = await SwitchBed.open({ prefixes: ['+254'] })
  await bed.account.asset('tone', sine(assetHz, 1))
  user = await makeUser(bed.account, 'Robot')
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
  await bed?.close()
  // JsSIP and libwebrtc leave timers and threads.
  setTimeout(() => process.exit(), 200)
})

calls.before.each(() => {
  states.length = 0
  received = []
})

const state = (wanted: string) => until(`the phone to be ${wanted}`, () => states.find(it => it.state === wanted))
const hears = (hz: number) =>
  until(`the phone to hear ${hz} Hz`, () => {
    const last = received.slice(-receivedHz / 5)
    return last.length === receivedHz / 5 && shareAt(last, receivedHz, hz) > 0.7
  })
const bothHear = async (far: RtpEndpoint) => {
  await untilReceived(far, ownHz)
  const said = far.stream(encodePcmu(sine(farHz, 1)))
  await hears(farHz)
  await said
}

calls('registers, calls a hosted document, hears it to its end', async () => {
  const { token } = await mint(bed.account, user)
  await phone.signIn({
    url: `ws://127.0.0.1:${bed.on.httpPort}/sip`,
    realm: 'localhost',
    extension: user.extension,
    token,
    onState: (named: string, detail: unknown) => states.push({ state: named, detail }),
    onAudio: ({ samples, sampleRate }: { samples: Int16Array; sampleRate: number }) => {
      if (sampleRate !== receivedHz || received.length > 2 * sampleRate) received = received.slice(-sampleRate)
      receivedHz = sampleRate
      received.push(...samples)
    },
  })
  await bed.account.hosts('voice_outbound', '<Play asset="tone" loop="2"/>')
  phone.call('+254711000001')
  await state('talking')
  await hears(assetHz)
  await state('ended')
  await until('the row of the call', async () => (await bed.account.call()).status === 'completed')
  assert.is((await bed.account.call()).reason_code, 'END.0202')
})

calls('calls a SIP user agent through a trunk: tones both ways, hangs up', async () => {
  await bed.account.hosts('voice_outbound', '<Dial><Number>{{To}}</Number></Dial>')
  const far = await RtpEndpoint.open()
  const callee = await bed.callee({ rtpPort: far.port })
  phone.call(number)
  await state('talking')
  await bothHear(far)
  phone.hangUp()
  await state('ended')
  assert.is((await callee.done).code, 0)
  far.close()
})

calls('is called by a SIP user agent through a trunk: tones both ways, the caller hangs up', async () => {
  await bed.account.hosts('voice_inbound', `<Dial><Client>${user.uuid}</Client></Dial>`)
  const near = await RtpEndpoint.open()
  const caller = await bed.caller({ scenario: 'caller-hangs-up', rtpPort: near.port, pauseMs: 2500 })
  assert.is((await state('incoming')).detail, outsideCaller)
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
