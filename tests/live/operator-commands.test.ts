import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parseArguments, UsageError } from '../../api/cli/action/arguments.ts'
import { doctor } from '../../api/cli/doctor.ts'
import { runningOn } from '../../api/cli/doctor-system.ts'
import { reference, switches, valued } from '../../api/cli/help.ts'
import { init } from '../../api/cli/init.ts'
import { examine } from '../../api/cli/run-doctor.ts'
import { readSettings } from '../../api/settings-files.ts'
import { checkBooks } from '../../core/adapters/store/check.ts'
import { openDatabase } from '../../core/adapters/store/database.ts'
import { defaultSettings, type Settings } from '../../core/model/settings.ts'

const root = mkdtempSync(join(tmpdir(), 'sauti-operator-'))
test.after(() => rmSync(root, { recursive: true, force: true }))
const data = join(root, 'data')
const config = join(root, 'sauti.yaml')
const settings: Settings = {
  ...defaultSettings,
  dataFolder: data,
  sip: { realm: 'localhost', listeners: [{ transport: 'udp', address: '127.0.0.1', port: 0 }] },
}

async function initialised(...argv: string[]): Promise<{ code: number; out: string }> {
  let out = ''
  const given = parseArguments(['init', '--config', config, '--data', data, '--json', ...argv], switches, valued)
  const code = await init.run({ given, settings: defaultSettings, print: text => (out += text), reference })
  return { code, out }
}
const finding = async (of: Settings, name: string, pid?: number) =>
  (await examine(of, pid)).find(each => each.name === name)!

test('init: a wrong answer makes nothing; then settings, key, account and trunk; nothing is overwritten', async () => {
  for (const wrong of [
    ['--domain', 'not a name'],
    ['--external-address', '300.1.1.1'],
  ])
    await initialised(...wrong).then(
      () => assert.unreachable(),
      fault => assert.instance(fault, UsageError),
    )
  const flags = ['--domain', 'voice.example.com', '--external-address', '203.0.113.7', '--trunk', 'sip.carrier.example']
  const made = await initialised(...flags, '--trunk-hosts', '198.51.100.0/24', '--account', 'Shamba')
  assert.is(made.code, 0)
  const { operator_key, account_key } = JSON.parse(made.out)
  assert.match(operator_key, /^op_/)
  assert.match(account_key, /^vk_/)
  assert.is(readFileSync(join(data, 'operator.key'), 'utf8').trim(), operator_key)
  for (const file of [config, ...['operator.key', 'sauti.db', 'sauti.lock'].map(name => join(data, name))])
    assert.is(statSync(file).mode & 0o077, 0, file)

  const parsed = readSettings({}, config, {})
  assert.ok(parsed.ok)
  if (parsed.ok) assert.equal([parsed.settings.dataFolder, parsed.settings.externalAddresses], [data, ['203.0.113.7']])
  const database = openDatabase(data, { readOnly: true })
  assert.equal(checkBooks(database), [])
  assert.equal(database.all(database.sql.selectFrom('accounts').select('name')), [{ name: 'Shamba' }])
  assert.equal(database.all(database.sql.selectFrom('trunks').select('host')), [{ host: 'sip.carrier.example' }])
  database.close()

  const before = readFileSync(config, 'utf8')
  assert.is((await initialised(...flags)).code, 1)
  assert.is(readFileSync(config, 'utf8'), before)
})

test('doctor: free and taken ports of HTTP and SIP, and the process that holds the folder', async () => {
  assert.is(runningOn(data), undefined)
  const taken = createSocket('udp4')
  await new Promise<void>(resolve => taken.bind(0, '127.0.0.1', resolve))
  const { port } = taken.address() as AddressInfo
  const at = { ...settings, sip: { realm: '', listeners: [{ transport: 'udp', address: '127.0.0.1', port } as const] } }
  const name = `SIP udp:127.0.0.1:${port}`
  const web = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => web.once('listening', resolve))
  const http = [{ scheme: 'http', ...(web.address() as AddressInfo) }] as const
  const httpName = `HTTP http:127.0.0.1:${http[0].port}`
  assert.match((await finding({ ...settings, http }, httpName)).says, /cannot be listened at: .*EADDRINUSE/)
  assert.is((await finding({ ...settings, http }, httpName, process.pid)).state, 'ok')
  await new Promise(resolve => web.close(resolve))
  assert.is((await finding({ ...settings, http }, httpName)).state, 'ok')
  assert.is((await finding(at, name)).state, 'fault')
  // A running switch has it: then it also answers.
  const silent = await finding(at, name, process.pid)
  assert.equal([silent.state, silent.says], ['warning', 'something listens there, but answers no OPTIONS'])
  taken.once('message', (bytes, from) => {
    assert.match(bytes.toString(), /^OPTIONS sip:127\.0\.0\.1:\d+ SIP\/2\.0\r\nVia: [\s\S]*\r\n\r\n$/)
    taken.send('SIP/2.0 200 OK\r\n\r\n', from.port, from.address)
  })
  const answered = await finding(at, name, process.pid)
  assert.equal([answered.state, answered.says], ['ok', 'OPTIONS to 127.0.0.1 is answered: SIP/2.0 200 OK'])
  await new Promise<void>(resolve => taken.close(resolve))
  assert.is((await finding(at, name)).state, 'ok')
  const missing = await finding(at, name, process.pid)
  assert.equal([missing.state, missing.says], ['fault', 'nothing listens there, though a switch runs'])

  const holder = openDatabase(data)
  assert.is(runningOn(data), process.pid)
  holder.close()
})

test('doctor: days left of the certificate; trunks without an address; a data folder that is not there', async () => {
  const certificateOf = (days: number): Settings['tls'] => {
    const files = { certFile: join(root, `${days}.pem`), keyFile: join(root, `${days}.key`) }
    const kind = ['-x509', '-days', String(days), '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    const out = ['-subj', '/CN=localhost', '-keyout', files.keyFile, '-out', files.certFile]
    execFileSync('openssl', ['req', ...kind, ...out], { stdio: 'ignore' })
    return files
  }
  const well = await finding({ ...settings, tls: certificateOf(90) }, 'certificate')
  assert.is(well.state, 'ok')
  assert.match(well.says, /: (89|90) days left/)
  assert.is((await finding({ ...settings, tls: certificateOf(5) }, 'certificate')).state, 'warning')
  const none = { certFile: join(root, 'none.pem'), keyFile: join(root, 'none.key') }
  assert.is((await finding({ ...settings, tls: none }, 'certificate')).state, 'fault')

  const carrier = await finding(settings, 'DNS of carrier')
  assert.is(carrier.state, 'fault', 'the name is one that never exists')
  assert.match(carrier.mend ?? '', /dig sip\.carrier\.example/)
  assert.is((await finding({ ...settings, dataFolder: join(root, 'none') }, 'disk')).state, 'fault')
  const small: Settings = { ...settings, media: { ...settings.media, ports: [40_000, 40_099] } }
  assert.match((await finding(small, 'media ports')).says, /100 ports, room for 25 calls/)
})

test('doctor --json: the exit code says whether there is a fault', async () => {
  let out = ''
  const given = parseArguments(['doctor', '--json'], switches, valued)
  const code = await doctor.run({ given, settings, print: text => (out += text), reference })
  const reported = JSON.parse(out)
  assert.equal([code, reported.ok, reported.running], [1, false, null])
  for (const { name, state, says, mend } of reported.findings) {
    assert.ok(name !== '' && says !== '')
    assert.is(mend === undefined, state === 'ok', `${name} says what mends it`)
  }
})

test.run()
