import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { DEFAULT_ICE_SERVERS, describeFailure, type EndReason, Phone, PhoneError } from '../../sdk/index.ts'
import { headerOf } from '../../sip/index.ts'
import { devices, FakeAudio, FakePeerConnection, FakeWebSocket, installBrowser } from './bed/fake-browser.ts'
import { SdkPhoneBed, settle, tokenFor } from './bed/sdk-phone-bed.ts'
import { requestOf } from './bed/switch-side.ts'

const codeOf = async (work: () => unknown): Promise<string> => {
  try {
    await work()
  } catch (fault) {
    return fault instanceof PhoneError ? fault.code : String(fault)
  }
  return 'nothing thrown'
}

const beds: SdkPhoneBed[] = []
const signedIn = async (...args: Parameters<typeof SdkPhoneBed.signedIn>) => {
  const bed = await SdkPhoneBed.signedIn(...args)
  beds.push(bed)
  return bed
}

test('a page without a secure context gets a clear error', async () => {
  installBrowser()
  Object.defineProperty(globalThis, 'isSecureContext', { value: false, configurable: true })
  assert.is(await codeOf(() => new Phone()), 'insecure-context')
  assert.throws(() => new Phone(), /HTTPS or localhost/)
})

test('options are checked by name', async () => {
  installBrowser()
  for (const options of [
    { logLevel: 'loud' },
    { onLog: 'x' },
    { iceGatheringTimeout: -1 },
    { iceGatheringTimeout: Number.NaN },
    { iceServers: {} },
    { wssUrl: 'http://x' },
    { realm: 'a b' },
  ])
    assert.is(await codeOf(() => new Phone(options as object)), 'option.invalid', JSON.stringify(options))
})

test('authenticate: URL from the realm, events in order, getters filled', async () => {
  const bed = await signedIn()
  assert.is(bed.socket.url, 'wss://voice.test/sip')
  assert.is(bed.socket.protocols, 'sip')
  assert.equal(bed.events, ['connected', 'registered'])
  assert.is(bed.phone.extension, '1001')
  assert.is(bed.phone.account, 'account-uuid')
  assert.ok(bed.phone.isRegistered)
  assert.ok(bed.phone.isConnected)
})

test('wssUrl and realm of the options come before those of the token', async () => {
  const bed = await signedIn({ wssUrl: 'ws://localhost:8080/sip', realm: 'other.test' })
  assert.is(bed.socket.url, 'ws://localhost:8080/sip')
  assert.is(bed.request('REGISTER').uri, 'sip:other.test')
})

test('authenticate rejects: no token, an expired one, a refusal, no connection', async () => {
  const bed = new SdkPhoneBed()
  assert.is(await codeOf(() => bed.phone.authenticate('x')), 'token.invalid')
  assert.equal(FakeWebSocket.all, [])
  bed.registerStatus = 401
  assert.is(await codeOf(() => bed.authenticate(tokenFor({ exp: 1 }))), 'token.expired')
  bed.reported.length = 0

  bed.registerStatus = 403
  const refused = await bed.authenticate().catch(fault => fault)
  assert.is(refused.code, 'sign-in.failed')
  assert.is(refused.status, 403)
  assert.equal(bed.events, ['connected', 'registrationFailed'])
  assert.is(bed.phone.extension, undefined)
  assert.ok(bed.socket.isClosed)

  FakeWebSocket.opens = false
  const lost = await bed.phone.authenticate(tokenFor()).catch(fault => fault)
  assert.is(lost.code, 'sign-in.failed')
  assert.match(lost.message, /No connection to wss:\/\/voice\.test\/sip/)
  const made = FakeWebSocket.all.length
  await new Promise(resolve => setTimeout(resolve, 600))
  assert.is(FakeWebSocket.all.length, made, 'a first sign-in that failed is not tried again')
})

test('a server without the sip subprotocol is refused', async () => {
  const bed = new SdkPhoneBed()
  FakeWebSocket.opens = false
  const done = bed.phone.authenticate(tokenFor()).catch(fault => fault)
  bed.socket.onclose = null
  bed.socket.open('')
  assert.match((await done).message, /does not speak SIP/)
})

test('a second authenticate replaces the first; a new token of the same extension renews', async () => {
  const bed = new SdkPhoneBed()
  const first = bed.phone.authenticate(tokenFor()).catch(fault => fault.code)
  const second = bed.authenticate(tokenFor({ jti: '2' }))
  assert.is(await first, 'sign-in.replaced')
  await second
  const sockets = FakeWebSocket.all.length
  await bed.authenticate(tokenFor({ jti: '3' }))
  assert.is(FakeWebSocket.all.length, sockets, 'renewed on the same connection')
  await bed.authenticate(tokenFor({ ext: '1009' }))
  assert.is(FakeWebSocket.all.length, sockets + 1, 'another extension is another sign-in')
  assert.is(bed.phone.extension, '1009')
  bed.close()
})

test('unregister: REGISTER with zero, unregistered, and the connection goes', async () => {
  const bed = await signedIn()
  const { socket } = bed
  await bed.phone.unregister()
  assert.is(headerOf(bed.request('REGISTER'), 'Expires'), '0')
  assert.equal(bed.events.slice(-1), ['unregistered'])
  assert.not(bed.phone.isRegistered)
  assert.is(bed.phone.extension, undefined)
  assert.ok(socket.isClosed)
  assert.is(await codeOf(() => bed.phone.call('1')), 'not-signed-in')
})

test('the token ends soon: tokenWillExpire; it has ended: unregistered with the reason', async () => {
  const bed = new SdkPhoneBed()
  await bed.authenticate(tokenFor({ exp: Date.now() / 1000 + 0.4 }))
  await new Promise(resolve => setTimeout(resolve, 500))
  assert.ok(bed.events.includes('tokenWillExpire'))
  assert.equal(bed.reported.at(-1), ['unregistered', { cause: 'Token expired', by: 'local' }])
})

test('a computer whose clock is two hours fast, or slow, signs in: the token is judged by the time of the switch', async () => {
  const realNow = Date.now
  for (const hours of [2, -2]) {
    const bed = new SdkPhoneBed()
    const exp = realNow() / 1000 + 0.9
    try {
      Date.now = () => realNow() + hours * 3_600_000
      bed.registerHeaders = { Date: new Date(realNow()).toUTCString() }
      await bed.authenticate(tokenFor({ exp }))
      assert.ok(bed.phone.isRegistered)
      await settle()
      assert.not(bed.events.includes('unregistered'), `${hours} hours`)
      await new Promise(resolve => setTimeout(resolve, 2_000))
      assert.equal(bed.reported.at(-1), ['unregistered', { cause: 'Token expired', by: 'local' }], `${hours} hours`)
    } finally {
      Date.now = realNow
    }
    bed.close()
  }
})

test('the switch revokes the token: unregistered at once, with the reason; live calls go on', async () => {
  const bed = await signedIn()
  const call = bed.phone.call('1')
  await settle()
  bed.reply('INVITE', 200, 'OK', { sdp: 'answer' })
  await settle()
  const fields = { from: '<sip:1001@voice.test>;tag=n', to: '<sip:1001@voice.test>', callId: 'notify', cseq: 1 }
  const headers = {
    Event: 'reg',
    'Subscription-State': 'terminated;reason=rejected',
    'X-Voice-Reason-Code': 'END.0403',
    Reason: 'SIP;cause=403;text="The phone token is not valid"',
  }
  bed.socket.receive(requestOf('NOTIFY', fields, { headers }))
  await settle()
  assert.equal(bed.lines.at(-1), 'SIP/2.0 200')
  const [name, reason] = bed.reported.at(-1) as [string, EndReason]
  assert.is(name, 'unregistered')
  assert.is(reason.cause, 'Revoked')
  assert.is(reason.code, 'END.0403')
  assert.match(describeFailure(reason), /token is no longer valid/)
  assert.not(bed.phone.isRegistered)
  assert.is(bed.phone.extension, undefined)
  assert.is(call.state, 'accepted')
})

test("another user's token: the first phone is unregistered before its line closes", async () => {
  const bed = await signedIn()
  const { socket } = bed
  await bed.authenticate(tokenFor({ ext: '1002' }))
  const registers = socket.sent.filter(text => text.startsWith('REGISTER '))
  assert.match(registers.at(-1) ?? '', /^Expires: 0\r$/m)
  assert.ok(socket.isClosed)
  assert.is(bed.phone.extension, '1002')
})

test('the line drops: disconnected, connected and registered again by itself', async () => {
  const bed = await signedIn()
  bed.socket.drop()
  assert.not(bed.phone.isRegistered)
  assert.equal(bed.reported.at(-1), ['disconnected', { detail: 'closed 1006', willRetry: true }])
  await new Promise(resolve => setTimeout(resolve, 600))
  bed.serve()
  await settle()
  assert.equal(bed.events.slice(-2), ['connected', 'registered'])
  assert.ok(bed.phone.isRegistered)
})

/** Loses the line; gives the ms that the phone would wait before its next attempt, which comes at once. */
async function waitAfterLoss({ socket }: SdkPhoneBed): Promise<number> {
  const { setTimeout } = globalThis
  const waits: number[] = []
  const first = (work: () => void, ms: number) => setTimeout(work, waits.push(ms) === 1 ? 0 : ms)
  Object.defineProperty(globalThis, 'setTimeout', { value: first, configurable: true, writable: true })
  try {
    socket.drop()
  } finally {
    Object.defineProperty(globalThis, 'setTimeout', { value: setTimeout, configurable: true, writable: true })
  }
  await settle()
  return waits[0] ?? 0
}

test('the line opens and drops again and again, as before a proxy whose switch is down: longer and longer waits, until a registration', async () => {
  const bed = await signedIn()
  const waits: number[] = []
  for (let loss = 0; loss < 4; loss++) waits.push(await waitAfterLoss(bed))
  waits.forEach((ms, loss) => {
    assert.ok(ms >= 250 * 2 ** loss && ms <= 500 * 2 ** loss, String(waits))
  })
  bed.serve()
  await settle()
  assert.ok(bed.phone.isRegistered)
  assert.ok((await waitAfterLoss(bed)) <= 500)
})

test('call: bad destinations and payloads throw, good ones dial', async () => {
  const bed = await signedIn()
  for (const bad of ['', '  ', 'a b<c>', 'x'.repeat(300), 'sip:', 'sip:a b@c', 7 as never])
    assert.is(await codeOf(() => bed.phone.call(bad)), 'destination.invalid', String(bad))
  for (const bad of ['a\nb', 'a\rb', 'x'.repeat(501), ' a', [] as never, 7 as never, '\u0000'])
    assert.is(await codeOf(() => bed.phone.call('1', { customPayload: bad })), 'custom-payload.invalid')
  for (const [dialled, uri] of [
    ['1002', 'sip:1002@voice.test'],
    [' +254 (712) 345-678 ', 'sip:+254712345678@voice.test'],
    ['tel:+1-202-555-0100', 'sip:+12025550100@voice.test'],
    ['*21#', 'sip:*21%23@voice.test'],
    ['amina@voice.test', 'sip:amina@voice.test'],
    ['sip:1003@other.test;transport=ws', 'sip:1003@other.test;transport=ws'],
    ['support', 'sip:support@voice.test'],
  ] as const) {
    const call = bed.phone.call(dialled)
    await settle()
    assert.is(bed.request('INVITE').uri, uri)
    call.hangup()
  }
})

test('customPayload travels verbatim, an object as compact JSON', async () => {
  const bed = await signedIn()
  const payload = 'ü'.repeat(500)
  bed.phone.call('1', { customPayload: payload })
  await settle()
  assert.is(headerOf(bed.request('INVITE'), 'X-Service-Custom-Payload'), payload)
  bed.phone.call('1', { customPayload: { order: 7 } })
  await settle()
  assert.is(headerOf(bed.request('INVITE'), 'X-Service-Custom-Payload'), '{"order":7}')
  bed.phone.call('1')
  await settle()
  assert.is(headerOf(bed.request('INVITE'), 'X-Service-Custom-Payload'), undefined)
})

test('ICE servers: those of authenticate, else of the options, else public STUN', async () => {
  const iceServers = [{ urls: ['turn:t.test'], username: 'u', credential: 'c' }]
  const own = [{ urls: 'stun:own.test' }]
  const bed = await signedIn({ iceServers: own })
  bed.phone.call('1')
  await settle()
  assert.equal(FakePeerConnection.all.at(-1)?.config.iceServers, own)
  await bed.phone.authenticate({ token: tokenFor(), iceServers })
  bed.phone.call('1')
  await settle()
  assert.equal(FakePeerConnection.all.at(-1)?.config.iceServers, iceServers)
  const plain = await signedIn()
  plain.phone.call('1')
  await settle()
  assert.equal(FakePeerConnection.all.at(-1)?.config.iceServers, DEFAULT_ICE_SERVERS)
})

test('iceGatheringTimeout: the offer goes out with what there is by then; 0 waits for all', async () => {
  const bed = await signedIn({ iceGatheringTimeout: 60 })
  FakePeerConnection.gathering = 'gathering'
  bed.phone.call('1')
  await settle()
  assert.not(bed.lines.some(line => line.startsWith('INVITE')))
  await new Promise(resolve => setTimeout(resolve, 90))
  assert.ok(bed.lines.some(line => line.startsWith('INVITE')))
  const patient = await signedIn({ iceGatheringTimeout: 0 })
  FakePeerConnection.gathering = 'gathering'
  patient.phone.call('1')
  await new Promise(resolve => setTimeout(resolve, 90))
  assert.not(patient.lines.some(line => line.startsWith('INVITE')))
  FakePeerConnection.gathering = 'complete'
  FakePeerConnection.all.at(-1)?.dispatchEvent(new Event('icegatheringstatechange'))
  await settle()
  assert.ok(patient.lines.some(line => line.startsWith('INVITE')))
})

test('devices: listed; volume and output reach live and later calls; a bad one is shown as an error', async () => {
  const bed = await signedIn()
  assert.equal(await bed.phone.listDevices(), {
    inputs: [{ deviceId: 'mic', label: 'Microphone' }],
    outputs: [{ deviceId: 'ear', label: 'Earpiece' }],
  })
  bed.phone.call('1')
  await settle()
  bed.phone.setVolume(0.25)
  await bed.phone.setOutputDevice('ear')
  const first = FakeAudio.all.find(audio => audio.srcObject !== null)
  assert.equal([first?.volume, first?.sinkId], [0.25, 'ear'])
  assert.is(await codeOf(() => bed.phone.setOutputDevice('missing')), 'device')
  for (const bad of [-0.1, 1.1, Number.NaN]) assert.is(await codeOf(() => bed.phone.setVolume(bad)), 'option.invalid')
  bed.phone.call('2')
  await settle()
  const later = FakeAudio.all.at(-1)
  assert.equal([later?.volume, later?.sinkId], [0.25, 'ear'])
})

test('another microphone in a live call: a new track, the old one stopped, a mute kept', async () => {
  const bed = await signedIn()
  const call = bed.phone.call('1')
  await settle()
  const sender = FakePeerConnection.all.at(-1)?.sender
  const before = sender?.track
  call.mute()
  await bed.phone.setInputDevice('headset')
  await settle()
  assert.is(sender?.track.deviceId, 'headset')
  assert.is(sender?.track.enabled, false)
  assert.is(before?.readyState, 'ended')
  assert.is(devices.tracks[0]?.readyState, 'ended')
  devices.fault = new DOMException('gone', 'OverconstrainedError')
  assert.is(await codeOf(() => bed.phone.setInputDevice('gone')), 'microphone')
  assert.is(sender?.track.deviceId, 'headset')
})

test('the log has SIP messages at debug, and never the token', async () => {
  const lines: string[] = []
  const bed = await signedIn({
    logLevel: 'debug',
    onLog: (level, ...args) => lines.push(`${level} ${args.join(' ')}`),
  })
  bed.phone.call('1')
  await settle()
  const log = lines.join('\n')
  assert.match(log, /debug sent REGISTER /)
  assert.match(log, /Authorization: Bearer …/)
  assert.not.match(log, /eyJ/)
  const quiet: unknown[] = []
  await signedIn({ onLog: (...args) => quiet.push(args) })
  assert.equal(quiet, [], 'the default is none')
})

test('a listener that throws stops no other', async () => {
  const faults: string[] = []
  const bed = new SdkPhoneBed({ logLevel: 'error', onLog: (_level, ...args) => faults.push(String(args[0])) })
  bed.phone.on('connected', () => {
    throw new Error('page bug')
  })
  await bed.authenticate()
  assert.ok(bed.phone.isRegistered)
  assert.equal(faults, ['a listener of connected failed'])
  bed.close()
})

test('the page leaves: calls are ended and the phone signs out', async () => {
  const bed = await signedIn()
  bed.phone.call('1')
  await settle()
  bed.reply('INVITE', 200, 'OK', { sdp: 'answer' })
  await settle()
  globalThis.window.dispatchEvent(Object.assign(new Event('pagehide'), { persisted: false }))
  await settle()
  assert.ok(bed.lines.some(line => line.startsWith('BYE')))
  assert.is(headerOf(bed.request('REGISTER'), 'Expires'), '0')
})

test.after(() => {
  for (const bed of beds) bed.close()
})

test.run()
