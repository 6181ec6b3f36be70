import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BedAccount } from '../rig/beds/account.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { SwitchProcess } from '../rig/beds/switch-process.ts'
import { BrowserPhone, makeUser, mint, type PhoneUser } from '../rig/peers/browser-phone.ts'
import { ownAddress } from '../rig/probes/own-address.ts'
import { until } from '../rig/probes/wait.ts'

// Two browsers, each with a microphone that plays one tone, talk through a real switch.
const pairs = suite('phone in Chromium: two browsers')

const [aHz, bHz] = [600, 1000]
let on: SwitchProcess
let account: BedAccount
let users: readonly [PhoneUser, PhoneUser]
let a: BrowserPhone
let b: BrowserPhone

pairs.before(async () => {
  requirePeers('chromium')
  on = await SwitchProcess.start({ SAUTI_EXTERNAL_ADDRESS: ownAddress() })
  account = await BedAccount.make(on)
  await account.hosts('voice_outbound', '<Dial><Number>{{To}}</Number></Dial>')
  users = [await makeUser(account, 'Amina'), await makeUser(account, 'Juma')]
  ;[a, b] = await Promise.all([BrowserPhone.launch(on.baseUrl, aHz), BrowserPhone.launch(on.baseUrl, bHz)])
  assert.is(await a.signIn(await mint(account, users[0])), 'registered')
  assert.is(await b.signIn(await mint(account, users[1])), 'registered')
})

pairs.after(async () => {
  await Promise.all([a?.close(), b?.close()])
  await on?.close()
})

pairs.after.each(async () => {
  for (const phone of [a, b]) await phone.evaluate('bed.phone.calls.forEach(call => call.hangup())')
  const live = async () => (await on.operator('GET', '/calls')).body.calls
  await until('the end of all calls', async () => (await live()).length === 0)
})

/** A call from the first to the second, answered and connected: their indexes. */
async function talk(): Promise<readonly [number, number]> {
  const dialled = await a.dial(users[1].extension)
  const came = await b.incoming()
  assert.is(await b.act(came, 'answer'), 'done')
  await a.state(dialled, 'accepted')
  const isConnected = (phone: BrowserPhone) => async () =>
    (await phone.evaluate('bed.connections.at(-1).connectionState')) === 'connected'
  await a.until('the first to connect', isConnected(a))
  await b.until('the second to connect', isConnected(b))
  return [dialled, came]
}

/** Polls until this phone receives the tone clearly, or nothing at all with `undefined`. */
async function hears(phone: BrowserPhone, call: number, hz: number | undefined, timeoutMs = 8_000): Promise<void> {
  let last: unknown
  const isSo = async () => {
    const received = await phone.hear(call, 500, [hz ?? aHz])
    last = received
    return hz === undefined ? received.loudness < 0.003 : received.shares[0]! > 0.7 && received.loudness > 0.01
  }
  await phone.until(hz === undefined ? 'silence' : `a tone of ${hz} Hz`, isSo, timeoutMs).catch(fault => {
    throw new Error(`${String(fault).slice(0, 200)} heard ${JSON.stringify(last)}`)
  })
}

pairs('each receives the other; the caller is shown by name; hang-up ends both', async () => {
  const [dialled, came] = await talk()
  assert.is((await b.call(came)).remoteName, 'Amina')
  assert.is((await b.call(came)).remoteIdentity, users[0].extension)
  await Promise.all([hears(a, dialled, bHz), hears(b, came, aHz)])
  await b.act(came, 'hangup')
  const ended = await a.state(dialled, 'ended')
  assert.equal(ended.events, ['ringing', 'accepted', 'ended'])
  assert.is(ended.endReason?.by, 'remote')
  assert.is((await b.call(came)).endReason?.cause, 'Hung up')
})

pairs('mute silences one way, unmute brings it back', async () => {
  const [dialled, came] = await talk()
  await hears(b, came, aHz)
  await a.act(dialled, 'mute')
  await hears(b, came, undefined)
  await hears(a, dialled, bHz)
  await a.act(dialled, 'unmute')
  await hears(b, came, aHz)
  assert.equal((await a.call(dialled)).events.slice(2), ['muted', 'unmuted'])
})

pairs('hold stops both ways, unhold brings them back; the other side may hold too', async () => {
  const [dialled, came] = await talk()
  await hears(b, came, aHz)
  assert.is(await a.act(dialled, 'hold'), 'done')
  assert.ok((await a.call(dialled)).isOnHold)
  await Promise.all([hears(a, dialled, undefined), hears(b, came, undefined)])
  assert.is(await a.act(dialled, 'unhold'), 'done')
  await Promise.all([hears(a, dialled, bHz), hears(b, came, aHz)])
  assert.is(await b.act(came, 'hold'), 'done')
  await hears(a, dialled, undefined)
  assert.is(await b.act(came, 'unhold'), 'done')
  await Promise.all([hears(a, dialled, bHz), hears(b, came, aHz)])
  assert.equal((await a.call(dialled)).events.slice(2), ['hold', 'unhold'])
  assert.equal((await b.call(came)).events.slice(1), ['hold', 'unhold'])
})

pairs('another microphone and another volume in a live call', async () => {
  const [dialled, came] = await talk()
  const { inputs } = await a.evaluate<{ inputs: { deviceId: string }[] }>('bed.phone.listDevices()')
  assert.ok(inputs.length > 0)
  await a.evaluate(`bed.phone.setInputDevice(${JSON.stringify(inputs.at(-1)?.deviceId)})`)
  await hears(b, came, aHz)
  await a.evaluate('bed.phone.setVolume(0.3)')
  assert.is(await a.evaluate('bed.phone.volume'), 0.3)
  const thrown = await a.evaluate('bed.phone.setInputDevice("no such device").catch(fault => fault.code)')
  assert.is(thrown, 'microphone')
  await hears(b, came, aHz)
  assert.is((await a.call(dialled)).state, 'accepted')
})

pairs('rejected: the caller sees 486', async () => {
  const dialled = await a.dial(users[1].extension)
  await b.act(await b.incoming(), 'reject')
  const failed = await a.state(dialled, 'ended')
  assert.equal([failed.events.at(-1), failed.endReason?.status, failed.endReason?.code], ['failed', 486, 'END.0486'])
})

pairs('given up by the caller: the called one stops ringing', async () => {
  const dialled = await a.dial(users[1].extension)
  const came = await b.incoming()
  await a.act(dialled, 'hangup')
  const missed = await b.state(came, 'ended')
  assert.equal([missed.events.at(-1), missed.endReason?.by], ['failed', 'remote'])
})

pairs('the WebSocket cut for five seconds: audio goes on, the phone comes back, hang-up still works', async () => {
  const [dialled, came] = await talk()
  await hears(a, dialled, bHz)
  const before = (await a.events()).length
  await a.run('cut', 5_000)
  assert.is(await a.evaluate('bed.phone.isRegistered'), false)
  await Promise.all([hears(a, dialled, bHz), hears(b, came, aHz)])
  await a.until('the phone to be registered again', () => a.evaluate<boolean>('bed.phone.isRegistered'), 20_000)
  const reported = (await a.events()).slice(before)
  assert.is(reported[0], 'disconnected')
  assert.equal(reported.slice(-2), ['connected', 'registered'])
  await Promise.all([hears(a, dialled, bHz), hears(b, came, aHz)])
  assert.is(await a.act(dialled, 'hold'), 'done', 're-INVITE over the new connection')
  assert.is(await a.act(dialled, 'unhold'), 'done')
  await b.act(came, 'hangup')
  assert.is((await a.state(dialled, 'ended')).endReason?.by, 'remote', 'the BYE finds the new connection')
})

pairs('another network: ICE is restarted with new credentials, and the audio goes on', async () => {
  const [dialled, came] = await talk()
  await hears(b, came, aHz)
  const ufrag = async () =>
    /a=ice-ufrag:(\S+)/.exec(await a.evaluate('bed.connections.at(-1).localDescription.sdp'))?.[1]
  const before = await ufrag()
  await a.evaluate('window.dispatchEvent(new Event("online"))')
  await a.until('other ICE credentials', async () => (await ufrag()) !== before)
  await a.until('the answer', async () => (await a.evaluate('bed.connections.at(-1).signalingState')) === 'stable')
  await Promise.all([hears(a, dialled, bHz), hears(b, came, aHz)])
  assert.is((await a.call(dialled)).state, 'accepted')
})

pairs('two calls at once in one page', async () => {
  const [dialled] = await talk()
  const second = await a.dial(users[1].extension)
  const other = await b.incoming()
  assert.is(await b.act(other, 'answer'), 'done')
  await a.state(second, 'accepted')
  await a.act(dialled, 'hold')
  await hears(a, second, bHz)
  await a.act(second, 'hangup')
  await a.act(dialled, 'unhold')
  await hears(a, dialled, bHz)
})

pairs('a new token renews in a live call; signing out lets it live', async () => {
  const [dialled, came] = await talk()
  assert.is(await a.signIn(await mint(account, users[0])), 'registered')
  await hears(a, dialled, bHz)
  await a.evaluate('bed.phone.unregister()')
  assert.is(await a.evaluate('bed.phone.isRegistered'), false)
  await hears(b, came, aHz)
  await a.act(dialled, 'hangup')
  assert.is((await b.state(came, 'ended')).endReason?.by, 'remote')
  assert.is(await a.signIn(await mint(account, users[0])), 'registered')
})

pairs('nothing in the pages went wrong unseen', () => {
  assert.equal([...a.complaints, ...b.complaints], [])
})

pairs.run()
