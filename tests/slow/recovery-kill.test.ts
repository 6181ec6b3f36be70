import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkBooks } from '../../core/adapters/store/check.ts'
import { openDatabase } from '../../core/adapters/store/database.ts'
import { recover } from '../../core/adapters/store/recovery.ts'
import { storeOver } from '../../core/adapters/store/store.ts'
import { silentLog } from '../../core/adapters/system/silent-log.ts'
import { systemClock } from '../../core/adapters/system/system-clock.ts'
import { seeded } from '../core/bed/seeded.ts'

const rounds = 8
const writer = new URL('../rig/fakes/ledger-writer.ts', import.meta.url).pathname

/** Runs the writer, kills it `afterMs` after its first settled call, and gives the calls that it called settled. */
function writeUntilKilled(folder: string, seed: number, afterMs: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [writer, folder, String(seed)], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let complaint = ''
    let armed = false
    child.stderr.on('data', chunk => {
      complaint += chunk
    })
    child.stdout.on('data', chunk => {
      output += chunk
      if (armed) return
      armed = true
      setTimeout(() => child.kill('SIGKILL'), afterMs)
    })
    child.on('close', (_code, signal) => {
      if (signal !== 'SIGKILL') return reject(new Error(`the writer ended by itself: ${complaint}`))
      // The last line may be cut.
      const lines = output.slice(0, output.lastIndexOf('\n')).split('\n')
      resolve(lines.map(line => line.replace('settled ', '')))
    })
  })
}

test('killed at any moment: durable changes are kept, open calls are closed and billed, and the books are right', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-kill-'))
  const random = seeded(Number(process.env.SAUTI_TEST_SEED ?? 51))
  const settled = new Set<string>()
  let interrupted = 0
  for (let round = 0; round < rounds; round++) {
    for (const call of await writeUntilKilled(folder, round * 1000, random.below(250))) settled.add(call)
    const database = openDatabase(folder)
    const store = storeOver(database, { clock: systemClock, log: silentLog })
    const recovered = await recover(store, { recordingsFolder: folder, unixMs: Date.now(), uuid: randomUUID })
    interrupted += recovered.calls
    assert.equal(checkBooks(database), [], `round ${round}`)
    const rows = database.all(database.sql.selectFrom('calls').select(['uuid', 'status', 'reason_code', 'ended_unix']))
    const byUuid = new Map(rows.map(row => [String(row.uuid), row]))
    for (const call of settled) assert.is(byUuid.get(call)?.reason_code, 'END.0200', call)
    for (const row of rows) {
      assert.ok(row.status === 'completed' || row.status === 'failed', row.status)
      assert.type(row.ended_unix, 'number')
    }
    assert.is(database.get(database.sql.selectFrom('accounts').select('held'))?.held, 0)
    const dials = database.prepare<[], { ends: number }>(
      `SELECT sum(code <> 'DIAL.0100') AS ends FROM events WHERE code LIKE 'DIAL.%' GROUP BY data ->> 'dial_sid'`,
    )
    const ends = dials.all().map(row => row.ends)
    assert.ok(ends.length > 0 && ends.every(count => count === 1), `round ${round}: a dialled leg ends once`)
    database.close()
  }
  assert.ok(settled.size > 50 && interrupted > 5, `${settled.size} settled, ${interrupted} interrupted`)
  rmSync(folder, { recursive: true, force: true })
})

test.run()
