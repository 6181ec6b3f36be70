import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkBooks } from '../../../../core/adapters/store/check.ts'
import { openDatabase } from '../../../../core/adapters/store/database.ts'
import { addAccount, callOf, holdOf, legOf, openBed, startUnix } from '../../bed/store-bed.ts'

/** Books with a bit of everything, all right. */
async function goodBooks() {
  const bed = openBed()
  const account = addAccount(bed.database)
  await bed.ledger.credit(account, 1_000_000, startUnix)
  const times = { answeredUnix: startUnix, endedUnix: startUnix + 61_000, durationSeconds: 61, talkSeconds: 61 }
  const over = callOf(account, { status: 'completed', reasonCode: 'END.0200', ...times })
  const live = callOf(account)
  const [overLeg, liveLeg] = [legOf(over, { answeredUnix: startUnix, endedUnix: startUnix + 61_000 }), legOf(live)]
  const [overHold, liveHold] = [holdOf(over, overLeg, { amount: 60_000 }), holdOf(live, liveLeg)]
  await bed.calls.commit([
    { type: 'call.insert', call: over },
    { type: 'call.insert', call: live },
    { type: 'leg.insert', leg: overLeg },
    { type: 'leg.insert', leg: liveLeg },
    { type: 'hold.open', hold: overHold },
    { type: 'hold.open', hold: liveHold },
    { type: 'hold.settle', uuid: overHold.uuid, charge: 60_000, talkSeconds: 61, billedSeconds: 120 },
  ])
  return { bed, account, over, overHold, liveHold }
}

test('good books have no problem, also while the switch runs', async () => {
  const { bed } = await goodBooks()
  assert.equal(checkBooks(bed.database), [])
  const reader = openDatabase(bed.folder, { readOnly: true })
  assert.equal(checkBooks(reader), [])
  reader.close()
  bed.close()
})

const damages: readonly [what: string, sql: string, rule: RegExp][] = [
  ['a balance that was moved', 'UPDATE accounts SET balance = balance + 1', /balance is the sum/],
  ['a held amount that was moved', 'UPDATE accounts SET held = held + 1', /held amount/],
  ['an entry that was added', "INSERT INTO ledger_entries VALUES (NULL, 1, 'revenue:calls', 5)", /all books sum to 0/],
  [
    'entries that were moved between transactions',
    'DROP TRIGGER ledger_entries_keep; UPDATE ledger_entries SET transaction_id = 2 WHERE id = 1',
    /at least two entries/,
  ],
  [
    'a pair of entries in one book',
    "INSERT INTO ledger_entries VALUES (NULL, 1, 'customer:x', 5), (NULL, 2, 'customer:x', -5)",
    /transaction sum to 0/,
  ],
  [
    'a hold that ended without its charge',
    'DROP TRIGGER ledger_entries_stay; DROP TRIGGER ledger_transactions_stay; DELETE FROM ledger_entries WHERE transaction_id = 2; DELETE FROM ledger_transactions WHERE id = 2',
    /charged what it says/,
  ],
  [
    'a charge at another rate',
    'UPDATE holds SET rate_per_minute = 40000 WHERE settled_unix IS NOT NULL',
    /rate times billed time/,
  ],
  [
    'billed units that are not',
    'UPDATE holds SET billed_seconds = 61 WHERE settled_unix IS NOT NULL',
    /rate times billed time/,
  ],
  [
    'a charge beyond what was held',
    'UPDATE holds SET amount = amount - 1 WHERE settled_unix IS NOT NULL',
    /no more than was held/,
  ],
  ['a cost that is not the charges', 'UPDATE calls SET cost = cost + 1', /call's cost/],
  ['talk of a leg that was never answered', 'UPDATE legs SET answered_unix = NULL', /its leg was answered/],
  [
    'an answered leg without talk',
    'UPDATE holds SET talk_seconds = 0 WHERE settled_unix IS NOT NULL',
    /its leg was answered/,
  ],
  [
    'a leg that talked longer than it was charged for',
    'UPDATE legs SET ended_unix = ended_unix + 2000 WHERE ended_unix IS NOT NULL',
    /as long as its leg talked/,
  ],
  ['an ended call without a reason', "UPDATE calls SET reason_code = ''", /says when and why/],
  ['an ended call without its end', 'UPDATE calls SET ended_unix = NULL', /says when and why/],
  [
    'a call that was opened again',
    "UPDATE calls SET status = 'answered' WHERE status = 'completed'",
    /says when and why/,
  ],
  ['a completed call that was not answered', 'UPDATE calls SET answered_unix = NULL', /it was answered/],
  ['a duration that is none', 'UPDATE calls SET duration_seconds = duration_seconds + 1', /an ended call's duration/],
  ['a duration that is missing', 'UPDATE calls SET duration_seconds = NULL', /an ended call's duration/],
  ['talk that was none', 'UPDATE calls SET talk_seconds = talk_seconds - 1', /an ended call's talk/],
  ['an ended call that still holds money', "UPDATE calls SET status = 'failed'", /holds no money/],
  ['a hold without its leg', 'DELETE FROM legs', /a call and a leg/],
  ['a charge without its hold', 'DELETE FROM holds WHERE settled_unix IS NOT NULL', /belongs to a hold/],
]

for (const [what, sql, rule] of damages) {
  test(`finds ${what}`, async () => {
    const { bed } = await goodBooks()
    for (const statement of sql.split('; ')) bed.database.prepare(statement).run()
    const problems = checkBooks(bed.database)
    assert.ok(
      problems.some(problem => rule.test(problem.rule)),
      JSON.stringify(problems),
    )
    for (const { subject, detail } of problems) assert.ok(subject !== '' && !/undefined|NaN/.test(detail), detail)
    bed.close()
  })
}

test('a hold cannot be charged twice, by any caller', async () => {
  const { bed, account, overHold } = await goodBooks()
  const again = bed.database.write(() =>
    bed.ledger.post({
      kind: 'call',
      account,
      amount: -60_000,
      against: 'revenue:calls',
      hold: overHold.uuid,
      details: {},
      unixMs: startUnix,
    }),
  )
  const message = await again.then(
    () => 'posted',
    fault => fault.message,
  )
  assert.match(message, /UNIQUE/)
  assert.equal(checkBooks(bed.database), [])
  bed.close()
})

test.run()
