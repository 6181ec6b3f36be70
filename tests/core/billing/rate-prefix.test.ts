import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Destinations, defaultBlocked } from '../../../core/billing/destinations.ts'
import { RateDeck } from '../../../core/billing/rate-deck.ts'
import type { Rate } from '../../../core/model/rate.ts'
import { seeded } from '../bed/seeded.ts'

const rate = (prefix: string, direction: Rate['direction'] = 'outbound'): Rate => ({
  prefix,
  direction,
  ratePerMinute: 1,
  incrementSeconds: 1,
  minimumSeconds: 0,
  connectionFee: 0,
})

test('the longest prefix wins, written with or without plus', () => {
  const deck = new RateDeck([rate('+254'), rate('2547'), rate('+2'), rate('254', 'inbound')])
  assert.is(deck.find('outbound', '+254712345678')?.prefix, '2547')
  assert.is(deck.find('outbound', '254201234567')?.prefix, '+254')
  assert.is(deck.find('outbound', '+255700000000')?.prefix, '+2')
  assert.is(deck.find('outbound', '+1212'), undefined)
  assert.is(deck.find('inbound', '+254712345678')?.prefix, '254')
  assert.is(deck.find('inbound', '+255700000000'), undefined)
  assert.is(deck.find('outbound', '+25'), deck.find('outbound', '25'))
})

test('property: the same as trying every prefix', () => {
  const random = seeded(21)
  const digits = (most: number) => Array.from({ length: random.below(most + 1) }, () => random.below(3)).join('')
  const rates = Array.from({ length: 200 }, () => rate(digits(6)))
  const deck = new RateDeck(rates)
  for (let round = 0; round < 2000; round++) {
    const number = digits(9)
    const longest = rates
      .filter(each => number.startsWith(each.prefix))
      .reduce((most, each) => Math.max(most, each.prefix.length), -1)
    assert.is(deck.find('outbound', `+${number}`)?.prefix.length ?? -1, longest, number)
  }
})

test('premium and satellite are blocked until the operator allows them', () => {
  const bare = new Destinations([], [])
  for (const prefix of defaultBlocked) assert.not.ok(bare.allows(`${prefix}123456`), prefix)
  for (const number of ['+254712345678', '+441632960000', '+12125550100', '254201234567']) {
    assert.ok(bare.allows(number), number)
  }
  const opened = new Destinations([], ['+881', '1900'])
  assert.ok(opened.allows('+881612345678'))
  assert.ok(opened.allows('+19005550100'))
  assert.not.ok(opened.allows('+88213000000'))
})

test('the longest match decides; a short permission does not open a longer block', () => {
  const rules = new Destinations(['+254', '+25570'], ['+2547', '+1', '+255', '+25570'])
  assert.not.ok(rules.allows('+254201234567'))
  assert.ok(rules.allows('+254712345678'))
  assert.not.ok(rules.allows('+19005550100'), 'allowing +1 leaves +1900 blocked')
  assert.not.ok(rules.allows('+255701234567'), 'blocked beats allowed at equal length')
  assert.ok(rules.allows('+255711234567'))
})

test('blocking + leaves only what is allowed', () => {
  const rules = new Destinations(['+'], ['+254'])
  assert.ok(rules.allows('+254712345678'))
  assert.not.ok(rules.allows('+255712345678'))
})

test.run()
