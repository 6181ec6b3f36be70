import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SmallMap } from '../../../core/model/small-map.ts'
import { seeded } from '../bed/seeded.ts'

test('it does what a Map does, in the same order', () => {
  const random = seeded(7)
  const small = new SmallMap<number, number>()
  const map = new Map<number, number>()
  for (let step = 0; step < 5000; step++) {
    const key = random.below(8)
    switch (random.below(12)) {
      case 0:
        small.clear()
        map.clear()
        break
      case 1:
      case 2:
      case 3:
      case 4:
      case 5:
        assert.is(small.delete(key), map.delete(key))
        break
      default:
        small.set(key, step)
        map.set(key, step)
    }
    assert.equal(
      small.entries.map(entry => [entry.key, entry.value]),
      [...map],
    )
    assert.equal([small.size, small.has(key), small.get(key)], [map.size, map.has(key), map.get(key)])
  }
})

test.run()
