import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parseArguments, UsageError } from '../../api/cli/action/arguments.ts'
import { ApiRefusal, ApiUnreachable } from '../../api/cli/action/client.ts'
import { formatFields, formatTable } from '../../api/cli/action/table.ts'
import { commands } from '../../api/cli/commands.ts'
import { commandHelp, groupHelp, groups, mainHelp, switches, valued } from '../../api/cli/help.ts'
import { runAction } from '../../api/cli/run-action.ts'
import { nearest } from '../../core/model/nearest.ts'
import { defaultSettings, type Settings } from '../../core/model/settings.ts'
import { ApiBed, operatorKey } from '../api/bed/api-bed.ts'

const bed = await ApiBed.open()
const base = await bed.app.listen({ host: '127.0.0.1', port: 0 })
const folder = mkdtempSync(join(tmpdir(), 'sauti-cli-'))
const settings: Settings = {
  ...defaultSettings,
  dataFolder: folder,
  operatorKey,
  http: [{ scheme: 'http', address: '0.0.0.0', port: Number(new URL(base).port) }],
}
process.env.SAUTI_API_KEY = bed.key

async function sauti(...argv: string[]): Promise<string> {
  const given = parseArguments(argv, switches, valued)
  const group = groups.find(group => group.name === given.words[0])
  if (group === undefined) throw new Error(`no group ${argv[0]}`)
  const { text, exit } = await runAction(group, given, settings)
  lastExit = exit
  return text
}
/** Of the last action that was not refused. */
let lastExit = 0
const json = async (...argv: string[]) => JSON.parse(await sauti(...argv, '--json'))
const file = (name: string, content: string | Buffer) => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}
const refused = (promise: Promise<unknown>, kind: new (...args: never[]) => Error, text: RegExp) =>
  promise.then(
    () => assert.unreachable(),
    (fault: unknown) => {
      assert.instance(fault, kind)
      assert.match((fault as Error).message, text)
    },
  )

test('words, flags, switches, and what stands after --', () => {
  const parsed = parseArguments(
    ['account', 'credit', '--json', '--reference=a=b', '--api', 'http://x', '--', 'u', '-12.50'],
    switches,
    valued,
  )
  assert.equal(parsed.words, ['account', 'credit', 'u', '-12.50'])
  assert.equal(
    [...parsed.flags],
    [
      ['json', true],
      ['reference', 'a=b'],
      ['api', 'http://x'],
    ],
  )
  assert.throws(() => parseArguments(['--api'], switches, valued), /--api wants a value/)
  assert.throws(() => parseArguments(['--api', '--json'], switches, valued), /--api wants a value/)
})

test('what was meant', () => {
  assert.is(nearest('acount', ['account', 'number']), 'account')
  assert.is(nearest('trnuk', ['account', 'trunk']), undefined)
  assert.is(nearest('serv', ['serve', 'check']), 'serve')
  assert.is(nearest('zzz', ['serve', 'check']), undefined)
})

test('tables and fields for people', () => {
  const table = formatTable(
    [
      { a: 'x', b: { c: [1, 2] } },
      { a: '', b: { c: [] } },
    ],
    [
      ['first', 'a'],
      ['list', 'b.c'],
    ],
  )
  assert.is(table, 'FIRST  LIST\nx      1,2\n-      -')
  assert.is(formatFields({ a: true, long_name: null }), 'a          yes\nlong_name  -')
})

test('accounts, from making to suspending', async () => {
  const made = await json('account', 'create', '--name', 'By CLI', '--balance', '20', '--max-cps', '3')
  const { uuid } = made.account
  assert.match(made.key, /^vk_/)
  assert.match(await sauti('account', 'list'), /By CLI +active +20\.00/)
  assert.match(await sauti('account', 'credit', uuid, '5', '--reference', 'r1'), /wallet_balance +25\.00/)
  assert.match(await sauti('account', 'credit', '--', uuid, '-12.50'), /wallet_balance +12\.50/)
  assert.match(await sauti('account', 'set', uuid, '--status', 'suspended'), /status +suspended/)
  assert.match(await sauti('account', 'ledger', uuid), /credit +-12\.50/)
  assert.match(await sauti('account', 'key', uuid, '--name', 'second'), /key +vk_/)
  assert.match(await sauti('account', 'list', '--limit', '1'), /1 of 2/)
})

test('numbers, trunks, rates', async () => {
  const { uuid } = await json('number', 'add', '+254711000009', '--fee', '1.5')
  assert.match(await sauti('number', 'list'), /\+254711000009 +1\.50/)
  assert.match(await sauti('number', 'acquire', uuid), /acquired_at/)
  assert.match(await sauti('number', 'webhook', uuid, 'https://a.test/v'), /custom/)
  assert.match(await sauti('number', 'owned'), /https:\/\/a\.test\/v +custom/)
  assert.is(await sauti('number', 'release', uuid), '+254711000009 is back in the pool.')
  assert.is(await sauti('number', 'remove', uuid), 'The number is gone.')

  const trunk = await json(
    'trunk',
    'create',
    '--name',
    'T',
    '--host',
    '127.0.0.1',
    '--port',
    '5070',
    '--prefixes',
    '+254,255',
    '--inbound-hosts',
    '127.0.0.0/8',
    '--register',
  )
  assert.equal([trunk.prefixes, trunk.register, trunk.port], [['+254', '+255'], true, 5070])
  assert.match(await sauti('trunk', 'set', trunk.uuid, '--priority', '9'), /priority +9/)
  assert.match(await sauti('trunk', 'list'), /\+254,\+255/)
  assert.is(await sauti('trunk', 'remove', trunk.uuid), 'The trunk is removed.')

  const deck = file('rates.yaml', '- { prefix: "+254", direction: outbound, rate_per_minute: "3" }\n')
  assert.match(await sauti('rate', 'set', deck), /\+254 +outbound +3\.00 +60/)
  assert.match(await sauti('rate', 'list'), /\+254 +outbound/)
  assert.match(await sauti('rate', 'allow', '--blocked', '+252,+253'), /blocked +\+252,\+253/)
  assert.match(await sauti('rate', 'allow', '--allowed', '+881'), /allowed +\+881/)
  assert.match(await sauti('rate', 'destinations'), /blocked +\+252,\+253/, 'a list that is not given stays')
  assert.match(await sauti('rate', 'allow', '--blocked', ''), /blocked +-/)
  assert.match(await sauti('rate', 'destinations'), /allowed +\+881/)
  await refused(sauti('rate', 'allow'), UsageError, /give --blocked, --allowed or both/)
})

test('documents, assets, calls, drain', async () => {
  const text = file('greet.xml', '<Response><Say>Hi</Say></Response>')
  const document = await json('document', 'create', 'Greeting', text)
  assert.match(await sauti('document', 'list'), new RegExp(document.url))
  assert.match(await sauti('document', 'check', text), /valid +yes/)
  assert.is(lastExit, 0)
  assert.match(await sauti('document', 'check', file('bad.xml', '<Reply/>')), /valid +no/)
  assert.is(lastExit, 1, 'a script need not read the answer')
  assert.match(await sauti('document', 'set', document.uuid, 'Other', text), /Other/)
  assert.is(await sauti('document', 'remove', document.uuid), 'The document is deleted.')

  await refused(sauti('asset', 'put', 'tone', text), ApiRefusal, /no audio/)
  assert.is(await sauti('asset', 'list'), 'SLUG  FORMAT  SECONDS  BYTES  CREATED')
  const placed = await json(
    'call',
    'originate',
    '--to',
    '+254722000001',
    '--from',
    '+254700000001',
    '--url',
    'https://a.test/',
    '--timeout',
    '9',
  )
  assert.match(await sauti('call', 'live'), new RegExp(`${placed.sid} +outbound .* 1$`, 'm'))
  assert.match(await sauti('call', 'list', '--status', 'initiated'), new RegExp(placed.sid))
  assert.match(await sauti('call', 'trace', placed.sid), /the call goes on$/)
  assert.is((await json('call', 'trace', placed.sid)).sid, placed.sid)
  const pcap = ['call', 'trace', placed.sid, '--operator', '--pcap', join(folder, 'call.pcapng')]
  await refused(sauti(...pcap), ApiRefusal, /no such call/)
  await refused(sauti(...pcap, '--audio'), ApiRefusal, /no such call/)
  assert.match(await sauti('call', 'hangup', placed.sid), /END\.0201/)
  assert.match(await sauti('drain', '--seconds', '3'), /draining +yes/)
  assert.match(await sauti('drain', 'stop'), /draining +no/)
})

test('mistakes are reported, with what was meant', async () => {
  await refused(sauti('account', 'lst'), UsageError, /did you mean "list"/)
  await refused(sauti('account'), UsageError, /list, create, show/)
  await refused(sauti('account', 'show'), UsageError, /uuid is missing/)
  await refused(sauti('account', 'list', 'x'), UsageError, /"x" is one argument too many/)
  await refused(sauti('account', 'create', '--nmae', 'x'), UsageError, /did you mean "--name"/)
  await refused(sauti('account', 'list', '--foo'), UsageError, /"--foo" is no flag of sauti account list/)
  await refused(sauti('account', 'create', '--nmae', '--json'), UsageError, /did you mean "--name"/)
  await refused(sauti('trunk', 'create', '--port', 'x'), UsageError, /whole number/)
  await refused(
    sauti('document', 'check', join(folder, 'none.xml')),
    UsageError,
    /cannot be read: there is no such file \(ENOENT\)/,
  )
  const actions = 'known are list, create, show, set, credit, key, link, ledger'
  await refused(sauti('account', 'nosuch'), UsageError, new RegExp(`^"nosuch" is no action of account; ${actions}$`))
  await refused(sauti('account', 'lst'), UsageError, new RegExp(`did you mean "list"\\? ${actions}$`))
  for (const url of ['nonsense', 'ftp://a.test', 'http://', 'localhost:8080', 'http://u:p@a.test', '//a.test'])
    await refused(
      sauti('account', 'list', '--api', url),
      UsageError,
      /^--api: ".*" is no address of an API: write a URL, /,
    )
  await refused(sauti('account', 'show', '../../keys'), ApiRefusal, /no such account/)
  await refused(sauti('account', 'create'), ApiRefusal, /^name: is required$/)
  await refused(sauti('account', 'list', '--api', 'http://127.0.0.1:9'), ApiUnreachable, /is "sauti serve" running/)
  await refused(sauti('account', 'list', '--api', 'http://127.0.0.1:9'), ApiUnreachable, /^no answer from .*:9 \(/)
  delete process.env.SAUTI_API_KEY
  await refused(sauti('number', 'owned'), UsageError, /SAUTI_API_KEY/)
})

test('help names every command, action and setting', () => {
  for (const group of groups) {
    assert.match(mainHelp(), group.name)
    for (const action of group.actions)
      assert.ok(groupHelp(group).replaceAll(/\s+/g, ' ').includes(action.summary), action.summary)
  }
  for (const name of ['SAUTI_HTTP', '--data', 'SAUTI_OPERATOR_KEY', 'drain.seconds'])
    assert.match(commandHelp(commands.find(({ name }) => name === 'serve')!), name)
})

test('the program itself: codes and streams', () => {
  const main = new URL('../../api/cli/main.ts', import.meta.url).pathname
  const run = (args: string[], env: Record<string, string> = {}) => {
    const done = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, ...env },
      timeout: 60_000,
    })
    return [done.status, done.stdout.trim(), done.stderr.trim()] as const
  }
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  assert.equal(run(['--version']), [0, version, ''])
  const [code, out, err] = run(['serv'])
  assert.equal([code, out], [2, ''])
  assert.match(err, /did you mean "serve"/)
  const problems = run(['serve', '--http', 'x', '--data', ' '], { SAUTI_LOG: 'loud', SAUTI_SIP: 'udp' })
  assert.is(problems[0], 2)
  for (const name of ['--http', '--data', 'SAUTI_LOG', 'SAUTI_SIP'])
    assert.match(problems[2], new RegExp(`^${name}: `, 'm'))
  const tls = run(['serve', '--sip', 'tls:127.0.0.1:0', '--log', 'loud'])
  assert.equal([tls[0], tls[2].match(/^SAUTI_TLS_CERT: is needed/m)?.length], [2, 1])
  // With --json a failure is JSON too, where the answer would be.
  const failed = (...args: string[]) => {
    const [code, out, err] = run([...args, '--json'], { SAUTI_OPERATOR_KEY: operatorKey })
    assert.is(err, '')
    return [code, JSON.parse(out)]
  }
  const usage = '"lst" is no action of account; did you mean "list"? known are '
  const [usageCode, { detail, ...rest }] = failed('account', 'lst')
  assert.equal([usageCode, detail.startsWith(usage), rest], [2, true, {}])
  const [noAnswer, reported1] = failed('account', 'list', '--api', 'http://127.0.0.1:9')
  assert.is(noAnswer, 1)
  assert.match(reported1.detail, /^no answer from http:\/\/127\.0\.0\.1:9 \(/)
  assert.equal(failed('account', 'list', '--http', 'x'), [
    2,
    {
      detail: '--http: "x" must be address:port, as 127.0.0.1:8080 or https:0.0.0.0:8443',
      errors: [{ field: '--http', message: '"x" must be address:port, as 127.0.0.1:8080 or https:0.0.0.0:8443' }],
    },
  ])
  assert.match(run(['help', 'account'])[1], /^usage: sauti account ACTION/)
  assert.equal(run(['serve', '--nope']), [2, '', '"--nope" is no flag\nRun sauti --help for details.'])
  assert.is(run(['check', '--data', join(folder, 'nothing')])[0], 1)
  mkdirSync(join(folder, 'damaged'))
  file('damaged/sauti.db', Buffer.alloc(5000, 7))
  const damaged = ['--data', join(folder, 'damaged')]
  const [notChecked, reported] = run(['check', ...damaged])
  assert.is(notChecked, 1)
  assert.match(reported, /^Not checked: the data folder .* its database is damaged, or is none: restore a backup/)
  assert.is(JSON.parse(run(['check', '--json', ...damaged])[1]).ok, false)
  const [refusedCode, log] = run(['serve', ...damaged, '--sip', 'udp:127.0.0.1:0', '--http', '127.0.0.1:0'])
  assert.is(refusedCode, 1)
  assert.match(JSON.parse(log).msg, /is damaged, or is none/)
  if (process.platform === 'linux') {
    // No folder can be made there, and Node's recursive mkdir does not say so.
    const free = ['--sip', 'udp:127.0.0.1:0', '--http', '127.0.0.1:0']
    const [notMade, reported2] = run(['serve', ...free], { SAUTI_DATA: '/proc/x' })
    assert.is(notMade, 1)
    assert.match(JSON.parse(reported2).msg, /^the data folder \/proc\/x cannot be used: it cannot be made, /)
  }
  const checked = run(['check', '--data', bed.store.database.folder])
  assert.is(checked[0], 0)
  assert.match(checked[1], /balance\.$/)
})

test.after(async () => {
  await bed.close()
  rmSync(folder, { recursive: true, force: true })
})
test.run()
