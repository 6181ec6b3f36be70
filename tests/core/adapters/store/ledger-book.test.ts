import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkBooks } from '../../../../core/adapters/store/check.ts'
import { chargeFor, paidSecondsOf } from '../../../../core/billing/charge.ts'
import type { Hold } from '../../../../core/ports/store.ts'
import { seeded } from '../../bed/seeded.ts'
import { addAccount, callOf, holdOf, legOf, openBed, rateOf, startUnix, wallet } from '../../bed/store-bed.ts'

test('a credit with a reference counts once', async () => {
  const bed = openBed()
  const account = addAccount(bed.database)
  const other = addAccount(bed.database)
  const credit = (reference?: string) => bed.ledger.credit(account, 5000, startUnix, reference)
  assert.equal(await Promise.all([credit('mpesa-1'), credit('mpesa-1'), credit('mpesa-2'), credit(), credit()]), [
    true,
    false,
    true,
    true,
    true,
  ])
  assert.is(await bed.ledger.credit(account, 9999, startUnix, 'mpesa-1'), false)
  assert.is(await bed.ledger.credit(other, 5000, startUnix, 'mpesa-1'), true)
  assert.is(wallet(bed.database, account).balance, 20_000)
  assert.is(wallet(bed.database, other).balance, 5000)
  assert.is(await bed.ledger.credit(account, -30_000, startUnix), true)
  assert.is(wallet(bed.database, account).balance, -10_000)
  assert.equal(checkBooks(bed.database), [])
  bed.close()
})

test('a charge is taken only from spendable money', async () => {
  const bed = openBed()
  const account = addAccount(bed.database, { credit_limit: 1000 })
  await bed.ledger.credit(account, 9000, startUnix)
  const buy = (price: number) =>
    bed.database.write(() =>
      bed.ledger.charge({
        kind: 'number',
        account,
        price,
        against: 'revenue:numbers',
        details: { number: '+254201000001' },
        unixMs: startUnix,
      }),
    )
  assert.is(await buy(10_001), false)
  assert.is(await buy(10_000), true)
  assert.is(await buy(1), false)
  assert.is(await buy(0), true)
  assert.is(wallet(bed.database, account).balance, -1000)
  const { lines, total } = await bed.ledger.statement(account, 1, 0)
  assert.is(total, 2)
  assert.equal([lines[0]?.kind, lines[0]?.amount, lines[0]?.details], ['number', -10_000, { number: '+254201000001' }])
  assert.equal(checkBooks(bed.database), [])
  bed.close()
})

test('the ledger refuses to be changed', async () => {
  const bed = openBed()
  const account = addAccount(bed.database)
  await bed.ledger.credit(account, 5000, startUnix)
  for (const text of [
    'UPDATE ledger_entries SET amount = amount + 1',
    'DELETE FROM ledger_entries',
    'UPDATE ledger_transactions SET details = 0',
    'DELETE FROM ledger_transactions',
  ]) {
    assert.throws(() => bed.database.prepare(text).run(), /append-only/, text)
  }
  assert.throws(
    () => bed.database.prepare("INSERT OR REPLACE INTO ledger_entries VALUES (1, 1, 'customer:x', 5)").run(),
    /append-only/,
  )
  bed.close()
})

test('property: after any mixture of credits, holds and settlements the books are right', async () => {
  const bed = openBed()
  const random = seeded(31)
  const accounts = [1, 2, 3].map(() => addAccount(bed.database, { credit_limit: random.below(20_000) }))
  const open: Hold[] = []
  for (let round = 0; round < 400; round++) {
    const account = random.pick(accounts)
    const act = random.below(4)
    if (act === 0) await bed.ledger.credit(account, random.below(100_000) - 20_000, startUnix)
    else if (act === 1) {
      const call = callOf(account)
      const leg = legOf(call)
      const rate = rateOf({ ratePerMinute: random.below(40_000), incrementSeconds: 1 + random.below(60) })
      const hold = holdOf(call, leg, { rate, amount: chargeFor(rate, 1) })
      const result = await bed.calls.commit([
        { type: 'call.insert', call },
        { type: 'leg.insert', leg },
        { type: 'hold.open', hold },
      ])
      if (result.ok) open.push(hold)
    } else if (act === 2 && open.length > 0) {
      await bed.calls.commit([{ type: 'hold.grow', uuid: random.pick(open).uuid, amount: random.below(9000) }])
    } else if (open.length > 0) {
      const at = random.below(open.length)
      const { uuid, rate, legUuid } = open.splice(at, 1)[0]!
      const { database } = bed
      const held = database.all(database.sql.selectFrom('holds').select('amount').where('uuid', '=', uuid))[0]?.amount
      // A leg is cut at its last paid second.
      const talkSeconds = random.below(3) === 0 ? 0 : Math.min(random.below(200), paidSecondsOf(rate, held ?? 0))
      const charge = chargeFor(rate, talkSeconds)
      const billedSeconds =
        talkSeconds === 0 ? 0 : Math.ceil(talkSeconds / rate.incrementSeconds) * rate.incrementSeconds
      const answeredUnix = talkSeconds === 0 ? null : startUnix
      const endedUnix = startUnix + talkSeconds * 1000
      await bed.calls.commit([
        { type: 'leg.update', uuid: legUuid, set: { answeredUnix, endedUnix } },
        { type: 'hold.settle', uuid, charge, talkSeconds, billedSeconds },
      ])
    }
  }
  assert.equal(checkBooks(bed.database), [])
  const again = bed.reopen()
  assert.equal(checkBooks(again.database), [])
  again.close()
})

test.run()
