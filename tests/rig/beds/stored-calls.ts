import BetterSqlite from 'better-sqlite3'

/** Ended calls with a leg each, as a year of work leaves them. */
export function storeCalls(file: string, account: string, count: number): void {
  const database = new BetterSqlite(file)
  database
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO calls (uuid, sid, account_uuid, direction, from_number, to_number, status, reason_code, cost,
         tts_seconds, created_unix, started_unix, ended_unix, duration_seconds, talk_seconds)
       SELECT 'u' || i, 'CA' || i, ?, iif(i % 2, 'inbound', 'outbound'), '+2547' || (10000000 + i),
         '+2557' || (20000000 + i * 7), 'failed', 'END.0486', 0, 0, 1700000000000 + i * 1000,
         1700000000000 + i * 1000, 1700000060000 + i * 1000, 60, 0 FROM n`,
    )
    .run(count, account)
  database.exec(
    `INSERT INTO legs (uuid, call_uuid, role, direction, trunk_name, number, started_unix, ended_unix, reason_code)
     SELECT 'l' || id, uuid, 'callee', 'outbound', 'c', to_number, started_unix, ended_unix, reason_code FROM calls`,
  )
  database.close()
}
