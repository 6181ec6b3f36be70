import { readdirSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RigAccount } from '../rig/account.ts'
import { BrowserPhone, makeUser, mint, type PhoneUser } from '../rig/browser-phone.ts'
import { Customer } from '../rig/customer.ts'
import { requirePeers } from '../rig/debian.ts'
import { ownAddress } from '../rig/own-address.ts'
import { freePort } from '../rig/ports.ts'
import { SwitchProcess } from '../rig/switch-process.ts'
import { sleep, until } from '../rig/wait.ts'

// The rows of the SDK's tables that the other tests in the browser leave out: options, devices, tones, the token's time.
const rows = suite('phone in Chromium: rows of the tables')

let on: SwitchProcess
let account: RigAccount
let customer: Customer
let user: PhoneUser
let other: PhoneUser
let phone: BrowserPhone

/** A name that is this machine's to the browser, and no secure context over http. */
const insecureHost = 'phone.test'

rows.before(async () => {
  requirePeers('chromium', 'espeak-ng')
  on = await SwitchProcess.start({ SAUTI_EXTERNAL_ADDRESS: ownAddress() })
  account = await RigAccount.make(on)
  customer = await Customer.open()
  await account.webhook('voice_outbound', customer.url('/out'))
  user = await makeUser(account, 'Amina')
  other = await makeUser(account, 'Juma')
  const args = [`--host-resolver-rules=MAP ${insecureHost} 127.0.0.1, MAP pbx.invalid 127.0.0.1`]
  phone = await BrowserPhone.launch(on.baseUrl, 600, {}, { args })
})

rows.after(async () => {
  await phone?.close()
  await customer?.close()
  await on?.close()
})

rows.after.each(async () => {
  await phone.evaluate('rig.phone?.calls.forEach(call => call.hangup())')
  await phone.evaluate('rig.phone?.unregister()')
})

const document = (verbs: string) => customer.on('/out', `<Response>${verbs}</Response>`)

/** A new Phone of these options, signed in. */
async function signedIn(options: Record<string, unknown> = {}, whose = user): Promise<void> {
  await phone.run('load', { iceServers: [], ...options })
  assert.is(await phone.signIn(await mint(account, whose)), 'registered')
}

const logged = async (): Promise<readonly string[]> => phone.evaluate('rig.log.splice(0)')

rows('logLevel: none is silent, the others say as much as they are named, and never the token', async () => {
  const { token } = await mint(account, user)
  const levels: Record<string, readonly string[]> = {}
  for (const logLevel of ['none', 'error', 'info', 'debug']) {
    await logged()
    await signedIn({ logLevel })
    await phone.evaluate('rig.phone.on("registered", () => { throw new Error("a listener of the page") })')
    assert.is(await phone.signIn(token), 'registered')
    await phone.evaluate('rig.phone.unregister()')
    const lines = await logged()
    levels[logLevel] = [...new Set(lines.map(line => line.split(' ', 1)[0] ?? ''))].sort()
    assert.ok(
      lines.every(line => !line.includes(token)),
      logLevel,
    )
  }
  assert.equal(levels, { none: [], error: [], info: ['info'], debug: ['debug', 'info'] })
  await phone.run('load', { logLevel: 'error', wssUrl: `ws://localhost:${await freePort()}/sip` })
  await phone.signIn(token)
  assert.ok((await logged()).every(line => line.startsWith('error ')))
})

rows('a log without onLog goes to the console; without logLevel nothing does', async () => {
  const said: string[] = []
  phone.page.on('console', message => said.push(message.text()))
  await signedIn({ onLog: null, logLevel: null })
  assert.equal(
    said.filter(line => line.includes('[phone]')),
    [],
  )
  await signedIn({ onLog: null, logLevel: 'info' })
  assert.ok(said.some(line => line.includes('[phone] registered')))
})

rows('iceServers: those of authenticate, else those of the option, else DEFAULT_ICE_SERVERS', async () => {
  document('<Hangup reason="busy"/>')
  const { token } = await mint(account, user)
  const [given, own] = [[{ urls: 'stun:127.0.0.1:9' }], [{ urls: ['stun:127.0.0.1:7'] }]]
  const used = async (options: Record<string, unknown>, credentials: unknown) => {
    await phone.run('load', { iceGatheringTimeout: 50, ...options })
    assert.is(await phone.signIn(credentials), 'registered')
    const before = await phone.evaluate<number>('rig.connections.length')
    await phone.dial('1')
    await phone.until('a connection', async () => (await phone.evaluate<number>('rig.connections.length')) > before)
    return phone.evaluate<{ urls: string | string[] }[]>('rig.connections.at(-1).getConfiguration().iceServers')
  }
  const urls = (servers: { urls: string | string[] }[]) => servers.flatMap(server => server.urls)
  assert.equal(urls(await used({ iceServers: own }, { token, iceServers: given })), ['stun:127.0.0.1:9'])
  assert.equal(urls(await used({ iceServers: own }, token)), ['stun:127.0.0.1:7'])
  const usual = await phone.evaluate<{ urls: string[] }[]>('rig.sdk.DEFAULT_ICE_SERVERS')
  assert.equal(urls(await used({ iceServers: null }, token)), urls(usual))
})

rows('iceGatheringTimeout: an offer waits so long for candidates and no longer; 0 waits for all', async () => {
  document('<Hangup reason="busy"/>')
  // Nobody answers there: gathering takes many seconds.
  const deaf = [{ urls: 'stun:127.0.0.1:9' }]
  const invite = 'rig.log.findLast(line => line.includes("sent INVITE"))'
  const timed = async (options: Record<string, unknown>) => {
    await signedIn(options)
    await logged()
    const began = performance.now()
    await phone.dial('1')
    await phone.until('the INVITE', () => phone.evaluate(invite))
    return { ms: performance.now() - began, sdp: await phone.evaluate<string>(invite) }
  }
  const quick = await timed({ iceServers: deaf, iceGatheringTimeout: 300 })
  const slow = await timed({ iceServers: deaf, iceGatheringTimeout: 1500 })
  assert.ok(quick.ms >= 290 && quick.ms < 1400, String(quick.ms))
  assert.ok(slow.ms >= 1490, String(slow.ms))
  const whole = await timed({ iceGatheringTimeout: 0 })
  assert.match(whole.sdp, /a=candidate:/)
  assert.is(await phone.evaluate('rig.connections.at(-1).iceGatheringState'), 'complete')
})

rows('realm and wssUrl: the address of record, and the default that is made of it', async () => {
  await signedIn({ realm: 'localhost' })
  const register = await phone.evaluate<string>('rig.log.find(line => line.includes("sent REGISTER"))')
  assert.match(register, new RegExp(`From: <sip:${user.extension}@localhost>`))
  await phone.run('load', { wssUrl: null, realm: 'pbx.invalid' })
  const refused = (await phone.signIn(await mint(account, user))) as { code: string; message: string }
  assert.is(refused.code, 'sign-in.failed')
  assert.match(refused.message, /No connection to wss:\/\/pbx\.invalid\/sip/)
  assert.is(await phone.evaluate('rig.sockets.at(-1).url'), 'wss://pbx.invalid/sip')
  assert.equal((await phone.events()).slice(-1), ['registrationFailed'])
  for (const [option, value] of [
    ['wssUrl', 'http://x'],
    ['realm', 'a b'],
    ['logLevel', 'loud'],
    ['iceGatheringTimeout', -1],
  ] as const) {
    const text = JSON.stringify({ [option]: value })
    const thrown = await phone.evaluate<{ code: string; message: string }>(
      `(() => { try { new rig.sdk.Phone(${text}) } catch ({ code, message }) { return { code, message } } })()`,
    )
    assert.is(thrown.code, 'option.invalid')
    assert.match(thrown.message, new RegExp(option))
  }
})

rows('a page without HTTPS: a clear error', async () => {
  const page = await phone.open(`http://${insecureHost}:${on.httpPort}/phone/`)
  const thrown = (await page.evaluate(
    `import('/phone/sauti-phone.js').then(({ Phone }) => { try { new Phone() } catch ({ code, message }) { return { code, message } } })`,
  )) as { code: string; message: string }
  assert.is(thrown.code, 'insecure-context')
  assert.match(thrown.message, /HTTPS|localhost/)
  await page.context().close()
})

rows('tokens: decodeToken, isExpired, and what authenticate says to bad ones', async () => {
  const { token } = await mint(account, user)
  const claims = await phone.evaluate<Record<string, unknown>>(`rig.sdk.decodeToken(${JSON.stringify(token)})`)
  assert.equal([claims.ext, claims.acc, claims.sub], [user.extension, account.uuid, user.uuid])
  assert.is(await phone.evaluate(`rig.sdk.isExpired(${JSON.stringify(token)})`), false)
  assert.is(await phone.evaluate('rig.sdk.isExpired("nonsense")'), true)
  const [head, body = '', sign] = token.split('.')
  const told = JSON.parse(Buffer.from(body, 'base64url').toString())
  const remade = (changes: object) =>
    [head, Buffer.from(JSON.stringify({ ...told, ...changes })).toString('base64url'), sign].join('.')
  await phone.run('load', { iceServers: [] })
  const code = async (bad: string) => ((await phone.signIn(bad)) as { code: string }).code
  assert.is(await code('nonsense'), 'token.invalid')
  assert.is(await code(remade({ exp: 1 })), 'token.expired')
  assert.is(await phone.evaluate(`rig.sdk.isExpired(${JSON.stringify(remade({ exp: 1 }))})`), true)
  // Its signature is another token's: the switch sees that.
  assert.is(await code(remade({ ext: other.extension })), 'sign-in.failed')
  assert.is(await phone.evaluate('rig.phone.extension'), undefined)
  assert.is(await phone.evaluate('rig.phone.account'), undefined)
})

rows('tokenWillExpire comes in time to renew; who does not is signed out, and its call lives', async () => {
  document('<Say loop="0">One two three four five six seven eight.</Say>')
  await phone.run('load', { iceServers: [] })
  assert.is(await phone.signIn(await mint(account, user, { ttl_seconds: 4 })), 'registered')
  const events = (name: string) =>
    phone.evaluate<{ secondsLeft?: number; cause?: string }[]>(
      `rig.events.filter(event => event.name === ${JSON.stringify(name)}).map(event => event.value)`,
    )
  const before = (await events('tokenWillExpire')).length
  const call = await phone.dial('1')
  await phone.state(call, 'accepted')
  const first = await phone.until('the warning', async () => (await events('tokenWillExpire'))[before])
  assert.ok((first.secondsLeft ?? 0) >= 1 && (first.secondsLeft ?? 9) <= 2, JSON.stringify(first))
  assert.is(await phone.signIn(await mint(account, user, { ttl_seconds: 3 })), 'registered')
  const out = (await events('unregistered')).length
  const over = await phone.until('the end', async () => (await events('unregistered'))[out], 6_000)
  assert.is(over.cause, 'Token expired')
  assert.is(await phone.evaluate('rig.phone.isRegistered'), false)
  assert.is((await phone.call(call)).state, 'accepted')
  const thrown = await phone.evaluate('(() => { try { rig.phone.call("1") } catch ({ code }) { return code } })()')
  assert.is(thrown, 'not-signed-in')
})

/** Loud enough, and mostly these frequencies. */
async function rings(what: string, frequencies: readonly number[]): Promise<void> {
  let last: unknown
  await until(what, async () => {
    const heard = await phone.hearTones(500, frequencies)
    last = heard
    return heard.loudness > 0.01 && heard.shares.reduce((sum, share) => sum + share, 0) > 0.8
  }).catch(fault => {
    throw new Error(`${fault}: ${JSON.stringify(last)}`)
  })
}
const isQuiet = () => until('silence', async () => (await phone.hearTones(400, [])).loudness < 0.001)

rows(
  'ringing tones: ringback until the answer, busy after 486, the bell for who calls, keys; setVolume is theirs too',
  async () => {
    document('<Pause length="4"/><Say loop="0">One two three four.</Say>')
    await signedIn()
    const call = await phone.dial('1')
    await rings('ringback', [425])
    await phone.state(call, 'accepted')
    await isQuiet()
    await phone.act(call, 'sendDigit', '5')
    await rings('the key 5', [770, 1336])
    await phone.act(call, 'hangup')
    document('<Hangup reason="busy"/>')
    await phone.state(await phone.dial('1'), 'ended')
    await rings('busy', [425])

    const second = await BrowserPhone.launch(on.baseUrl, 600)
    assert.is(await second.signIn(await mint(account, other)), 'registered')
    document(`<Dial><Number>${user.extension}</Number></Dial>`)
    const dialled = await second.dial(user.extension)
    const came = await phone.incoming()
    await rings('the bell', [660, 880])
    await phone.evaluate('rig.phone.setVolume(0)')
    await isQuiet()
    await phone.evaluate('rig.phone.setVolume(1)')
    await rings('the bell again', [660, 880])
    const taking = `(call => { call.answer(); return call.state })(rig.calls[${came}].call)`
    assert.is(await phone.evaluate(taking), 'answering')
    await isQuiet()
    await second.state(dialled, 'accepted')
    await second.close()
  },
)

rows('tones: false makes none', async () => {
  document('<Pause length="2"/><Hangup reason="busy"/>')
  const before = await phone.evaluate<number>('rig.contexts.length')
  await signedIn({ tones: false })
  const call = await phone.dial('1')
  await phone.state(call, 'ringing')
  await phone.state(call, 'ended')
  assert.is(await phone.evaluate('rig.contexts.length'), before)
})

rows(
  'listDevices, setOutputDevice: calls and tones move to another loudspeaker at once, and later ones follow',
  async () => {
    document('<Pause length="1"/><Say loop="0">One two three four five six.</Say>')
    await signedIn()
    const first = await phone.dial('1')
    await phone.state(first, 'accepted')
    const { inputs, outputs } =
      await phone.evaluate<Record<'inputs' | 'outputs', { deviceId: string; label: string }[]>>(
        'rig.phone.listDevices()',
      )
    assert.ok(inputs.length > 0 && outputs.length > 1, JSON.stringify({ inputs, outputs }))
    assert.ok([...inputs, ...outputs].every(({ label }) => label !== ''))
    const chosen = outputs.findLast(({ deviceId }) => deviceId !== 'default')?.deviceId
    const sinks = '[rig.speakers.at(-1).sinkId, rig.contexts.at(-1).sinkId].join()'
    const at = (id = '') => phone.until(`the output ${id}`, async () => (await phone.evaluate(sinks)) === `${id},${id}`)
    await at('')
    await phone.evaluate(`rig.phone.setOutputDevice(${JSON.stringify(chosen)})`)
    await at(chosen)
    const refused = await phone.evaluate('rig.phone.setOutputDevice("nowhere").catch(({ code }) => code)')
    assert.is(refused, 'device')
    await at(chosen)
    const second = await phone.dial('1')
    await phone.state(second, 'accepted')
    await at(chosen)
    await phone.evaluate('rig.phone.setOutputDevice("")')
    await at('')
    const range = await phone.evaluate(
      '[-0.1, 1.1, NaN].map(volume => { try { rig.phone.setVolume(volume) } catch ({ code }) { return code } })',
    )
    assert.equal(range, ['option.invalid', 'option.invalid', 'option.invalid'])
    await phone.evaluate('rig.phone.setVolume(0.25)')
    assert.is(await phone.evaluate('rig.speakers.at(-1).volume'), 0.25)
  },
)

rows(
  'devicesChanged when something is plugged in; a microphone that is pulled out is replaced in the call',
  async () => {
    document('<Say loop="0">One two three four five six.</Say>')
    await signedIn()
    const before = (await phone.events()).filter(name => name === 'devicesChanged').length
    await phone.evaluate('navigator.mediaDevices.dispatchEvent(new Event("devicechange"))')
    assert.is((await phone.events()).filter(name => name === 'devicesChanged').length, before + 1)
    const call = await phone.dial('1')
    await phone.state(call, 'accepted')
    const taken = () => phone.evaluate<number>('rig.sources.length')
    const sources = await taken()
    await phone.evaluate('rig.sources.at(-1).dispatchEvent(new Event("ended"))')
    await phone.until('another microphone', async () => (await taken()) > sources)
    assert.is((await phone.call(call)).state, 'accepted')
  },
)

rows('getters of a call, from the first moment to the last; what may not be done says so', async () => {
  document('<Pause length="1"/><Say loop="0">One two three four five six.</Say>')
  await signedIn()
  const dialled = await phone.dial('+254711000001')
  const now = (expression: string) => phone.evaluate(`(call => ${expression})(rig.calls[${dialled}].call)`)
  assert.is(await now('call.state'), 'trying')
  assert.match(String(await now('call.id')), /^[\w-]{36}$/)
  assert.equal(
    await now('[call.direction, call.remoteIdentity, call.isOnHold, call.isMuted, call.acceptedAt ?? null]'),
    ['outbound', '+254711000001', false, false, null],
  )
  assert.match(String(await now('call.remoteUri')), /^sip:\+254711000001@/)
  for (const method of ['hold', 'unhold', 'answer'])
    assert.is(((await phone.act(dialled, method)) as { code: string }).code, 'call.state', method)
  assert.is(((await phone.act(dialled, 'reject')) as { code: string }).code, 'call.state')
  assert.is(((await phone.act(dialled, 'sendDigit', '1')) as { code: string }).code, 'call.state')
  await phone.state(dialled, 'accepted')
  assert.is(((await phone.act(dialled, 'sendDigit', 'x')) as { code: string }).code, 'option.invalid')
  assert.equal(
    await now('[call.localStream.getAudioTracks().length, call.remoteStream.getAudioTracks().length]'),
    [1, 1],
  )
  assert.ok(Math.abs(Number(await now('call.acceptedAt')) - Date.now()) < 5_000)
  assert.is(await phone.evaluate('rig.phone.calls.length'), 1)
  assert.is(await phone.evaluate('rig.phone.isConnected'), true)
  await phone.act(dialled, 'hangup')
  assert.equal((await phone.call(dialled)).events.at(-1), 'ended')
  assert.is(await phone.evaluate('rig.phone.calls.length'), 0)
  assert.is(
    await phone.evaluate(`rig.sdk.describeFailure(rig.calls[${dialled}].call.endReason)`),
    'The call has ended.',
  )
})

rows('reconnecting when nothing comes any more, reconnected when it does: the call goes on', async () => {
  document('<Say loop="0">Habari ya asubuhi.</Say>')
  await signedIn()
  const call = await phone.dial('1')
  await phone.state(call, 'accepted')
  await phone.until('the audio', async () => (await phone.hear(call, 500, [1000])).loudness > 0.01)
  const told = async () => (await phone.call(call)).events.filter(name => /^reconnect/.test(name))
  // The whole switch holds its breath, media and all.
  process.kill(on.pid, 'SIGSTOP')
  try {
    await phone.until('reconnecting', async () => (await told()).includes('reconnecting'), 20_000)
  } finally {
    process.kill(on.pid, 'SIGCONT')
  }
  await phone.until('reconnected', async () => (await told()).at(-1) === 'reconnected', 20_000)
  assert.is((await phone.call(call)).state, 'accepted')
  await phone.until('the audio again', async () => (await phone.hear(call, 500, [1000])).loudness > 0.01)
  await phone.act(call, 'hangup')
})

rows('every name in the tables of sdk/README.md stands in a test in the browser', () => {
  const tests = ['./', '../slow/']
    .map(folder => new URL(folder, import.meta.url))
    .flatMap(folder => readdirSync(folder).map(name => new URL(name, folder)))
    .filter(({ pathname }) => /\/phone-[^/]*\.test\.ts$/.test(pathname))
    .map(file => readFileSync(file, 'utf8'))
    .join('\n')
  const readme = readFileSync(new URL('../../sdk/README.md', import.meta.url), 'utf8')
  const cells = [...readme.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = '']) => cell)
  const getters = [...readme.matchAll(/^Getters: ([\s\S]*?)\n\n/gm)].map(([, list = '']) => list)
  const names = [...cells, ...getters].flatMap(text => [...text.matchAll(/`([\w.]+)/g)]).map(([, name = '']) => name)
  assert.ok(names.length > 45, String(names.length))
  assert.equal(
    names.filter(name => !new RegExp(`\\b${name}\\b`).test(tests)),
    [],
  )
})

rows('nothing in the page went wrong unseen', async () => {
  await sleep(0)
  assert.equal(
    phone.complaints.filter(text => !text.includes('a listener of the page')),
    [],
  )
})

rows.run()
