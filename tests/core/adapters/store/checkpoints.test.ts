import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import BetterSqlite from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Checkpoints } from '../../../../core/adapters/store/checkpoints.ts'
import { type Database, databaseFile, openDatabase } from '../../../../core/adapters/store/database.ts'
import { CheckpointLink } from '../../../../core/adapters/store/threads/checkpoint-link.ts'
import { openStore } from '../../../../core/adapters/store/threads/open-store.ts'
import { silentLog } from '../../../../core/adapters/system/silent-log.ts'
import { systemClock } from '../../../../core/adapters/system/system-clock.ts'
import { until } from '../../../rig/probes/wait.ts'

const pageBytes = 4096

/** Pages in the log, and those of them that are in the database file too. */
interface LogPages {
  readonly pages: number
  readonly copied: number
}

const logOf = (connection: BetterSqlite.Database): LogPages => {
  const [row] = connection.pragma('wal_checkpoint(NOOP)') as { log: number; checkpointed: number }[]
  return { pages: row?.log ?? -1, copied: row?.checkpointed ?? -1 }
}

interface Bed {
  readonly database: Database
  readonly folder: string
  readonly checkpoints: Checkpoints
  log(): LogPages
  /** A commit that adds so many pages, and a few more, to the log. */
  write(pages: number): Promise<void>
}

async function withBed(work: (bed: Bed) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-checkpoints-'))
  const database = openDatabase(folder)
  const other = new BetterSqlite(join(folder, databaseFile))
  database.prepare('CREATE TABLE filler (id INTEGER PRIMARY KEY, bytes BLOB)').run()
  const add = database.prepare<[Buffer]>('INSERT INTO filler (bytes) VALUES (?)')
  try {
    const checkpoints = new Checkpoints(other)
    // What the opening has written.
    checkpoints.look()
    checkpoints.look()
    await work({
      database,
      folder,
      checkpoints,
      log: () => logOf(other),
      write: pages => database.write(() => void add.run(Buffer.alloc(pages * pageBytes))),
    })
  } finally {
    other.close()
    database.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

test('a log of many pages is copied, and begins again with the next write', () =>
  withBed(async ({ checkpoints, log, write }) => {
    for (let n = 0; n < 30; n++) await write(100)
    assert.ok(log().pages >= 3000)
    assert.is(log().copied, 0)
    checkpoints.look()
    assert.is(log().copied, log().pages)
    await write(1)
    assert.ok(log().pages < 20, `${log().pages} pages`)
  }))

test('a short log is copied only when nothing was written between two looks', () =>
  withBed(async ({ checkpoints, log, write }) => {
    for (let n = 0; n < 5; n++) {
      await write(10)
      checkpoints.look()
      assert.is(log().copied, 0, `after ${n + 1} writes`)
    }
    checkpoints.look()
    assert.is(log().copied, log().pages)
    checkpoints.look()
    assert.is(log().copied, log().pages)
  }))

test('while a reader looks at an earlier state the log is kept, and copied once it has ended', () =>
  withBed(async ({ checkpoints, folder, log, write }) => {
    await write(1)
    const reader = new BetterSqlite(join(folder, databaseFile), { readonly: true })
    const count = reader.prepare('SELECT count(*) AS rows FROM filler')
    reader.exec('BEGIN')
    assert.equal(count.get(), { rows: 1 })
    for (let n = 0; n < 30; n++) await write(100)
    checkpoints.look()
    assert.equal(count.get(), { rows: 1 })
    assert.ok(log().copied < log().pages)
    reader.exec('COMMIT')
    checkpoints.look()
    assert.is(log().copied, log().pages)
    assert.equal(count.get(), { rows: 31 })
    reader.close()
  }))

test('without anything that copies it a commit does, once it is long', () =>
  withBed(async ({ log, write }) => {
    for (let n = 0; n < 75; n++) await write(100)
    assert.is(log().copied, 0)
    for (let n = 0; n < 10; n++) await write(100)
    assert.ok(log().copied >= 8000 || log().pages < 1000, JSON.stringify(log()))
  }))

const leftIn = (reader: BetterSqlite.Database): number => {
  const { pages, copied } = logOf(reader)
  return pages - copied
}

test('an open store copies its log', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-checkpoints-'))
  const on = await openStore({ folder, publicUrl: 'http://voice.test', clock: systemClock, log: silentLog })
  const other = new BetterSqlite(join(folder, databaseFile))
  try {
    await on.repositories.accounts.create({ name: 'Log', walletBalance: 1 }, Date.now())
    await until('all of the log in the database file', () => leftIn(other) === 0)
  } finally {
    other.close()
    await on.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a thread that copies the log and dies is replaced', () =>
  withBed(async ({ folder, write }) => {
    const other = new BetterSqlite(join(folder, databaseFile))
    const workers: Worker[] = []
    const started = (worker: Worker) => workers.push(worker)
    process.on('worker', started)
    const link = new CheckpointLink({ file: join(folder, databaseFile) }, silentLog)
    try {
      await write(10)
      await until('all of the log in the database file', () => leftIn(other) === 0)
      await workers[0]?.terminate()
      await write(10)
      await until('all of the log in the database file, again', () => leftIn(other) === 0)
      assert.is(workers.length, 2)
    } finally {
      process.off('worker', started)
      await link.close()
      await link.close()
      other.close()
    }
  }))

test.run()
