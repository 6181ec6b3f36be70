import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Attempt, riseOf, rowOf, verdictOfRow } from '../../bench/neighbours/neighbours.ts'
import { ways } from '../../bench/neighbours/ways.ts'

const way = ways[0]
const setUp = (p99: number, failed = 0) => ({ p50: 4, p90: 4, p99, failed })
const attempt = (before: number, during: number, after: number, failed = 0, pauseMs = 0): Attempt => ({
  worst: { done: 1, answers: { 200: 1 } },
  before: setUp(before),
  during: setUp(during, failed),
  after: setUp(after),
  pauseMs,
})
const verdict = (...attempts: Attempt[]) => verdictOfRow({ way, attempts })

test('p99 may rise by 50 ms over the higher of before and after', () => {
  assert.is(riseOf(attempt(8, 62, 12)), 50)
  assert.is(verdict(attempt(8, 62, 12)), 'holds')
  assert.is(verdict(attempt(8, 63, 12)), 'exceeds')
})

test('calls that fail exceed, however fast the others are', () => {
  assert.is(verdict(attempt(8, 8, 8, 1)), 'exceeds')
})

test('where the machine was not still before or after, a small rise says nothing', () => {
  assert.is(verdict(attempt(8, 200, 300)), 'not still')
  assert.is(verdict(attempt(300, 500, 8)), 'exceeds')
})

test('a rise in which the machine itself stood still says nothing; failed calls do', () => {
  assert.is(verdict(attempt(8, 200, 8, 0, 60)), 'not still')
  assert.is(verdict(attempt(8, 200, 8, 0, 20)), 'exceeds')
  assert.is(verdict(attempt(8, 200, 8, 1, 60)), 'exceeds')
  assert.is(verdict(attempt(8, 12, 8, 0, 60)), 'holds')
})

test('what holds the second time holds; both attempts are shown', () => {
  const attempts = [attempt(8, 300, 8), attempt(8, 12, 8)]
  assert.is(verdict(...attempts), 'holds')
  const [first, second] = rowOf({ way, attempts }).split('\n')
  assert.match(first!, /exceeds/)
  assert.match(second!, /the same again.*holds/)
  assert.is(verdict(attempt(8, 300, 8), attempt(8, 300, 8)), 'exceeds')
})

test.run()
