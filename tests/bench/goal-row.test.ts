import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type GoalRow, goalLines, goalTable, verdictOf } from '../../bench/goals/goal-row.ts'

const row = (more: Partial<GoalRow>): GoalRow => ({
  what: 'a packet',
  value: 10,
  unit: 'µs',
  goal: 3,
  command: 'npm run bench:goals -- --only play',
  ...more,
})

test('a goal is reached at most, or at least, at its figure', () => {
  assert.is(verdictOf(row({ value: 3 })), 'reached')
  assert.is(verdictOf(row({ value: 3.01 })), 'not reached')
  assert.is(verdictOf(row({ value: 700, goal: 700, isLeast: true })), 'reached')
  assert.is(verdictOf(row({ value: 699, goal: 700, isLeast: true })), 'not reached')
})

test('a row that was not measured shows no figure and is never called reached', () => {
  const unsound = row({ value: 1, unsound: 'the generator fell behind' })
  assert.is(verdictOf(unsound), 'not measured: the generator fell behind')
  assert.match(goalTable([unsound]), /\| a packet \| – \| – \| – \| ≤ 3 µs \| not measured/)
})

test('the table has the ratio to what was measured beside it, and the command', () => {
  const table = goalTable([row({ baseline: { name: 'in C', value: 5 } })])
  assert.match(
    table,
    /\| a packet \| 10\.0 µs \| in C: 5\.00 µs \| 2\.00 \| ≤ 3 µs \| not reached \| `npm run bench:goals -- --only play` \|/,
  )
  assert.not.match(goalLines([row({})]), /npm run/)
})

test.run()
