import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { phoneBed } from '../rig/beds/phone-bed.ts'
import { mint } from '../rig/peers/browser-phone.ts'
import { freePort } from '../rig/probes/ports.ts'

// The rows of the SDK's tables that the other tests in the browser leave out: options.
const rows = suite('phone in Chromium: options')

/** A name that is this machine's to the browser, and no secure context over http. */
const insecureHost = 'phone.test'
const bed = phoneBed(rows, [`--host-resolver-rules=MAP ${insecureHost} 127.0.0.1, MAP pbx.invalid 127.0.0.1`])

rows('logLevel: none is silent, the others say as much as they are named, and never the token', async () => {
  const { token } = await mint(bed.account, bed.user)
  const levels: Record<string, readonly string[]> = {}
  for (const logLevel of ['none', 'error', 'info', 'debug']) {
    await bed.logged()
    await bed.signedIn({ logLevel })
    await bed.phone.evaluate('bed.phone.on("registered", () => { throw new Error("a listener of the page") })')
    assert.is(await bed.phone.signIn(token), 'registered')
    await bed.phone.evaluate('bed.phone.unregister()')
    const lines = await bed.logged()
    levels[logLevel] = [...new Set(lines.map(line => line.split(' ', 1)[0] ?? ''))].sort()
    assert.ok(
      lines.every(line => !line.includes(token)),
      logLevel,
    )
  }
  assert.equal(levels, { none: [], error: [], info: ['info'], debug: ['debug', 'info'] })
  await bed.phone.run('load', { logLevel: 'error', wssUrl: `ws://localhost:${await freePort()}/sip` })
  await bed.phone.signIn(token)
  assert.ok((await bed.logged()).every(line => line.startsWith('error ')))
})

rows('a log without onLog goes to the console; without logLevel nothing does', async () => {
  const said: string[] = []
  bed.phone.page.on('console', message => said.push(message.text()))
  await bed.signedIn({ onLog: null, logLevel: null })
  assert.equal(
    said.filter(line => line.includes('[phone]')),
    [],
  )
  await bed.signedIn({ onLog: null, logLevel: 'info' })
  assert.ok(said.some(line => line.includes('[phone] registered')))
})

rows('iceServers: those of authenticate, else those of the option, else DEFAULT_ICE_SERVERS', async () => {
  bed.document('<Hangup reason="busy"/>')
  const { token } = await mint(bed.account, bed.user)
  const [given, own] = [[{ urls: 'stun:127.0.0.1:9' }], [{ urls: ['stun:127.0.0.1:7'] }]]
  const used = async (options: Record<string, unknown>, credentials: unknown) => {
    await bed.phone.run('load', { iceGatheringTimeout: 50, ...options })
    assert.is(await bed.phone.signIn(credentials), 'registered')
    const before = await bed.phone.evaluate<number>('bed.connections.length')
    await bed.phone.dial('1')
    await bed.phone.until(
      'a connection',
      async () => (await bed.phone.evaluate<number>('bed.connections.length')) > before,
    )
    return bed.phone.evaluate<{ urls: string | string[] }[]>('bed.connections.at(-1).getConfiguration().iceServers')
  }
  const urls = (servers: { urls: string | string[] }[]) => servers.flatMap(server => server.urls)
  assert.equal(urls(await used({ iceServers: own }, { token, iceServers: given })), ['stun:127.0.0.1:9'])
  assert.equal(urls(await used({ iceServers: own }, token)), ['stun:127.0.0.1:7'])
  const usual = await bed.phone.evaluate<{ urls: string[] }[]>('bed.sdk.DEFAULT_ICE_SERVERS')
  assert.equal(urls(await used({ iceServers: null }, token)), urls(usual))
})

rows('iceGatheringTimeout: an offer waits so long for candidates and no longer; 0 waits for all', async () => {
  bed.document('<Hangup reason="busy"/>')
  // No server answers there: gathering takes many seconds.
  const deaf = [{ urls: 'stun:127.0.0.1:9' }]
  const invite = 'bed.log.findLast(line => line.includes("sent INVITE"))'
  const timed = async (options: Record<string, unknown>) => {
    await bed.signedIn(options)
    await bed.logged()
    const began = performance.now()
    await bed.phone.dial('1')
    await bed.phone.until('the INVITE', () => bed.phone.evaluate(invite))
    return { ms: performance.now() - began, sdp: await bed.phone.evaluate<string>(invite) }
  }
  const quick = await timed({ iceServers: deaf, iceGatheringTimeout: 300 })
  const slow = await timed({ iceServers: deaf, iceGatheringTimeout: 1500 })
  assert.ok(quick.ms >= 290 && quick.ms < 1400, String(quick.ms))
  assert.ok(slow.ms >= 1490, String(slow.ms))
  const whole = await timed({ iceGatheringTimeout: 0 })
  assert.match(whole.sdp, /a=candidate:/)
  assert.is(await bed.phone.evaluate('bed.connections.at(-1).iceGatheringState'), 'complete')
})

rows('realm and wssUrl: the address of record, and the default that is made of it', async () => {
  await bed.signedIn({ realm: 'localhost' })
  const register = await bed.phone.evaluate<string>('bed.log.find(line => line.includes("sent REGISTER"))')
  assert.match(register, new RegExp(`From: <sip:${bed.user.extension}@localhost>`))
  await bed.phone.run('load', { wssUrl: null, realm: 'pbx.invalid' })
  const refused = (await bed.phone.signIn(await mint(bed.account, bed.user))) as { code: string; message: string }
  assert.is(refused.code, 'sign-in.failed')
  assert.match(refused.message, /No connection to wss:\/\/pbx\.invalid\/sip/)
  assert.is(await bed.phone.evaluate('bed.sockets.at(-1).url'), 'wss://pbx.invalid/sip')
  assert.equal((await bed.phone.events()).slice(-1), ['registrationFailed'])
  for (const [option, value] of [
    ['wssUrl', 'http://x'],
    ['realm', 'a b'],
    ['logLevel', 'loud'],
    ['iceGatheringTimeout', -1],
  ] as const) {
    const text = JSON.stringify({ [option]: value })
    const thrown = await bed.phone.evaluate<{ code: string; message: string }>(
      `(() => { try { new bed.sdk.Phone(${text}) } catch ({ code, message }) { return { code, message } } })()`,
    )
    assert.is(thrown.code, 'option.invalid')
    assert.match(thrown.message, new RegExp(option))
  }
})

rows('a page without HTTPS: a clear error', async () => {
  const page = await bed.phone.open(`http://${insecureHost}:${bed.on.httpPort}/phone/`)
  const thrown = (await page.evaluate(
    `import('/phone/sauti-phone.js').then(({ Phone }) => { try { new Phone() } catch ({ code, message }) { return { code, message } } })`,
  )) as { code: string; message: string }
  assert.is(thrown.code, 'insecure-context')
  assert.match(thrown.message, /HTTPS|localhost/)
  await page.context().close()
})

rows('nothing in the page went wrong unseen', async () => {
  assert.equal(
    bed.phone.complaints.filter(text => !text.includes('a listener of the page')),
    [],
  )
})

rows.run()
