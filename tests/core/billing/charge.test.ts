import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { admissionAmount, billedSecondsFor, chargeFor, paidSecondsOf } from '../../../core/billing/charge.ts'
import { growAtSecond, nextGrowth, openingCoverage, warnAtSecond } from '../../../core/billing/hold-schedule.ts'
import { canSpend, spendableOf } from '../../../core/billing/wallet.ts'
import type { Rate } from '../../../core/model/rate.ts'
import { seeded } from '../bed/seeded.ts'

const rate = (fields: Partial<Rate> = {}): Rate => ({
  prefix: '254',
  direction: 'outbound',
  ratePerMinute: 35_000,
  incrementSeconds: 60,
  minimumSeconds: 0,
  connectionFee: 0,
  ...fields,
})

const charges: readonly [what: string, rate: Rate, talkSeconds: number, billed: number, charge: number][] = [
  ['unanswered costs nothing, not even the fee', rate({ connectionFee: 10_000 }), 0, 0, 0],
  ['the first second is a whole minute', rate(), 1, 60, 35_000],
  ['60 seconds are one minute', rate(), 60, 60, 35_000],
  ['61 seconds are two', rate(), 61, 120, 70_000],
  ['fee on top', rate({ connectionFee: 10_000 }), 61, 120, 80_000],
  ['by the second', rate({ incrementSeconds: 1 }), 7, 7, 4083],
  ['half is rounded up', rate({ incrementSeconds: 1, ratePerMinute: 30 }), 1, 1, 1],
  ['less than half is rounded down', rate({ incrementSeconds: 1, ratePerMinute: 29 }), 1, 1, 0],
  ['30/6: the minimum first', rate({ incrementSeconds: 6, minimumSeconds: 30 }), 3, 30, 17_500],
  ['30/6: then in sixes', rate({ incrementSeconds: 6, minimumSeconds: 30 }), 31, 36, 21_000],
  ['a minimum is filled up to whole increments', rate({ incrementSeconds: 8, minimumSeconds: 30 }), 3, 32, 18_667],
  ['a part of a second is a second', rate({ incrementSeconds: 1 }), 6.2, 7, 4083],
  ['free', rate({ ratePerMinute: 0 }), 500, 540, 0],
]

for (const [what, by, talk, billed, charge] of charges) {
  test(`charge: ${what}`, () => {
    assert.is(billedSecondsFor(by, talk), billed)
    assert.is(chargeFor(by, talk), charge)
  })
}

const randomRate = (random: ReturnType<typeof seeded>): Rate =>
  rate({
    ratePerMinute: random.below(4) === 0 ? random.below(100) : random.below(1_000_000),
    incrementSeconds: 1 + random.below(random.below(2) === 0 ? 3 : 90),
    minimumSeconds: random.below(2) === 0 ? 0 : random.below(120),
    connectionFee: random.below(2) === 0 ? 0 : random.below(100_000),
  })

test('property: a charge is whole, grows with the talk, and equals the exact price rounded once', () => {
  const random = seeded(11)
  for (let round = 0; round < 3000; round++) {
    const by = randomRate(random)
    const talk = 1 + random.below(20_000)
    const billed = billedSecondsFor(by, talk)
    assert.ok(billed >= talk && billed >= by.minimumSeconds && billed % by.incrementSeconds === 0)
    assert.ok(billed - Math.max(talk, by.minimumSeconds) < by.incrementSeconds)
    const exact = (2n * BigInt(billed) * BigInt(by.ratePerMinute) + 60n) / 120n + BigInt(by.connectionFee)
    assert.is(BigInt(chargeFor(by, talk)), exact)
    assert.ok(chargeFor(by, talk + 1) >= chargeFor(by, talk))
  }
})

test('property: what an amount pays for is the last increment whose charge it covers', () => {
  const random = seeded(12)
  for (let round = 0; round < 3000; round++) {
    const by = randomRate(random)
    const amount = admissionAmount(by) + random.below(10_000_000)
    const paid = paidSecondsOf(by, amount)
    if (by.ratePerMinute === 0) {
      assert.is(paid, Number.POSITIVE_INFINITY)
      continue
    }
    assert.ok(chargeFor(by, paid) <= amount, JSON.stringify({ by, amount, paid }))
    assert.ok(chargeFor(by, paid + 1) > amount, JSON.stringify({ by, amount, paid }))
    if (admissionAmount(by) > 0) assert.is(paidSecondsOf(by, admissionAmount(by) - 1), 0)
  }
})

test('a hold opens with the first block and grows by a minute, ahead of its end', () => {
  const by = rate({ incrementSeconds: 6, minimumSeconds: 30, connectionFee: 5000 })
  const opening = openingCoverage(by)
  assert.equal(opening, { amount: 22_500, paidSeconds: 30 })
  assert.is(growAtSecond(opening), 15)
  assert.is(warnAtSecond(opening), 20)
  assert.equal(nextGrowth(by, opening, 0), { add: 35_000, amount: 57_500, paidSeconds: 90 })
})

test('a refused growth tries smaller ones, then the leg is cut at its last paid second', () => {
  const by = rate({ incrementSeconds: 6 })
  const opening = openingCoverage(by)
  const reaches = [0, 1, 2, 3, 4].map(refusals => nextGrowth(by, opening, refusals)?.paidSeconds)
  assert.equal(reaches, [66, 30, 12, undefined, undefined])
})

test('a rate without a price per minute is never grown', () => {
  const opening = openingCoverage(rate({ ratePerMinute: 0, connectionFee: 700 }))
  assert.equal(opening, { amount: 700, paidSeconds: Number.POSITIVE_INFINITY })
  assert.is(growAtSecond(opening), Number.POSITIVE_INFINITY)
  assert.is(nextGrowth(rate({ ratePerMinute: 0 }), opening, 0), undefined)
})

test('property: a call under the schedule is never charged more than its hold, and uses what the wallet can pay', () => {
  const random = seeded(13)
  for (let round = 0; round < 400; round++) {
    const by = { ...randomRate(random), ratePerMinute: 1000 + random.below(1_000_000) }
    let wallet = admissionAmount(by) + random.below(5 * by.ratePerMinute)
    const start = wallet
    let coverage = openingCoverage(by)
    wallet -= coverage.amount
    for (let refusals = 0; ; ) {
      const growth = nextGrowth(by, coverage, refusals)
      if (growth === undefined) break
      assert.ok(growth.paidSeconds > coverage.paidSeconds && growth.add >= 0)
      assert.is(growth.amount, coverage.amount + growth.add)
      if (growth.add > wallet) refusals++
      else {
        wallet -= growth.add
        coverage = growth
        refusals = 0
      }
    }
    assert.is(coverage.paidSeconds, paidSecondsOf(by, start), JSON.stringify(by))
    assert.ok(chargeFor(by, coverage.paidSeconds) <= coverage.amount)
  }
})

test('spendable is wallet, grace and credit less what is held', () => {
  const wallet = { balance: 100, held: 30, graceAmount: 5, creditLimit: 20 }
  assert.is(spendableOf(wallet), 95)
  assert.ok(canSpend(wallet, 95))
  assert.not.ok(canSpend(wallet, 96))
  assert.ok(canSpend({ ...wallet, balance: -500 }, 0))
})

test.run()
