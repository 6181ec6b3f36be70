import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startFailure } from '../../api/cli/start-failure.ts'
import { serve } from '../../api/serving.ts'
import { unusableStore } from '../../core/adapters/store/errors.ts'
import { Switch } from '../../core/index.ts'
import { defaultSettings, type Settings } from '../../core/model/settings.ts'
import type { Log } from '../../core/ports/log.ts'
import { ensureDemo } from '../../scripts/demo-account.ts'
import { openTestSwitch } from '../api/bed/test-switch.ts'
import { until } from '../rig/probes/wait.ts'

const folder = mkdtempSync(join(tmpdir(), 'sauti-serving-'))
const messages: string[] = []
const log: Log = { error() {}, warn() {}, debug() {}, info: (_fields, message) => messages.push(message) }
const settingsOf = (name: string, more: Partial<Settings> = {}): Settings => ({
  ...defaultSettings,
  dataFolder: join(folder, name),
  http: [{ scheme: 'http', address: '127.0.0.1', port: 0 }],
  drainSeconds: 1,
  ...more,
})

test('readiness is reported once all listeners are open; the operator key is made once and is private', async () => {
  messages.length = 0
  const settings = settingsOf('ready')
  const first = await serve(settings, log, openTestSwitch)
  assert.equal(messages, ['ready'])
  const url = `http://127.0.0.1:${first.http[0]!.port}`
  assert.is((await fetch(`${url}/health/`)).status, 200)
  assert.is(
    (await fetch(`${url}/operator/accounts`, { headers: { authorization: `Bearer ${first.operatorKey}` } })).status,
    200,
  )
  await first.close()
  const file = join(settings.dataFolder, 'operator.key')
  assert.equal([readFileSync(file, 'utf8').trim(), statSync(file).mode & 0o777], [first.operatorKey, 0o600])
  const second = await serve(settings, log, openTestSwitch)
  assert.is(second.operatorKey, first.operatorKey)
  await second.close()
})

test('readiness waits for what health looks at, such as media threads that still load', async () => {
  messages.length = 0
  let looks = 0
  const openSlow = async (...given: Parameters<typeof openTestSwitch>) => {
    const door = await openTestSwitch(...given)
    return Object.assign(door, {
      health: async () => {
        assert.equal(messages, [], 'before the switch says that it is ready')
        return ++looks >= 3
      },
    })
  }
  const serving = await serve(settingsOf('loading'), log, openSlow)
  assert.equal([looks, messages], [3, ['ready']])
  await serving.close()
})

test('a body that is too large is refused while it is being sent, and the connection goes on', async () => {
  const serving = await serve(settingsOf('large'), log, openTestSwitch)
  const { port } = serving.http[0]!
  const key = serving.operatorKey
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.on('data', bytes => {
    received += bytes
  })
  const length = 8 * 1024 * 1024
  const head = `Host: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
  socket.write(`POST /operator/accounts HTTP/1.1\r\n${head}Content-Length: ${length}\r\n\r\n`)
  for (let sent = 0; sent < length; sent += 65_536) {
    await new Promise<void>((resolve, reject) => socket.write(' '.repeat(65_536), e => (e ? reject(e) : resolve())))
  }
  socket.write('GET /health/ HTTP/1.1\r\nHost: a\r\n\r\n')
  await until('the second answer', () => received.includes('{"status":"ok"}'))
  assert.match(received, /^HTTP\/1\.1 413 [\s\S]*"The body is larger than 1048576 bytes\."\}HTTP\/1\.1 200 /)
  socket.destroy()
  await serving.close()
})

test('a client that sends its whole body before it reads gets the refusal, also where the connection ends with it', async () => {
  const serving = await serve(settingsOf('refused'), log, openTestSwitch)
  const { port } = serving.http[0]!
  const length = 8 * 1024 * 1024
  const good = serving.operatorKey
  for (const [status, path, key, type, connection] of [
    [413, '/operator/accounts', good, 'application/json', 'close'],
    [401, '/operator/accounts', 'wrong', 'application/json', 'close'],
    [404, '/nowhere', good, 'application/json', 'close'],
    [405, '/operator/accounts/x/ledger', good, 'application/json', 'close'],
    [415, '/operator/accounts', good, 'text/plain', 'close'],
    [415, '/operator/accounts', good, 'text/plain', 'keep-alive'],
  ] as const) {
    const socket = connect(port, '127.0.0.1')
    const faults: unknown[] = []
    let received = ''
    socket.on('error', fault => faults.push(fault))
    socket.on('data', bytes => {
      received += bytes
    })
    const closed = new Promise(resolve => socket.once('close', resolve))
    const head = `Host: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: ${type}\r\nConnection: ${connection}\r\n`
    socket.write(`POST ${path} HTTP/1.1\r\n${head}Content-Length: ${length}\r\n\r\n`)
    for (let sent = 0; sent < length && faults.length === 0; sent += 65_536) {
      await new Promise<void>(resolve => socket.write(' '.repeat(65_536), () => resolve()))
    }
    await closed
    const what = `${status} ${connection}: ${received.slice(0, 200)}`
    assert.equal(faults, [], what)
    assert.match(received, new RegExp(`^HTTP/1\\.1 ${status} `), what)
  }
  await serving.close()
})

test('a client that announces a body and does not send it keeps no connection after the refusal', async () => {
  const serving = await serve(settingsOf('unsent'), log, openTestSwitch)
  const socket = connect(serving.http[0]!.port, '127.0.0.1')
  let received = ''
  socket.on('data', bytes => {
    received += bytes
  })
  const closed = new Promise(resolve => socket.once('close', resolve))
  socket.write('POST /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 900\r\n\r\n{')
  await until('the refusal', () => received.startsWith('HTTP/1.1 404 '))
  const began = performance.now()
  await closed
  assert.ok(performance.now() - began < 10_000)
  await serving.close()
})

test('a key in the settings wins, and is written nowhere', async () => {
  const settings = settingsOf('given', { operatorKey: 'op-from-settings' })
  const serving = await serve(settings, log, openTestSwitch)
  assert.is(serving.operatorKey, 'op-from-settings')
  await serving.close()
  assert.throws(() => statSync(join(settings.dataFolder, 'operator.key')), /ENOENT/)
})

test('a taken port: everything is closed again, and the sentence names the setting', async () => {
  const blocker = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => blocker.once('listening', resolve))
  const { port } = blocker.address() as { port: number }
  const settings = settingsOf('taken', { http: [{ scheme: 'http', address: '127.0.0.1', port }] })
  const fault = await serve(settings, log, openTestSwitch).then(
    () => assert.unreachable(),
    (fault: unknown) => fault,
  )
  assert.match(startFailure(fault, settings) ?? '', new RegExp(`127\\.0\\.0\\.1:${port} is in use .* SAUTI_HTTP`))
  const withSip = await Switch.open({
    ...settings,
    sip: { realm: 'localhost', listeners: [{ transport: 'tcp', address: '127.0.0.1', port }] },
  }).then(
    () => assert.unreachable(),
    (fault: unknown) => fault,
  )
  assert.match(startFailure(withSip, settings) ?? '', new RegExp(`127\\.0\\.0\\.1:${port} is in use .* SAUTI_SIP`))
  blocker.close()
  const again = await serve(settings, log, openTestSwitch)
  await again.close()
})

test('a data folder that is in use', async () => {
  const settings = settingsOf('locked')
  const first = await serve(settings, log, openTestSwitch)
  const fault = await serve(settings, log, openTestSwitch).then(
    () => assert.unreachable(),
    (fault: unknown) => fault,
  )
  assert.match(startFailure(fault, settings) ?? '', /in use by another sauti/)
  await first.close()
})

test('a data folder that cannot be one is reported in a sentence, without a stack', async () => {
  const file = join(folder, 'a-file')
  writeFileSync(file, 'x')
  const damaged = join(folder, 'damaged')
  mkdirSync(damaged)
  writeFileSync(join(damaged, 'sauti.db'), Buffer.alloc(5000, 7))
  for (const [dataFolder, sentence] of [
    [file, /a-file cannot be used: it is no folder \(ENOTDIR\)$/],
    [join(file, 'x'), /cannot be used: it is no folder \(ENOTDIR\)$/],
    [damaged, /cannot be used: its database is damaged, or is none: restore a backup \(SQLITE_NOTADB\)$/],
    [join(folder, 'n'.repeat(300)), /cannot be used: it cannot be made/],
  ] as const) {
    const settings = settingsOf('', { dataFolder })
    const fault = await serve(settings, log, openTestSwitch).then(
      () => assert.unreachable(),
      (fault: unknown) => fault,
    )
    assert.match(startFailure(fault, settings) ?? '', sentence)
  }
  for (const code of ['SQLITE_FULL', 'SQLITE_READONLY_DIRECTORY', 'SQLITE_IOERR_WRITE', 'EACCES', 'EROFS']) {
    const reported = unusableStore('/d', Object.assign(new Error('x'), { code }))
    assert.match(
      startFailure(reported, settingsOf('')) ?? '',
      new RegExp(`^the data folder /d cannot be used: .* \\(${code}\\)$`),
    )
  }
  const ours = new TypeError('x')
  assert.is(unusableStore('/d', ours), ours)
})

test('drain: waits for live calls, answers meanwhile, then closes', async () => {
  const opened: Awaited<ReturnType<typeof openTestSwitch>>[] = []
  const serving = await serve(settingsOf('drain'), log, async (settings, log) => {
    const door = await openTestSwitch(settings, log)
    opened.push(door)
    return door
  })
  const url = `http://127.0.0.1:${serving.http[0]!.port}`
  const operator = { authorization: `Bearer ${serving.operatorKey}`, 'content-type': 'application/json' }
  const made = await fetch(`${url}/operator/accounts`, { method: 'POST', headers: operator, body: '{"name":"D"}' })
  const { key } = (await made.json()) as { key: string }
  const customer = { ...operator, authorization: `Bearer ${key}` }
  const body = JSON.stringify({ to: '+254722000001', from: '+254700000001', url: 'https://a.test/v' })
  const placed = await fetch(`${url}/calls/originate`, { method: 'POST', headers: customer, body })
  const { sid } = (await placed.json()) as { sid: string }
  const drained = serving.drainAndClose()
  assert.is((await fetch(`${url}/health/`)).status, 503)
  assert.is((await fetch(`${url}/calls/hangup/${sid}`, { headers: customer })).status, 200)
  await drained
  assert.is(messages.at(-1), 'stopped')
  await fetch(`${url}/health/`).then(
    () => assert.unreachable(),
    () => {},
  )
})

test('the demo account: made once, finished when it was interrupted, left alone when it is not ours', async () => {
  const settings = settingsOf('demo')
  const door = await openTestSwitch(settings, log)
  const { repositories } = door
  const demo = await ensureDemo(repositories, settings.dataFolder)
  assert.ok(demo)
  assert.is(statSync(join(settings.dataFolder, 'demo.json')).mode & 0o777, 0o600)
  assert.is((await repositories.keys.ownerOf(demo.key))?.accountUuid, demo.account)
  const account = await repositories.accounts.get(demo.account)
  assert.is(account?.walletBalance, 1000 * 10_000)
  const seen = async () => [
    (await repositories.numbers.owned(demo.account)).length,
    (await repositories.numbers.available()).length,
    (await repositories.users.list(demo.account)).length,
    (await repositories.documents.list(demo.account, { limit: 50, offset: 0 })).total,
    repositories.trunks.current().length,
    (await repositories.accounts.list({ limit: 1, offset: 0 })).total,
  ]
  assert.equal(await seen(), [2, 3, 2, 2, 2, 1])
  assert.ok(repositories.rates.current().length > 5)
  assert.equal(await ensureDemo(repositories, settings.dataFolder), { ...demo })
  rmSync(join(settings.dataFolder, 'demo.json'))
  assert.is(await ensureDemo(repositories, settings.dataFolder), undefined)
  assert.equal(await seen(), [2, 3, 2, 2, 2, 1])
  await door.close()
})

test.after(() => rmSync(folder, { recursive: true, force: true }))
test.run()
