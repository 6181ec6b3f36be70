import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { DigitDeduplication, type DigitPath } from '../../../core/leg/digit-deduplication.ts'
import type { LegUuid } from '../../../core/model/ids.ts'

const leg = 'a' as LegUuid
const other = 'b' as LegUuid

/** The digits that are accepted, each `digit way at`. */
const taken = (...presses: readonly (readonly [digit: string, way: DigitPath, at: number, of?: LegUuid])[]): string => {
  const twins = new DigitDeduplication()
  return presses
    .filter(([digit, way, at, of = leg]) => twins.isNew(of, digit, way, at))
    .map(([digit]) => digit)
    .join('')
}

test('digits of a phone that uses one way are all reported, however fast', () => {
  assert.is(taken(['1', 'info', 0], ['1', 'info', 80], ['2', 'info', 160], ['2', 'info', 240]), '1122')
  assert.is(taken(['1', 'media', 0], ['1', 'media', 80], ['2', 'media', 160]), '112')
})

test('a digit that comes both ways is reported once, whichever comes first', () => {
  const both = (first: DigitPath, second: DigitPath) =>
    taken(
      ['1', first, 0],
      ['1', second, 120],
      ['1', first, 400],
      ['1', second, 520],
      ['5', first, 900],
      ['5', second, 990],
    )
  assert.is(both('info', 'media'), '115')
  assert.is(both('media', 'info'), '115')
})

test('duplicates that overlap: all of one way, then all of the other', () => {
  assert.is(
    taken(['1', 'info', 0], ['2', 'info', 100], ['1', 'media', 300], ['2', 'media', 400], ['3', 'info', 500]),
    '12',
  )
})

test('INFO during a digit in media is its duplicate, and the digit in media is taken', () => {
  const twins = new DigitDeduplication()
  twins.down(leg, '1', 1800)
  assert.is(twins.isNew(leg, '1', 'info', 2000), false)
  assert.is(twins.isNew(leg, '1', 'media', 2100), true)
  twins.down(leg, '1', 2200)
  assert.is(twins.isNew(leg, '1', 'media', 2300), true)
  assert.is(twins.isNew(leg, '1', 'info', 2310), false)
  twins.down(other, '5', 50)
  assert.is(twins.isNew(other, '6', 'info', 100), true, 'another key')
  assert.is(twins.isNew(other, '5', 'media', 200), true)
  assert.is(twins.isNew(other, '5', 'info', 5000), true, 'long after')
  twins.down(other, '7', 6000)
  assert.is(twins.isNew(other, '7', 'info', 20_000), true, 'its end was never reported')
})

test('other digits, other legs and other times are no duplicates', () => {
  assert.is(taken(['1', 'info', 0], ['2', 'media', 100]), '12')
  assert.is(taken(['1', 'info', 0], ['1', 'media', 100, other]), '11')
  assert.is(taken(['1', 'info', 0], ['1', 'media', 5000]), '11')
})

test.run()
