import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { search } from '../../api/benchmark/search.ts'

/** A machine that carries this load; records what was tried. */
const machine = (bears: number) => {
  const tried: number[] = []
  const attempt = async (size: number) => {
    tried.push(size)
    return size <= bears ? undefined : `a wall at ${size}`
  }
  return { tried, attempt }
}

test('doubles until a step does not hold, then halves the distance', async () => {
  const { tried, attempt } = machine(130)
  assert.equal(await search({ first: 10, limit: 1000, refinements: 2 }, attempt), { most: 120, wall: 'a wall at 140' })
  assert.equal(tried, [10, 20, 40, 80, 160, 120, 140])
})

test('says that no limit was reached up to the highest step, which is tried itself', async () => {
  const { tried, attempt } = machine(1_000_000)
  assert.equal(await search({ first: 50, limit: 120, refinements: 3 }, attempt), { most: 120, wall: undefined })
  assert.equal(tried, [50, 100, 120])
})

test('a machine that cannot take the smallest load gets 0, and the reason', async () => {
  assert.equal(await search({ first: 10, limit: 100, refinements: 0 }, machine(3).attempt), {
    most: 0,
    wall: 'a wall at 10',
  })
  assert.is((await search({ first: 10, limit: 100, refinements: 2 }, machine(6).attempt)).most, 5)
})

test.run()
