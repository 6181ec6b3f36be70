import { checkBooks } from '../../core/adapters/store/check.ts'
import type { Database } from '../../core/adapters/store/database.ts'

interface Observed {
  /** By the id of its event: how often the customer's server got each callback. */
  readonly callbacks: ReadonlyMap<string, number>
  /** Calls that the API has answered 201 for. */
  readonly acknowledged: ReadonlySet<string>
}

/** Events that go to the customer's server as callbacks. */
const callbackCodes = `code LIKE 'CALL.%' OR code LIKE 'DIAL.%' OR code LIKE 'REC.%' OR code LIKE 'BILL.%'`

/** Holds the rows of a stopped switch against what was sent to the outside. */
export function findingsIn(database: Database, { callbacks, acknowledged }: Observed) {
  const rows = <Row>(sql: string): Row[] => database.prepare<[], Row>(sql).all()
  const count = (sql: string): number => rows<{ n: number }>(sql)[0]?.n ?? 0
  const findings: string[] = checkBooks(database).map(({ rule, subject, detail }) => `${rule}: ${subject} ${detail}`)
  const expect = (what: string, found: number): void => {
    if (found > 0) findings.push(`${found} ${what}`)
  }
  expect('calls are open', count('SELECT count(*) AS n FROM calls WHERE ended_unix IS NULL'))
  expect('legs are open', count('SELECT count(*) AS n FROM legs WHERE ended_unix IS NULL'))
  expect('holds are open', count('SELECT count(*) AS n FROM holds WHERE settled_unix IS NULL'))
  expect(
    'calls have not exactly one last event',
    count(`SELECT count(*) AS n FROM (
             SELECT c.uuid FROM calls c LEFT JOIN events e ON e.call_uuid = c.uuid AND e.code IN ('CALL.0300', 'CALL.0400')
              GROUP BY c.uuid HAVING count(e.id) <> 1)`),
  )
  expect(
    'calls have not exactly one first event',
    count(`SELECT count(*) AS n FROM (
             SELECT c.uuid FROM calls c LEFT JOIN events e ON e.call_uuid = c.uuid AND e.code = 'CALL.0100'
              GROUP BY c.uuid HAVING count(e.id) <> 1)`),
  )
  expect(
    'dialled legs have not exactly one last event',
    count(`SELECT count(*) AS n FROM (
             SELECT 1 FROM events WHERE code LIKE 'DIAL.%' GROUP BY data ->> 'dial_sid'
             HAVING sum(code IN ('DIAL.0300', 'DIAL.0400')) <> 1)`),
  )
  const events = rows<{ uuid: string; code: string }>(`SELECT uuid, code FROM events WHERE ${callbackCodes}`)
  expect('events have the id of another', events.length - new Set(events.map(({ uuid }) => uuid)).size)
  const lost = events.filter(({ uuid }) => !callbacks.has(uuid))
  expect(`events never reached the customer (${[...new Set(lost.map(({ code }) => code))].join(', ')})`, lost.length)
  const known = new Set(events.map(({ uuid }) => uuid))
  expect('callbacks are of events that no row holds', [...callbacks.keys()].filter(id => !known.has(id)).length)
  const sids = new Set(rows<{ sid: string }>('SELECT sid FROM calls').map(({ sid }) => sid))
  expect('calls were acknowledged and are not there', [...acknowledged].filter(sid => !sids.has(sid)).length)
  return {
    calls: sids.size,
    interrupted: count(`SELECT count(*) AS n FROM calls WHERE reason_code = 'END.5410'`),
    events: events.length,
    findings,
  }
}
