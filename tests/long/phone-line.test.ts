import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { phoneBed } from '../rig/beds/phone-bed.ts'
import { BrowserPhone, mint } from '../rig/peers/browser-phone.ts'

// The WebSocket of a page drops while a call rings, on either side; a token that is revoked; the call's sid in the page.
const line = suite('phone in Chromium: the line')

const callerHz = 600
const calleeHz = 900
const bed = phoneBed(line)
let callee: BrowserPhone

line.before(async () => {
  callee = await BrowserPhone.launch(bed.on.baseUrl, calleeHz)
})

line.after(async () => await callee?.close())

line.before.each(async () => {
  await bed.signedIn()
  await callee.evaluate('bed.blockedUntil = 0')
  await callee.run('load', { iceServers: [] })
  assert.is(await callee.signIn(await mint(bed.account, bed.other)), 'registered')
})

line.after.each(async () => {
  await callee.evaluate('bed.phone.calls.forEach(call => call.hangup())')
  await callee.evaluate('bed.phone.unregister()')
})

/** The page's number of the outgoing call, the other page's of the same, both ringing. */
async function ringing(timeout = 60): Promise<[placed: number, came: number]> {
  bed.document(`<Dial timeout="${timeout}"><Client>${bed.other.uuid}</Client></Dial>`)
  const placed = await bed.phone.dial(bed.other.extension)
  const came = await callee.incoming()
  await bed.phone.state(placed, 'ringing')
  return [placed, came]
}

/** Cuts the line, and waits until the phone has registered on the next one. */
async function drop(phone: BrowserPhone): Promise<void> {
  const before = (await phone.events()).filter(name => name === 'registered').length
  await phone.run('cut', 0)
  await phone.until(
    'the phone to be registered again',
    async () => (await phone.events()).filter(name => name === 'registered').length > before,
    15_000,
  )
}

const sidOf = (phone: BrowserPhone, call: number): Promise<string> => phone.evaluate(`bed.calls[${call}].call.sid`)

async function talk(placed: number, came: number): Promise<void> {
  await callee.act(came, 'answer')
  await bed.phone.state(placed, 'accepted')
  await callee.state(came, 'accepted')
  await bed.phone.until('the callee to be heard', async () => {
    const { shares } = await bed.phone.hear(placed, 500, [calleeHz])
    return (shares[0] ?? 0) > 0.3
  })
  await callee.until('the caller to be heard', async () => {
    const { shares } = await callee.hear(came, 500, [callerHz])
    return (shares[0] ?? 0) > 0.3
  })
}

line('the connection of the ringing phone drops: it rings on, is answered, and both receive each other', async () => {
  const [placed, came] = await ringing()
  await drop(callee)
  await new Promise(resolve => setTimeout(resolve, 6_000))
  assert.equal((await callee.call(came)).events, [])
  assert.is(await callee.evaluate('bed.phone.calls.length'), 1, 'no second call')
  await talk(placed, came)
  assert.is(await callee.evaluate('bed.phone.displayName'), 'Juma', 'the own name, as the switch knows it')
  const sid = await sidOf(callee, came)
  assert.match(sid, /^CA[0-9A-Z]{16}$/)
  assert.is(await sidOf(bed.phone, placed), sid)
  const { calls } = (await bed.account.api('GET', '/calls')).body
  assert.ok(calls.some((call: { sid: string }) => call.sid === sid))
})

line('the connection of the calling phone drops: the call rings on, and it gets the answer', async () => {
  const [placed, came] = await ringing()
  await drop(bed.phone)
  await new Promise(resolve => setTimeout(resolve, 6_000))
  assert.is((await bed.phone.call(placed)).state, 'ringing')
  await talk(placed, came)
})

line('declined while the line is down: the caller learns it', async () => {
  const [placed, came] = await ringing()
  await callee.run('cut', 1500)
  await callee.act(came, 'reject')
  const { endReason } = await bed.phone.state(placed, 'ended', 15_000)
  assert.is(endReason?.by, 'remote')
})

line('the ringing phone does not come back: the caller hears no ringing until the Dial ends', async () => {
  const [placed] = await ringing()
  const from = Date.now()
  await callee.run('cut', 60_000)
  await bed.phone.state(placed, 'ended', 30_000)
  assert.ok(Date.now() - from < 20_000)
})

line('a revoked token: the phone is notified at once, and its live call goes on', async () => {
  const { token, uuid } = await mint(bed.account, bed.other)
  assert.is(await callee.signIn(token), 'registered')
  const [placed, came] = await ringing()
  await talk(placed, came)
  const before = (await callee.events()).length
  assert.ok((await bed.account.api('POST', '/phone-tokens/revoke', { uuid })).status < 300)
  const reported = await callee.until('unregistered', async () => {
    const events = await callee.evaluate<{ name: string; value: { cause: string } }[]>('bed.events')
    return events.slice(before).find(({ name }) => name === 'unregistered')
  })
  assert.is(reported.value.cause, 'Revoked')
  assert.is(await callee.evaluate('bed.phone.isRegistered'), false)
  assert.is((await callee.call(came)).state, 'accepted')
  const again = await callee.evaluate<string>(
    `new bed.sdk.Phone({ wssUrl: 'ws://' + location.host + '/sip' }).authenticate('${token}').then(() => 'in', bed.sdk.describeFailure)`,
  )
  assert.match(again, /token is no longer valid/)
  await callee.act(came, 'hangup')
  await bed.phone.state(placed, 'ended')
})

line('a crashed tab: the other side is not left in silence, and the call ends within 15 s', async () => {
  const [placed, came] = await ringing()
  await talk(placed, came)
  const from = Date.now()
  try {
    const session = await callee.page.context().newCDPSession(callee.page)
    session.send('Page.crash').catch(() => {})
    await bed.phone.state(placed, 'ended', 30_000)
    const tookMs = Date.now() - from
    assert.ok(tookMs < 20_000, `${tookMs} ms`)
    // Its row is written a moment after the phones have learnt it.
    const reason = await bed.phone.until('the end of the call to be stored', async () => {
      const { calls } = (await bed.account.api('GET', '/calls')).body
      return calls[0].status === 'completed' && calls[0].reason_code
    })
    assert.is(reason, 'END.0212')
  } finally {
    // A failure is reported only if what runs after each test finds a page.
    callee.close().catch(() => {})
    callee = await BrowserPhone.launch(bed.on.baseUrl, calleeHz)
  }
})

line.run()
