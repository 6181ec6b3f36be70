import { readdirSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { phoneBed } from '../rig/beds/phone-bed.ts'
import { mint } from '../rig/peers/browser-phone.ts'

// The rows of the SDK's tables that the other tests in the browser leave out: tokens, a call's getters, its connection.
const rows = suite('phone in Chromium: rows of the tables')
const bed = phoneBed(rows)

rows('tokens: decodeToken, isExpired, and what authenticate says to bad ones', async () => {
  const { token } = await mint(bed.account, bed.user)
  const claims = await bed.phone.evaluate<Record<string, unknown>>(`bed.sdk.decodeToken(${JSON.stringify(token)})`)
  assert.equal([claims.ext, claims.acc, claims.sub], [bed.user.extension, bed.account.uuid, bed.user.uuid])
  assert.is(await bed.phone.evaluate(`bed.sdk.isExpired(${JSON.stringify(token)})`), false)
  assert.is(await bed.phone.evaluate('bed.sdk.isExpired("nonsense")'), true)
  const [head, body = '', sign] = token.split('.')
  const reported = JSON.parse(Buffer.from(body, 'base64url').toString())
  const remade = (changes: object) =>
    [head, Buffer.from(JSON.stringify({ ...reported, ...changes })).toString('base64url'), sign].join('.')
  await bed.phone.run('load', { iceServers: [] })
  const code = async (bad: string) => ((await bed.phone.signIn(bad)) as { code: string }).code
  assert.is(await code('nonsense'), 'token.invalid')
  assert.is(await code(remade({ exp: 1 })), 'token.expired')
  assert.is(await bed.phone.evaluate(`bed.sdk.isExpired(${JSON.stringify(remade({ exp: 1 }))})`), true)
  // Its signature is another token's: the switch sees that.
  assert.is(await code(remade({ ext: bed.other.extension })), 'sign-in.failed')
  assert.is(await bed.phone.evaluate('bed.phone.extension'), undefined)
  assert.is(await bed.phone.evaluate('bed.phone.account'), undefined)
})

rows('tokenWillExpire comes in time to renew; who does not is signed out, and its call lives', async () => {
  bed.document('<Say loop="0">One two three four five six seven eight.</Say>')
  await bed.phone.run('load', { iceServers: [] })
  assert.is(await bed.phone.signIn(await mint(bed.account, bed.user, { ttl_seconds: 4 })), 'registered')
  const events = (name: string) =>
    bed.phone.evaluate<{ secondsLeft?: number; cause?: string }[]>(
      `bed.events.filter(event => event.name === ${JSON.stringify(name)}).map(event => event.value)`,
    )
  const before = (await events('tokenWillExpire')).length
  const call = await bed.phone.dial('1')
  await bed.phone.state(call, 'accepted')
  const first = await bed.phone.until('the warning', async () => (await events('tokenWillExpire'))[before])
  assert.ok((first.secondsLeft ?? 0) >= 1 && (first.secondsLeft ?? 9) <= 2, JSON.stringify(first))
  assert.is(await bed.phone.signIn(await mint(bed.account, bed.user, { ttl_seconds: 3 })), 'registered')
  const out = (await events('unregistered')).length
  const over = await bed.phone.until('the end', async () => (await events('unregistered'))[out], 6_000)
  assert.is(over.cause, 'Token expired')
  assert.is(await bed.phone.evaluate('bed.phone.isRegistered'), false)
  assert.is((await bed.phone.call(call)).state, 'accepted')
  const thrown = await bed.phone.evaluate('(() => { try { bed.phone.call("1") } catch ({ code }) { return code } })()')
  assert.is(thrown, 'not-signed-in')
})

rows('getters of a call, from the first moment to the last; what may not be done says so', async () => {
  bed.document('<Pause length="1"/><Say loop="0">One two three four five six.</Say>')
  await bed.signedIn()
  const dialled = await bed.phone.dial('+254711000001')
  const now = (expression: string) => bed.phone.evaluate(`(call => ${expression})(bed.calls[${dialled}].call)`)
  assert.is(await now('call.state'), 'trying')
  assert.match(String(await now('call.id')), /^[\w-]{36}$/)
  assert.equal(
    await now('[call.direction, call.remoteIdentity, call.isOnHold, call.isMuted, call.acceptedAt ?? null]'),
    ['outbound', '+254711000001', false, false, null],
  )
  assert.match(String(await now('call.remoteUri')), /^sip:\+254711000001@/)
  for (const method of ['hold', 'unhold', 'answer'])
    assert.is(((await bed.phone.act(dialled, method)) as { code: string }).code, 'call.state', method)
  assert.is(((await bed.phone.act(dialled, 'reject')) as { code: string }).code, 'call.state')
  assert.is(((await bed.phone.act(dialled, 'sendDigit', '1')) as { code: string }).code, 'call.state')
  await bed.phone.state(dialled, 'accepted')
  assert.is(((await bed.phone.act(dialled, 'sendDigit', 'x')) as { code: string }).code, 'option.invalid')
  assert.equal(
    await now('[call.localStream.getAudioTracks().length, call.remoteStream.getAudioTracks().length]'),
    [1, 1],
  )
  assert.ok(Math.abs(Number(await now('call.acceptedAt')) - Date.now()) < 5_000)
  assert.is(await bed.phone.evaluate('bed.phone.calls.length'), 1)
  assert.is(await bed.phone.evaluate('bed.phone.isConnected'), true)
  await bed.phone.act(dialled, 'hangup')
  assert.equal((await bed.phone.call(dialled)).events.at(-1), 'ended')
  assert.is(await bed.phone.evaluate('bed.phone.calls.length'), 0)
  assert.is(
    await bed.phone.evaluate(`bed.sdk.describeFailure(bed.calls[${dialled}].call.endReason)`),
    'The call has ended.',
  )
})

rows('reconnecting when nothing comes any more, reconnected when it does: the call goes on', async () => {
  bed.document('<Say loop="0">Habari ya asubuhi.</Say>')
  await bed.signedIn()
  const call = await bed.phone.dial('1')
  await bed.phone.state(call, 'accepted')
  await bed.phone.until('the audio', async () => (await bed.phone.hear(call, 500, [1000])).loudness > 0.01)
  const reported = async () => (await bed.phone.call(call)).events.filter(name => /^reconnect/.test(name))
  // The whole switch holds its breath, media and all.
  process.kill(bed.on.pid, 'SIGSTOP')
  try {
    await bed.phone.until('reconnecting', async () => (await reported()).includes('reconnecting'), 20_000)
  } finally {
    process.kill(bed.on.pid, 'SIGCONT')
  }
  await bed.phone.until('reconnected', async () => (await reported()).at(-1) === 'reconnected', 20_000)
  assert.is((await bed.phone.call(call)).state, 'accepted')
  await bed.phone.until('the audio again', async () => (await bed.phone.hear(call, 500, [1000])).loudness > 0.01)
  await bed.phone.act(call, 'hangup')
})

rows('nothing in the page went wrong unseen', async () => {
  assert.equal(bed.phone.complaints, [])
})

rows('every name in the tables of sdk/README.md stands in a test in the browser', () => {
  const tests = ['./', '../long/', '../slow/']
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

rows.run()
