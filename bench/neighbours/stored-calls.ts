import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'

/** Ended calls of an account with a leg and two events each, as a year of work leaves them; the switch is not running. */
export function storeCalls(dataFolder: string, account: string, calls: number): void {
  const database = new BetterSqlite(join(dataFolder, 'sauti.db'))
  database
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO calls (uuid, sid, account_uuid, direction, from_number, to_number, status, reason_code, cost,
         tts_seconds, created_unix, started_unix, ended_unix, duration_seconds, talk_seconds)
       SELECT 'u' || i, 'CA' || i, ?, iif(i % 2, 'inbound', 'outbound'), '+2547' || (10000000 + i),
         '+2557' || (20000000 + i * 7), 'failed', 'END.0486', 0, 0, 1700000000000 + i * 1000,
         1700000000000 + i * 1000, 1700000060000 + i * 1000, 60, 0 FROM n`,
    )
    .run(calls, account)
  database.exec(
    `INSERT INTO legs (uuid, call_uuid, role, direction, trunk_name, number, started_unix, ended_unix, reason_code)
     SELECT 'l' || id, uuid, 'callee', 'outbound', 'c', to_number, started_unix, ended_unix, reason_code FROM calls`,
  )
  database.close()
}
