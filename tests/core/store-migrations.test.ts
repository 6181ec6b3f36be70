import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openDatabase } from '../../core/adapters/store/database.ts'
import { firstSchema } from '../../core/adapters/store/first-schema.ts'
import { secondSchema } from '../../core/adapters/store/second-schema.ts'
import { Trunks } from '../../core/adapters/store/trunks.ts'

test('a trunk of a database from before media_hosts has none, and can be given some', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-migrations-'))
  try {
    const old = new BetterSqlite(join(folder, 'sauti.db'))
    old.exec(firstSchema)
    old.exec(secondSchema)
    old.pragma('user_version = 2')
    old.exec(`INSERT INTO trunks (uuid, name, host, port, transport, username, password, register, inbound_hosts, prefixes,
      strip, prepend, priority, weight, max_calls, max_cps, codecs, options_ping_seconds, srtp, created_unix)
      VALUES ('t', 'Carrier', '192.0.2.1', 0, 'udp', '', '', 0, '[]', '[]', 0, '', 0, 1, 0, 0, '[]', 0, 'off', 1)`)
    old.close()
    const database = openDatabase(folder)
    const trunks = new Trunks(database)
    assert.equal(trunks.current()[0]?.mediaHosts, [])
    await trunks.change('t', { mediaHosts: ['198.51.100.0/24'] })
    assert.equal(new Trunks(database).current()[0]?.mediaHosts, ['198.51.100.0/24'])
    await database.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test.run()
