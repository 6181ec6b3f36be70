import { billedSecondsFor, chargeFor } from '../../billing/charge.ts'
import type { Money } from '../../model/money.ts'
import { formatMoney } from '../../model/money.ts'
import type { Database } from './database.ts'
import { rateOfHold } from './holds.ts'
import type { Row } from './schema.ts'

/** Something that the books say and that cannot be. */
export interface BookProblem {
  readonly rule: string
  /** The account, transaction, hold or call. */
  readonly subject: string
  readonly detail: string
}

interface Rule {
  readonly rule: string
  /** Rows that break it: `subject`, `is` and, where there is one, `expected`. Both are money unless `plain`. */
  readonly sql: string
  readonly plain?: true
}

/** Whole seconds between two moments, begun ones included, as calls count them. */
const seconds = (from: string, to: string): string => `max(0, (${to} - ${from} + 999) / 1000)`

const rules: readonly Rule[] = [
  {
    rule: 'the entries of all books sum to 0',
    sql: "SELECT 'all books' AS subject, sum(amount) AS [is], 0 AS expected FROM ledger_entries HAVING sum(amount) <> 0",
  },
  {
    rule: 'a transaction has at least two entries',
    sql: `SELECT 'transaction ' || t.id AS subject, count(e.id) AS [is], 2 AS expected
            FROM ledger_transactions t LEFT JOIN ledger_entries e ON e.transaction_id = t.id
           GROUP BY t.id HAVING count(e.id) < 2`,
    plain: true,
  },
  {
    rule: 'the entries of a transaction sum to 0',
    sql: `SELECT 'transaction ' || transaction_id AS subject, sum(amount) AS [is], 0 AS expected
            FROM ledger_entries GROUP BY transaction_id HAVING sum(amount) <> 0`,
  },
  {
    rule: "a transaction's customer entry is in the book of its account",
    sql: `SELECT 'transaction ' || t.id AS subject, t.account_uuid AS expected, count(e.id) AS [is]
            FROM ledger_transactions t
            LEFT JOIN ledger_entries e ON e.transaction_id = t.id AND e.book = 'customer:' || t.account_uuid
           GROUP BY t.id HAVING count(e.id) <> 1`,
    plain: true,
  },
  {
    rule: "a balance is the sum of the account's entries",
    sql: `SELECT 'account ' || a.uuid AS subject, a.balance AS [is], coalesce(s.total, 0) AS expected
            FROM accounts a
            LEFT JOIN (SELECT book, sum(amount) AS total FROM ledger_entries GROUP BY book) s
              ON s.book = 'customer:' || a.uuid
           WHERE a.balance <> coalesce(s.total, 0)`,
  },
  {
    rule: "an account's held amount is the sum of its open holds",
    sql: `SELECT 'account ' || a.uuid AS subject, a.held AS [is], coalesce(s.total, 0) AS expected
            FROM accounts a
            LEFT JOIN (SELECT account_uuid, sum(amount) AS total FROM holds WHERE settled_unix IS NULL
                        GROUP BY account_uuid) s ON s.account_uuid = a.uuid
           WHERE a.held <> coalesce(s.total, 0)`,
  },
  {
    rule: 'what an account stores is counted right',
    sql: `SELECT 'account ' || a.uuid AS subject,
                 a.asset_bytes || ' B of assets, ' || a.recording_bytes || ' B of recordings, ' ||
                   a.document_count || ' documents, ' || a.end_user_count || ' end-users' AS [is],
                 s.assets || ' B, ' || s.recordings || ' B, ' || s.documents || ', ' || s.users AS expected
            FROM accounts a JOIN (
              SELECT uuid,
                     (SELECT ifnull(sum(size_bytes), 0) FROM assets WHERE account_uuid = uuid_of.uuid) AS assets,
                     (SELECT ifnull(sum(size_bytes), 0) FROM recordings
                       WHERE account_uuid = uuid_of.uuid AND purged_unix IS NULL) AS recordings,
                     (SELECT count(*) FROM documents WHERE account_uuid = uuid_of.uuid) AS documents,
                     (SELECT count(*) FROM end_users WHERE account_uuid = uuid_of.uuid) AS users
                FROM accounts uuid_of) s ON s.uuid = a.uuid
           WHERE (a.asset_bytes, a.recording_bytes, a.document_count, a.end_user_count)
              <> (s.assets, s.recordings, s.documents, s.users)`,
    plain: true,
  },
  {
    rule: 'a settled hold is charged what it says, once, and an open one not at all',
    sql: `SELECT 'hold ' || h.uuid AS subject, coalesce(h.charge, 0) AS expected, coalesce(sum(0 - e.amount), 0) AS [is]
            FROM holds h
            LEFT JOIN ledger_transactions t ON t.hold_uuid = h.uuid
            LEFT JOIN ledger_entries e ON e.transaction_id = t.id AND e.book = 'customer:' || h.account_uuid
           GROUP BY h.uuid HAVING coalesce(h.charge, 0) <> coalesce(sum(0 - e.amount), 0)`,
  },
  {
    rule: 'a settled hold is charged no more than was held',
    sql: "SELECT 'hold ' || uuid AS subject, charge AS [is], amount AS expected FROM holds WHERE charge > amount",
  },
  {
    rule: 'a charge for a call belongs to a hold',
    sql: `SELECT 'transaction ' || t.id AS subject, coalesce(t.hold_uuid, 'no hold') AS [is]
            FROM ledger_transactions t LEFT JOIN holds h ON h.uuid = t.hold_uuid
           WHERE t.kind = 'call' AND h.uuid IS NULL`,
    plain: true,
  },
  {
    rule: 'a hold belongs to a call and a leg of its account',
    sql: `SELECT 'hold ' || h.uuid AS subject, h.call_uuid AS [is]
            FROM holds h
            LEFT JOIN calls c ON c.uuid = h.call_uuid AND c.account_uuid = h.account_uuid
            LEFT JOIN legs l ON l.uuid = h.leg_uuid AND l.call_uuid = h.call_uuid
           WHERE c.uuid IS NULL OR l.uuid IS NULL`,
    plain: true,
  },
  {
    rule: "a call's cost is the sum of its charges",
    sql: `SELECT 'call ' || c.uuid AS subject, c.cost AS [is], coalesce(s.total, 0) AS expected
            FROM calls c
            LEFT JOIN (SELECT call_uuid, sum(charge) AS total FROM holds GROUP BY call_uuid) s
              ON s.call_uuid = c.uuid
           WHERE c.cost <> coalesce(s.total, 0)`,
  },
  {
    rule: 'a call that has ended holds no money',
    sql: `SELECT 'call ' || c.uuid AS subject, h.amount AS [is]
            FROM holds h JOIN calls c ON c.uuid = h.call_uuid
           WHERE h.settled_unix IS NULL AND c.status IN ('completed', 'failed')`,
  },
  {
    rule: 'a hold is settled with talk when, and only when, its leg was answered',
    sql: `SELECT 'hold ' || h.uuid AS subject, h.talk_seconds AS [is],
                 CASE WHEN l.answered_unix IS NULL THEN 'no talk' ELSE 'talk' END AS expected
            FROM holds h JOIN legs l ON l.uuid = h.leg_uuid
           WHERE h.settled_unix IS NOT NULL
             AND ((l.answered_unix IS NULL AND h.talk_seconds > 0)
               OR (l.answered_unix IS NOT NULL AND h.talk_seconds = 0 AND l.ended_unix > l.answered_unix))`,
    plain: true,
  },
  {
    // A remote that hangs up in the moment of the cut is not charged for that moment.
    rule: 'a settled hold is charged for as long as its leg talked, or a second less',
    sql: `SELECT 'hold ' || h.uuid AS subject, h.talk_seconds AS [is], ${seconds('l.answered_unix', 'l.ended_unix')} AS expected
            FROM holds h JOIN legs l ON l.uuid = h.leg_uuid
           WHERE h.settled_unix IS NOT NULL AND l.answered_unix IS NOT NULL AND l.ended_unix IS NOT NULL
             AND ${seconds('l.answered_unix', 'l.ended_unix')} - h.talk_seconds NOT IN (0, 1)`,
    plain: true,
  },
  {
    rule: 'a call that has ended says when and why, one that has not says neither',
    sql: `SELECT 'call ' || uuid AS subject, status || ', ' || coalesce(nullif(reason_code, ''), 'no reason') AS [is]
            FROM calls
           WHERE (status IN ('completed', 'failed')) <> (ended_unix IS NOT NULL)
              OR (status IN ('completed', 'failed')) <> (reason_code <> '')`,
    plain: true,
  },
  {
    rule: 'a call is answered or completed when, and only when, it was answered',
    sql: `SELECT 'call ' || uuid AS subject, status AS [is],
                 CASE WHEN answered_unix IS NULL THEN 'not answered' ELSE 'answered' END AS expected
            FROM calls WHERE (status IN ('answered', 'completed')) <> (answered_unix IS NOT NULL)`,
    plain: true,
  },
  {
    rule: "an ended call's duration is the time from its start to its end",
    sql: `SELECT 'call ' || uuid AS subject, duration_seconds AS [is],
                 ${seconds('coalesce(started_unix, created_unix)', 'ended_unix')} AS expected
            FROM calls
           WHERE ended_unix IS NOT NULL
             AND duration_seconds IS NOT ${seconds('coalesce(started_unix, created_unix)', 'ended_unix')}`,
    plain: true,
  },
  {
    rule: "an ended call's talk is the time from its answer to its end",
    sql: `SELECT 'call ' || uuid AS subject, talk_seconds AS [is],
                 coalesce(${seconds('answered_unix', 'ended_unix')}, 0) AS expected
            FROM calls
           WHERE ended_unix IS NOT NULL AND talk_seconds IS NOT coalesce(${seconds('answered_unix', 'ended_unix')}, 0)`,
    plain: true,
  },
]

type Finding = { readonly subject: string; readonly is: Money | string; readonly expected?: Money | string }

/**
 * Proves the books: every rule above, and for each settled hold that its charge is its rate times its billed time.
 * Empty = all is well. Reads one moment of the database, of a running switch or of a stopped one; changes nothing.
 */
export function checkBooks(database: Database): readonly BookProblem[] {
  return database.snapshot(() => [...rules.flatMap(rule => findingsOf(database, rule)), ...wrongCharges(database)])
}

function findingsOf(database: Database, { rule, sql, plain }: Rule): readonly BookProblem[] {
  const say = (value: Money | string) =>
    typeof value === 'number' && plain !== true ? formatMoney(value) : String(value)
  return database
    .prepare<[], Finding>(sql)
    .all()
    .map(({ subject, is, expected }) => ({
      rule,
      subject,
      detail: expected === undefined ? say(is) : `is ${say(is)}, should be ${say(expected)}`,
    }))
}

function wrongCharges(database: Database): readonly BookProblem[] {
  const settled = database.prepare<[], Row<'holds'>>('SELECT * FROM holds WHERE settled_unix IS NOT NULL')
  const problems: BookProblem[] = []
  for (const hold of settled.iterate()) {
    const rate = rateOfHold(hold)
    const talkSeconds = hold.talk_seconds ?? 0
    const charge = chargeFor(rate, talkSeconds)
    const billed = billedSecondsFor(rate, talkSeconds)
    if (hold.charge === charge && hold.billed_seconds === billed) continue
    problems.push({
      rule: 'a charge is rate times billed time, and the fee',
      subject: `hold ${hold.uuid}`,
      detail:
        `is ${formatMoney(hold.charge ?? 0)} for ${hold.billed_seconds} s, ` +
        `should be ${formatMoney(charge)} for ${billed} s`,
    })
  }
  return problems
}
