import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkBooks } from '../../../../core/adapters/store/check.ts'
import { openDatabase } from '../../../../core/adapters/store/database.ts'
import { firstSchema } from '../../../../core/adapters/store/first-schema.ts'
import { mediaHostsSchema } from '../../../../core/adapters/store/schema-media-hosts.ts'
import { secondSchema } from '../../../../core/adapters/store/second-schema.ts'
import { Trunks } from '../../../../core/adapters/store/trunks.ts'

test('a trunk of a database from before media_hosts and media_source has the defaults, and can be given others', async () => {
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
    assert.is(trunks.current()[0]?.mediaSource, 'learned')
    await trunks.change('t', { mediaHosts: ['198.51.100.0/24'], mediaSource: 'signalled' })
    const [changed] = new Trunks(database).current()
    assert.equal([changed?.mediaHosts, changed?.mediaSource], [['198.51.100.0/24'], 'signalled'])
    await database.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a leg of a database from before Dials were named in rows names none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-migrations-'))
  try {
    const old = new BetterSqlite(join(folder, 'sauti.db'))
    old.exec(firstSchema)
    old.pragma('user_version = 1')
    old.exec(`INSERT INTO legs (uuid, call_uuid, role, direction, trunk_name, number, started_unix, reason_code)
      VALUES ('l', 'c', 'callee', 'outbound', 'carrier', '+254712345678', 1, '')`)
    old.close()
    const database = openDatabase(folder)
    const [leg] = database.all(database.sql.selectFrom('legs').selectAll())
    assert.equal([leg?.number, leg?.dial], ['+254712345678', null])
    await database.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('what an older database stores of an account is counted, and goes on being counted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-migrations-'))
  try {
    const old = new BetterSqlite(join(folder, 'sauti.db'))
    for (const schema of [firstSchema, secondSchema, mediaHostsSchema]) old.exec(schema)
    old.pragma('user_version = 3')
    const recording = (uuid: string, size: string, purged = 'NULL') =>
      `INSERT INTO recordings (uuid, account_uuid, call_uuid, call_sid, path, size_bytes, media_format, created_unix, purged_unix)
       VALUES ('${uuid}', 'a', 'c', 'CA1', 'p', ${size}, 'wav', 1, ${purged})`
    const asset = (slug: string, size: number) =>
      `INSERT INTO assets VALUES ('a', '${slug}', 'wav', 1, ${size}, 'p', 1) ON CONFLICT DO UPDATE SET size_bytes = excluded.size_bytes`
    const user = (id: string) => `INSERT INTO end_users VALUES ('u${id}', 'a', 'e${id}', '', '${id}', 1, 1)`
    const document = (id: string) => `INSERT INTO documents VALUES ('d${id}', 'a', 'n', 'b', 't${id}', 1, 1)`
    old.exec(`INSERT INTO accounts (uuid, name, status, fallback_mode, fallback_value, signing_secret, created_unix)
      VALUES ('a', 'A', 'active', 'drop', '', '', 1), ('b', 'B', 'active', 'drop', '', '', 1)`)
    for (const sql of [recording('1', '100'), recording('2', '1000', '5'), recording('3', 'NULL'), asset('x', 10)])
      old.exec(sql)
    for (const sql of [user('1'), user('2'), document('1')]) old.exec(sql)
    old.close()
    const database = openDatabase(folder)
    const counted = () =>
      database
        .prepare(
          'SELECT asset_bytes a, recording_bytes r, document_count d, end_user_count u FROM accounts ORDER BY uuid',
        )
        .raw()
        .all()
    assert.equal(counted(), [
      [10, 100, 1, 2],
      [0, 0, 0, 0],
    ])
    const changes: readonly [sql: string, counts: number[]][] = [
      [asset('x', 25), [25, 100, 1, 2]],
      [asset('y', 5), [30, 100, 1, 2]],
      ["DELETE FROM assets WHERE slug = 'x'", [5, 100, 1, 2]],
      ["UPDATE recordings SET size_bytes = 7 WHERE uuid = '3'", [5, 107, 1, 2]],
      ["UPDATE recordings SET purged_unix = 9 WHERE uuid = '1'", [5, 7, 1, 2]],
      ["UPDATE recordings SET size_bytes = 9999 WHERE uuid = '1'", [5, 7, 1, 2]],
      [recording('4', '3'), [5, 10, 1, 2]],
      [document('2'), [5, 10, 2, 2]],
      ["DELETE FROM documents WHERE uuid = 'd1'", [5, 10, 1, 2]],
      ['DELETE FROM end_users', [5, 10, 1, 0]],
    ]
    for (const [sql, counts] of changes) {
      database.prepare(sql).run()
      assert.equal(counted()[0], counts, sql)
      assert.equal(checkBooks(database), [])
    }
    database.prepare("UPDATE accounts SET document_count = 3 WHERE uuid = 'a'").run()
    assert.equal(
      checkBooks(database).map(({ rule }) => rule),
      ['what an account stores is counted right'],
    )
    await database.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test.run()
