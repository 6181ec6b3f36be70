import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { requirePeers } from '../rig/beds/debian.ts'
import { outsideCaller, SwitchBed } from '../rig/beds/switch-bed.ts'
import { makeUser, mint, type PhoneUser } from '../rig/peers/browser-phone.ts'
import { LibraryBrowser, LibraryPage } from '../rig/peers/library-page.ts'
import { RtpEndpoint } from '../rig/peers/rtp-endpoint.ts'
import type { Sipp } from '../rig/peers/sipp.ts'
import { encodePcmu } from '../rig/probes/g711.ts'
import { untilReceived } from '../rig/probes/received-audio.ts'
import { sine } from '../rig/probes/tone.ts'
import { until } from '../rig/probes/wait.ts'

// The pages of docs/phones.md as they stand, in Debian's Chromium, against `sauti serve` with nothing set for them.
// The external address is loopback, which no browser's own candidate has: what is asked there must
// be answered from there.

const [microphoneHz, farHz, assetHz] = [600, 1000, 440]
const number = '+254733000333'
let bed: SwitchBed
let browser: LibraryBrowser

async function went(peer: Sipp): Promise<void> {
  const { code, errors, messages } = await peer.done
  assert.is(code, 0, `${errors}\n${messages}`)
}

for (const library of ['jssip', 'sip.js']) {
  const calls = suite(`${library} in Chromium`)
  let user: PhoneUser
  let phone: LibraryPage

  calls.before(async () => {
    requirePeers('chromium', 'sipp')
    if (bed === undefined) {
      bed = await SwitchBed.open({ prefixes: ['+254'] })
      await bed.account.asset('tone', sine(assetHz, 0.8))
      browser = await LibraryBrowser.launch(microphoneHz)
    }
    user = await makeUser(bed.account, `Amina ${library}`)
    phone = await LibraryPage.open(browser, library)
  })

  const signIn = async (bearer = false) => {
    const { token, iceServers } = await mint(bed.account, user)
    const url = `ws://127.0.0.1:${bed.on.httpPort}/sip`
    await phone.act('signIn', { url, realm: 'localhost', extension: user.extension, token, iceServers: [], bearer })
    assert.ok(Array.isArray(iceServers))
  }
  const forget = () => phone.evaluate('bed.states.length = 0')
  const isRegistered = async (): Promise<boolean> => {
    const users = (await bed.account.api('GET', '/users/')).body
    return users.find(({ uuid }: { uuid: string }) => uuid === user.uuid).is_registered
  }
  const pageHears = async (far: RtpEndpoint) => {
    const [received] = await Promise.all([phone.hear(500, farHz), far.stream(encodePcmu(sine(farHz, 0.7)))])
    assert.ok(received.share > 0.7 && received.loudness > 0.01, `the page hears ${JSON.stringify(received)}`)
  }

  calls('registers by digest with the token as password, calls a hosted document and hears it to its end', async () => {
    await bed.account.hosts('voice_outbound', '<Play asset="tone" loop="2"/>')
    await signIn()
    assert.is(await isRegistered(), true)
    await phone.act('call', '+254711000001')
    await phone.state('talking')
    const received = await phone.hear(600, assetHz)
    assert.ok(received.share > 0.7 && received.loudness > 0.01, JSON.stringify(received))
    await phone.state('ended')
    await until('the row of the call', async () => (await bed.account.call()).status === 'completed')
    assert.is((await bed.account.call()).reason_code, 'END.0202')
  })

  calls('calls a SIP user agent through a trunk: tones both ways, hold by re-INVITE and back, hangs up', async () => {
    await forget()
    await bed.account.hosts('voice_outbound', '<Dial><Number>{{To}}</Number></Dial>')
    const far = await RtpEndpoint.open()
    const callee = await bed.callee({ rtpPort: far.port })
    await phone.act('call', number)
    await phone.state('talking')
    await untilReceived(far, microphoneHz)
    await pageHears(far)
    await phone.act('hold')
    await untilReceived(far, microphoneHz, false)
    await phone.act('unhold')
    await untilReceived(far, microphoneHz)
    await pageHears(far)
    await phone.act('hangUp')
    await phone.state('ended')
    await went(callee)
    far.close()
  })

  calls('is called by a SIP user agent through a trunk: tones both ways, the caller hangs up', async () => {
    await forget()
    const ring = `<Dial callerId="${outsideCaller}"><Client>${user.uuid}</Client></Dial>`
    await bed.account.hosts('voice_inbound', ring)
    const near = await RtpEndpoint.open()
    const caller = await bed.caller({ scenario: 'caller-hangs-up', rtpPort: near.port, pauseMs: 2000 })
    assert.is((await phone.state('incoming')).detail, outsideCaller)
    await phone.act('answer')
    await phone.state('talking')
    await untilReceived(near, microphoneHz)
    await pageHears(near)
    await phone.state('ended')
    await went(caller)
    near.close()
  })

  calls('signs out, and in again by Bearer; is called and hangs up itself; its digits reach a Gather', async () => {
    await phone.act('signOut')
    await until('the end of the registration', async () => !(await isRegistered()), 15_000)
    await forget()
    await signIn(true)
    assert.is(await isRegistered(), true)
    const caller = await bed.caller()
    await phone.state('incoming')
    await phone.act('answer')
    await until('the caller to be answered', () => caller.messagesSoFar().includes('SIP/2.0 200'))
    await phone.act('hangUp')
    await phone.state('ended')
    await went(caller)
    await forget()
    bed.customer.posts.length = 0
    const digits = bed.customer.on('/digits', '<Response><Hangup/></Response>')
    const gather = `<Gather numDigits="2" timeout="10" action="${digits}"><Play asset="tone" loop="0"/></Gather>`
    await bed.account.hosts('voice_outbound', gather)
    await phone.act('call', '100')
    await phone.state('talking')
    for (const key of ['4', '7']) await phone.act('press', key)
    assert.is((await bed.customer.post('/digits')).body.Digits, '47')
    await phone.state('ended')
    assert.equal(phone.complaints, [])
  })

  calls.after(async () => {
    await phone?.page.close()
    if (library !== 'sip.js') return
    await browser?.close()
    await bed?.close()
  })
  calls.run()
}
