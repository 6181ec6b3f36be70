import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { requirePeers } from '../rig/beds/debian.ts'
import { outsideCaller, SwitchBed } from '../rig/beds/switch-bed.ts'
import { BrowserPhone, makeUser, mint, type PhoneUser } from '../rig/peers/browser-phone.ts'
import { RtpEndpoint } from '../rig/peers/rtp-endpoint.ts'
import { decodePcmu, encodePcmu } from '../rig/probes/g711.ts'
import { ownAddress } from '../rig/probes/own-address.ts'
import { sine, toneShare } from '../rig/probes/tone.ts'
import { until } from '../rig/probes/wait.ts'

// The SDK in Debian's Chromium against a real switch: documents, a carrier, refusals.
const calls = suite('phone in Chromium: calls')

const microphoneHz = 600
const number = '+254733000222'
let bed: SwitchBed
let user: PhoneUser
let phone: BrowserPhone

calls.before(async () => {
  requirePeers('chromium', 'sipp', 'espeak-ng')
  bed = await SwitchBed.open({ env: { SAUTI_EXTERNAL_ADDRESS: ownAddress() }, prefixes: ['+254'] })
  await bed.account.webhook('voice_outbound', bed.customer.url('/out'))
  await bed.account.webhook('voice_inbound', bed.customer.url('/in'))
  await bed.tellStatus()
  user = await makeUser(bed.account, 'Amina Wanjiru')
  phone = await BrowserPhone.launch(bed.on.baseUrl, microphoneHz)
})

calls.after(async () => {
  await phone?.close()
  await bed?.close()
})

calls.before.each(async () => {
  bed.customer.posts.length = 0
  if ((await phone.evaluate('bed.phone.isRegistered')) === false) await phone.signIn(await mint(bed.account, user))
  await phone.evaluate('bed.phone.calls.forEach(call => call.hangup())')
})

const document = (verbs: string) => bed.customer.on('/out', `<Response>${verbs}</Response>`)

calls('signs in by Bearer; the switch shows the end-user as registered', async () => {
  assert.equal((await phone.events()).slice(0, 2), ['connected', 'registered'])
  assert.is(await phone.evaluate('bed.phone.extension'), user.extension)
  assert.is(await phone.evaluate('bed.phone.account'), bed.account.uuid)
  const shown = (await bed.account.api('GET', '/users/')).body
  const list = Array.isArray(shown) ? shown : shown.users
  assert.is(list.find((one: { uuid: string }) => one.uuid === user.uuid).is_registered, true)
})

calls('a document speaks to the page; its end is reported with the reason', async () => {
  document('<Say>Good morning. This is the voice of the switch, heard in a browser.</Say>')
  const call = await phone.dial('+254711000001', { customPayload: { order: 7 } })
  await phone.state(call, 'accepted')
  const heard = await phone.hear(call, 2000, [microphoneHz])
  assert.ok(heard.loudness > 0.01, JSON.stringify(heard))
  const ended = await phone.state(call, 'ended', 15_000)
  assert.equal(ended.events, ['ringing', 'accepted', 'ended'])
  assert.is(ended.endReason?.code, 'END.0202')
  const { body } = await bed.customer.post('/out')
  assert.is(body.customPayload, '{"order":7}')
  assert.equal(body.endUser.extension_number, user.extension)
  assert.is(body.endUser.display_name, 'Amina Wanjiru')
})

calls('quality is reported; the codec is Opus', async () => {
  document('<Say loop="0">One two three four five six seven eight nine ten.</Say>')
  const call = await phone.dial('1')
  const { quality } = await phone.until('quality with audio', async () => {
    const seen = await phone.call(call)
    return (seen.quality?.receivedBitrate ?? 0) > 0 && seen
  })
  assert.is(quality?.codec, 'opus')
  assert.ok((quality?.mos ?? 0) > 4, JSON.stringify(quality))
  assert.ok((quality?.sentBitrate ?? 0) > 6_000)
  await phone.act(call, 'hangup')
  assert.equal((await phone.call(call)).events.at(-1), 'ended')
})

calls('digits reach a Gather', async () => {
  bed.customer.on('/digits', '<Response><Hangup/></Response>')
  document('<Gather numDigits="4" timeout="10" action="/digits"><Say loop="5">Enter your code please.</Say></Gather>')
  const call = await phone.dial('1')
  await phone.state(call, 'accepted')
  await phone.until(
    'the media to connect',
    async () => (await phone.evaluate('bed.connections.at(-1).connectionState')) === 'connected',
  )
  await phone.until('the words', async () => (await phone.hear(call, 200, [])).loudness > 0.01)
  for (const digit of ['1', '9']) await phone.act(call, 'sendDigit', digit)
  await phone.act(call, 'sendDigit', '*#')
  const { body } = await bed.customer.post('/digits')
  assert.is(body.Digits, '19*')
  await phone.state(call, 'ended')
})

calls('out to a SIP user agent through a trunk: tones both ways, its hang-up ends the call', async () => {
  document(`<Dial><Number>${number}</Number></Dial>`)
  const far = await RtpEndpoint.open()
  const peer = await bed.callee({ scenario: 'callee-hangs-up', rtpPort: far.port, pauseMs: 4500 })
  const call = await phone.dial(number)
  await phone.state(call, 'accepted')
  await until('audio from the browser', () => far.received.length > 50)
  const [heard] = await Promise.all([phone.hear(call, 1500, [1000]), far.stream(encodePcmu(sine(1000, 2)))])
  assert.ok(heard.shares[0]! > 0.7, `the page hears ${JSON.stringify(heard)}`)
  const samples = decodePcmu(far.audio().subarray(-8000))
  assert.ok(toneShare(samples, microphoneHz) > 0.7, `the far side hears ${toneShare(samples, microphoneHz)}`)
  const ended = await phone.state(call, 'ended', 15_000)
  assert.is(ended.endReason?.by, 'remote')
  assert.is((await peer.done).code, 0)
  far.close()
})

for (const [scenario, status, code, words] of [
  ['callee-busy', 486, 'END.0486', /busy/],
  ['callee-not-found', 404, 'END.0404', /not in service/],
  ['callee-decline', 603, 'END.0603', /declined/],
] as const) {
  calls(`${scenario}: failed with ${status}, described for a person`, async () => {
    document(`<Dial><Number>${number}</Number></Dial>`)
    const peer = await bed.callee({ scenario, pauseMs: 1500 })
    const call = await phone.dial(number)
    const failed = await phone.state(call, 'ended')
    peer.stop()
    // Its port is the next one's.
    await peer.done
    assert.is(failed.events.at(-1), 'failed')
    assert.is(failed.endReason?.status, status)
    assert.is(failed.endReason?.code, code)
    assert.match(await phone.evaluate<string>(`bed.sdk.describeFailure(bed.calls[${call}].call.endReason)`), words)
  })
}

calls('early media is played before the answer, without our own ringback', async () => {
  document(`<Dial><Number>${number}</Number></Dial>`)
  const far = await RtpEndpoint.open()
  const peer = await bed.callee({ scenario: 'callee-early-media', rtpPort: far.port, pauseMs: 4000 })
  const call = await phone.dial(number)
  const mediaPort = /m=audio (\d+)/
  const offered = await until('the INVITE', () => mediaPort.exec(peer.messagesSoFar().split('INVITE ')[1] ?? '')?.[1])
  far.aim(Number(offered))
  await phone.until('early audio', () => phone.evaluate<boolean>(`bed.calls[${call}].call.hasEarlyAudio`))
  const [heard] = await Promise.all([phone.hear(call, 1500, [1000]), far.stream(encodePcmu(sine(1000, 2)))])
  assert.is((await phone.call(call)).state, 'ringing')
  assert.ok(heard.shares[0]! > 0.7, `the page hears ${JSON.stringify(heard)}`)
  assert.ok((await phone.hearTones(300, [425])).loudness < 0.001)
  await phone.state(call, 'accepted')
  await phone.act(call, 'hangup')
  assert.equal((await phone.call(call)).events, ['ringing', 'accepted', 'ended'])
  peer.stop()
  // Its port is the next one's.
  await peer.done
  far.close()
})

calls('hung up while it rings: the far side is cancelled', async () => {
  document(`<Dial><Number>${number}</Number></Dial>`)
  const peer = await bed.callee({ scenario: 'callee-rings-on' })
  const call = await phone.dial(number)
  await phone.state(call, 'ringing')
  await until('the INVITE', () => peer.messagesSoFar().includes('INVITE sip:'))
  await phone.act(call, 'hangup')
  assert.is((await phone.call(call)).endReason?.cause, 'Cancelled')
  await until('the CANCEL', () => peer.messagesSoFar().includes('CANCEL sip:'))
  peer.stop()
})

calls('an inbound call of the carrier: the page rings, answers, and both sides receive each other', async () => {
  bed.customer.on('/in', `<Response><Dial><Client>${user.uuid}</Client></Dial></Response>`)
  const near = await RtpEndpoint.open()
  const caller = await bed.caller({ scenario: 'caller-hangs-up', rtpPort: near.port, pauseMs: 5000 })
  const call = await phone.incoming()
  assert.is((await phone.call(call)).remoteIdentity, outsideCaller)
  assert.is(await phone.act(call, 'answer'), 'done')
  await until('audio from the browser', () => near.received.length > 50)
  const [heard] = await Promise.all([phone.hear(call, 1500, [1000]), near.stream(encodePcmu(sine(1000, 2)))])
  assert.ok(heard.shares[0]! > 0.7, JSON.stringify(heard))
  assert.ok(toneShare(decodePcmu(near.audio().subarray(-8000)), microphoneHz) > 0.7)
  assert.is((await phone.state(call, 'ended', 15_000)).events.at(-1), 'ended')
  assert.is((await caller.done).code, 0)
  near.close()
})

calls('an inbound call rejected with 486: the caller gets busy', async () => {
  bed.customer.on('/in', `<Response><Dial action="/done"><Client>${user.uuid}</Client></Dial></Response>`)
  bed.customer.on('/done', '<Response/>')
  const caller = await bed.caller()
  const call = await phone.incoming()
  await phone.act(call, 'reject')
  const { body } = await bed.customer.post('/done')
  assert.is(body.DialCallStatus, 'busy')
  assert.is(body.DialReasonCode, 'END.0486')
  assert.is((await phone.call(call)).endReason?.cause, 'Rejected')
  caller.stop()
})

calls('no document for the call: its end says so', async () => {
  bed.customer.on('/out', (_post, response) => response.writeHead(500).end())
  const call = await phone.dial('1')
  const { endReason } = await phone.state(call, 'ended', 20_000)
  assert.match(endReason?.code ?? '', /^END\.3/)
})

calls('bad destinations and payloads throw in the page', async () => {
  for (const [destination, options, code] of [
    ['', {}, 'destination.invalid'],
    ['1', { customPayload: 'a\nb' }, 'custom-payload.invalid'],
    ['1', { customPayload: 'x'.repeat(501) }, 'custom-payload.invalid'],
  ] as const) {
    const thrown = await phone.evaluate(
      `(() => { try { bed.phone.call(${JSON.stringify(destination)}, ${JSON.stringify(options)}) } catch (fault) { return fault.code } })()`,
    )
    assert.is(thrown, code)
  }
})

calls('a revoked token: the registration ends, and a new sign-in with it is refused', async () => {
  const other = await makeUser(bed.account, 'Revoked')
  const minted = await mint(bed.account, other)
  await phone.evaluate('bed.phone.unregister()')
  assert.is(await phone.signIn(minted), 'registered')
  await bed.account.api('POST', '/phone-tokens/revoke', { uuid: minted.uuid })
  await phone.evaluate('bed.phone.unregister()')
  const refused = (await phone.signIn(minted)) as { code: string; status: number }
  assert.is(refused.code, 'sign-in.failed')
  assert.ok([401, 403].includes(refused.status), JSON.stringify(refused))
  assert.is(await phone.evaluate('bed.phone.isRegistered'), false)
})

calls('nothing in the page went wrong unseen', () => {
  assert.equal(phone.complaints, [])
})

calls.run()
