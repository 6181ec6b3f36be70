import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type LongTurn, partsOf } from '../../bench/load/long-turns.ts'

const turn = (fromMs: number, tookMs: number, ranMs = tookMs, waitedMs = 0): LongTurn => ({
  fromMs,
  toMs: fromMs + tookMs,
  tookMs,
  ranMs,
  waitedMs,
})

test('a long turn has its collections and the longest stall of a processor that lie in it', () => {
  const long = [turn(100, 6), turn(200, 12, 4, 1)]
  const collections = [
    { beginMs: 90, tookMs: 11 },
    { beginMs: 104, tookMs: 5 },
    { beginMs: 150, tookMs: 20 },
  ]
  const stalls = [
    { processor: 0, fromMs: 195, toMs: 203 },
    { processor: 1, fromMs: 204, toMs: 209 },
    { processor: 1, fromMs: 300, toMs: 350 },
  ]
  assert.equal(partsOf({ long, collections }, stalls), [
    { tookMs: 12, collectionMs: 0, waitedMs: 1, sleptMs: 7, stallMs: 5 },
    { tookMs: 6, collectionMs: 3, waitedMs: 0, sleptMs: 0, stallMs: 0 },
  ])
})

test('without long turns there is nothing to take apart', () => {
  assert.equal(partsOf({ long: [], collections: [] }, []), [])
})

test.run()
