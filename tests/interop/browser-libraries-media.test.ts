import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addTrunk, expectStatus, RigAccount, setRates } from '../rig/account.ts'
import { makeUser, mint, type PhoneUser } from '../rig/browser-phone.ts'
import { Customer } from '../rig/customer.ts'
import { requirePeers } from '../rig/debian.ts'
import { decodePcmu, encodePcmu } from '../rig/g711.ts'
import { LibraryBrowser, LibraryPage } from '../rig/library-page.ts'
import { freePort } from '../rig/ports.ts'
import { RtpEndpoint } from '../rig/rtp-endpoint.ts'
import { Sipp } from '../rig/sipp.ts'
import { SwitchProcess } from '../rig/switch-process.ts'
import { sine, toneShare, wavOf } from '../rig/tone.ts'
import { until } from '../rig/wait.ts'

// The pages of docs/phones.md as they stand, in Debian's Chromium, against `sauti serve` with nothing set for them (issue:
// browser phones, 2). The external address is loopback, which no browser's own candidate has: what is asked there must
// be answered from there.

const [microphoneHz, farHz, assetHz] = [600, 1000, 440]
const number = '+254733000333'
let on: SwitchProcess
let account: RigAccount
let browser: LibraryBrowser
let customer: Customer
let calleePort: number
const documents = new Map<string, string>()

/** A hosted document, made once. */
async function hosted(verbs: string): Promise<string> {
  const body = `<Response>${verbs}</Response>`
  const known = documents.get(body)
  if (known !== undefined) return known
  const { url } = expectStatus(await account.api('POST', '/documents/', { name: `d${documents.size}`, body }), 201).body
  documents.set(body, url)
  return url
}

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
    if (on === undefined) {
      on = await SwitchProcess.start()
      customer = await Customer.open()
      calleePort = await freePort()
      await setRates(on)
      account = await RigAccount.make(on)
      await addTrunk(on, { name: 'carrier', port: calleePort, prefixes: ['+254'] })
      expectStatus(
        await on.request(account.key, 'PUT', '/assets/tone', wavOf(sine(assetHz, 0.8)), {
          'content-type': 'audio/wav',
        }),
        201,
      )
      browser = await LibraryBrowser.launch(microphoneHz)
    }
    user = await makeUser(account, `Amina ${library}`)
    phone = await LibraryPage.open(browser, library)
  })

  const signIn = async (bearer = false) => {
    const { token, iceServers } = await mint(account, user)
    const url = `ws://127.0.0.1:${on.httpPort}/sip`
    await phone.act('signIn', { url, realm: 'localhost', extension: user.extension, token, iceServers: [], bearer })
    assert.ok(Array.isArray(iceServers))
  }
  const forget = () => phone.evaluate('rig.states.length = 0')
  const isRegistered = async (): Promise<boolean> => {
    const users = (await account.api('GET', '/users/')).body
    return users.find(({ uuid }: { uuid: string }) => uuid === user.uuid).is_registered
  }
  /** The far end hears the microphone, or does not. */
  const farHears = (far: RtpEndpoint, isWanted: boolean) =>
    until(`the far end to hear the microphone: ${isWanted}`, () => {
      const heard = decodePcmu(far.audio().subarray(-4000))
      return heard.length === 4000 && toneShare(heard, microphoneHz) > 0.7 === isWanted
    })
  const pageHears = async (far: RtpEndpoint) => {
    const [heard] = await Promise.all([phone.hear(500, farHz), far.stream(encodePcmu(sine(farHz, 0.7)))])
    assert.ok(heard.share > 0.7 && heard.loudness > 0.01, `the page hears ${JSON.stringify(heard)}`)
  }

  calls('registers by digest with the token as password, calls a hosted document and hears it to its end', async () => {
    await account.webhook('voice_outbound', await hosted('<Play asset="tone" loop="2"/>'))
    await signIn()
    assert.is(await isRegistered(), true)
    await phone.act('call', '+254711000001')
    await phone.state('talking')
    const heard = await phone.hear(600, assetHz)
    assert.ok(heard.share > 0.7 && heard.loudness > 0.01, JSON.stringify(heard))
    await phone.state('ended')
    await until('the row of the call', async () => (await account.call()).status === 'completed')
    assert.is((await account.call()).reason_code, 'END.0202')
  })

  calls('calls a SIP user agent behind a trunk: tones both ways, hold by re-INVITE and back, hangs up', async () => {
    await forget()
    await account.webhook('voice_outbound', await hosted('<Dial><Number>{{To}}</Number></Dial>'))
    const rtpPort = await freePort()
    const far = await RtpEndpoint.open(rtpPort)
    const callee = new Sipp({ scenario: 'callee', localPort: calleePort, rtpPort })
    await phone.act('call', number)
    await phone.state('talking')
    await farHears(far, true)
    await pageHears(far)
    await phone.act('hold')
    await farHears(far, false)
    await phone.act('unhold')
    await farHears(far, true)
    await pageHears(far)
    await phone.act('hangUp')
    await phone.state('ended')
    await went(callee)
    far.close()
  })

  calls('is called by a SIP user agent behind a trunk: tones both ways, the caller hangs up', async () => {
    await forget()
    await account.webhook(
      'voice_inbound',
      await hosted(`<Dial callerId="+254722000111"><Client>${user.uuid}</Client></Dial>`),
    )
    const rtpPort = await freePort()
    const near = await RtpEndpoint.open(rtpPort)
    const caller = new Sipp({
      scenario: 'caller-hangs-up',
      remote: `127.0.0.1:${on.sipPort}`,
      localPort: await freePort(),
      rtpPort,
      service: account.number,
      from: '+254722000111',
      pauseMs: 2000,
    })
    assert.is((await phone.state('incoming')).detail, '+254722000111')
    await phone.act('answer')
    await phone.state('talking')
    await farHears(near, true)
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
    const caller = new Sipp({
      scenario: 'caller',
      remote: `127.0.0.1:${on.sipPort}`,
      localPort: await freePort(),
      rtpPort: await freePort(),
      service: account.number,
      from: '+254722000111',
    })
    await phone.state('incoming')
    await phone.act('answer')
    await until('the caller to be answered', () => caller.messagesSoFar().includes('SIP/2.0 200'))
    await phone.act('hangUp')
    await phone.state('ended')
    await went(caller)
    await forget()
    customer.posts.length = 0
    const digits = customer.on('/digits', '<Response><Hangup/></Response>')
    await account.webhook(
      'voice_outbound',
      await hosted(`<Gather numDigits="2" timeout="10" action="${digits}"><Play asset="tone" loop="0"/></Gather>`),
    )
    await phone.act('call', '100')
    await phone.state('talking')
    for (const key of ['4', '7']) await phone.act('press', key)
    assert.is((await customer.post('/digits')).body.Digits, '47')
    await phone.state('ended')
    assert.equal(phone.complaints, [])
  })

  calls.after(async () => {
    await phone?.page.close()
    if (library !== 'sip.js') return
    await browser?.close()
    await customer?.close()
    await on?.close()
  })
  calls.run()
}
