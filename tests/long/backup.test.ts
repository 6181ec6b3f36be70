import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import BetterSqlite from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { restoreBackup } from '../../core/adapters/backup/restore-backup.ts'
import { takeBackup } from '../../core/adapters/backup/take-backup.ts'
import { checkBooks } from '../../core/adapters/store/check.ts'
import { openDatabase } from '../../core/adapters/store/database.ts'
import { schemaVersion } from '../../core/adapters/store/migrations.ts'

const root = mkdtempSync(join(tmpdir(), 'sauti-backup-'))
test.after(() => rmSync(root, { recursive: true, force: true }))
const main = new URL('../../api/cli/main.ts', import.meta.url).pathname
const writer = new URL('../rig/fakes/ledger-writer.ts', import.meta.url).pathname
const program = [process.execPath, '--disable-warning=ExperimentalWarning', main] as const

function sauti(...args: string[]): { code: number | null; out: string; err: string } {
  const [node, ...rest] = program
  const done = spawnSync(node, [...rest, ...args], { cwd: root, encoding: 'utf8' })
  return { code: done.status, out: done.stdout, err: done.stderr }
}

/** A process that opens, settles and bills calls as fast as it can, once the first has settled. */
async function load(folder: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [writer, folder, '7'], { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise(resolve => child.stdout.once('data', resolve))
  child.stdout.resume()
  return child
}

async function end(child: ChildProcess): Promise<void> {
  const gone = new Promise(resolve => child.once('close', resolve))
  child.kill('SIGKILL')
  await gone
}

test('backups under load restore to books that balance, each call in them consistent', async () => {
  const data = join(root, 'loaded')
  const child = await load(data)
  mkdirSync(join(data, 'recordings'), { recursive: true })
  writeFileSync(join(data, 'recordings', 'a.wav'), 'sound')
  writeFileSync(join(data, 'operator.key'), 'op_test\n')
  let before = 0
  try {
    for (const round of [1, 2]) {
      const into = join(root, `backup-${round}`)
      const taken = await takeBackup({ dataFolder: data, into, program: 'test' })
      assert.equal(taken.files.map(({ path }) => path).sort(), ['operator.key', 'recordings/a.wav', 'sauti.db'])
      const trial = join(root, `trial-${round}`)
      await restoreBackup({ from: into, dataFolder: trial, replace: false })
      assert.is(readFileSync(join(trial, 'recordings', 'a.wav'), 'utf8'), 'sound')
      const database = openDatabase(trial, { readOnly: true })
      assert.equal(checkBooks(database), [], `round ${round}`)
      const calls = database.all(database.sql.selectFrom('calls').select('uuid')).length
      database.close()
      assert.ok(calls > before, `${calls} calls after ${before}: the writer went on`)
      before = calls
      await sleep(200)
    }
  } finally {
    await end(child)
  }
})

test('by the command: refuses a place that is taken, restores, puts aside, checks; damage is found', async () => {
  const data = join(root, 'loaded')
  const into = join(root, 'by-command')
  const first = sauti('backup', into, '--data', data, '--json')
  assert.is(first.code, 0, first.err)
  assert.is(JSON.parse(first.out).files, 3)
  assert.match(sauti('backup', into, '--data', data).err, /exists already: name a new folder/)
  assert.match(sauti('restore', into, '--data', data).err, /is not empty: .* --replace/)
  const again = sauti('restore', into, '--data', data, '--replace')
  assert.is(again.code, 0, again.err)
  assert.match(again.out, /The former one is .*before-restore-[\s\S]*balance\./)
  writeFileSync(join(into, 'operator.key'), 'op_evil\n')
  const damaged = sauti('restore', into, '--data', join(root, 'none'))
  assert.is(damaged.code, 1)
  assert.match(damaged.err, /is damaged: operator\.key is not what backup\.json says/)
  assert.not(existsSync(join(root, 'none')))
})

test('a running switch is not restored over', async () => {
  const data = join(root, 'running')
  const child = await load(data)
  try {
    const into = join(root, 'of-running')
    assert.is(sauti('backup', into, '--data', data).code, 0)
    assert.match(sauti('restore', into, '--data', data, '--replace').err, /a switch runs on .*: stop it first/)
  } finally {
    await end(child)
  }
})

test('kill -9 in the middle leaves nothing that looks like a backup, and the next one cleans up', async () => {
  const data = join(root, 'loaded')
  mkdirSync(join(data, 'recordings', 'many'), { recursive: true })
  for (let at = 0; at < 600; at++) writeFileSync(join(data, 'recordings', 'many', `${at}.wav`), Buffer.alloc(2000, at))
  const into = join(root, 'killed')
  const [node, ...rest] = program
  const partials = () => readdirSync(root).filter(name => name.startsWith('killed'))
  for (const copied of [0, 50]) {
    const child = spawn(node, [...rest, 'backup', into, '--data', data], { stdio: 'ignore' })
    const folder = join(root, `killed.partial-${child.pid}`)
    const count = () =>
      existsSync(join(folder, 'recordings/many')) ? readdirSync(join(folder, 'recordings/many')).length : 0
    while (!existsSync(folder) || count() < copied) {
      assert.is(child.exitCode, null, 'it ended before it could be killed')
      await sleep(1)
    }
    await end(child)
    assert.not(existsSync(into))
    assert.equal(partials(), [`killed.partial-${child.pid}`], 'those of before are removed')
    assert.match(sauti('restore', folder, '--data', join(root, 'never')).err, /is not a complete backup: backup\.json/)
  }
  assert.is(sauti('backup', into, '--data', data).code, 0)
  assert.equal(partials(), ['killed'])
  // Of another night, and a restore that was killed; what is not ours, or still goes on, stays.
  const gone = spawnSync(node, ['--version']).pid
  const kept = [`2026-03-02.partial-${process.pid}`, `2026-03-03.partial-${gone}`, `notes.partial-${gone}`]
  for (const name of [`2026-03-01.partial-${gone}`, ...kept]) {
    mkdirSync(join(root, name))
    const file = join(root, name, name.startsWith('notes') ? 'notes.txt' : 'sauti.db')
    writeFileSync(file, 'x')
    const dayAgo = Date.now() / 1000 - 86_400
    if (!name.startsWith('2026-03-03')) utimesSync(file, dayAgo, dayAgo)
  }
  mkdirSync(join(root, `restored.restoring-${gone}`))
  assert.is(sauti('backup', join(root, 'after'), '--data', data).code, 0)
  assert.is(sauti('restore', join(root, 'after'), '--data', join(root, 'restored')).code, 0)
  assert.equal(
    readdirSync(root).filter(name => /\.(partial|restoring)-/.test(name)),
    kept,
  )
})

test('upgrade --check: same schema, older, newer; a newer one is refused at the start with what to do', () => {
  const data = join(root, 'loaded')
  assert.match(sauti('upgrade', '--check', '--data', data).out, /nothing is to be migrated/)
  assert.match(sauti('upgrade', '--check', '--data', join(root, 'empty')).out, /has no database yet/)
  const setVersion = (version: number) => {
    const sqlite = new BetterSqlite(join(data, 'sauti.db'))
    sqlite.pragma(`user_version = ${version}`)
    sqlite.close()
  }
  setVersion(schemaVersion - 1)
  const older = sauti('upgrade', '--check', '--data', data)
  assert.is(older.code, 0)
  assert.match(
    older.out,
    new RegExp(`${schemaVersion - 1} to ${schemaVersion}: [\\s\\S]*sauti backup DIR[\\s\\S]*sauti restore`),
  )
  setVersion(schemaVersion + 1)
  assert.is(sauti('upgrade', '--check', '--json', '--data', data).code, 1)
  const refused = sauti('serve', '--data', data, '--sip', 'udp:127.0.0.1:0', '--http', '127.0.0.1:0')
  assert.is(refused.code, 1)
  assert.match(refused.out, /start the newer program that wrote it, or restore a backup from before the upgrade/)
})

test.run()
