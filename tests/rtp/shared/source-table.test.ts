import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SourceTable } from '../../../rtp/shared/source-table.ts'
import { seeded } from '../../rig/probes/seeded.ts'

test('a source is found by its address and port, and by nothing else', () => {
  const table = new SourceTable<string>()
  table.set(0x0a00_0001, 4000, 'a')
  table.set(0x0a00_0001, 4002, 'b')
  table.set(-1, 4000, 'c')
  table.set(0, 65_535, 'd')
  assert.is(table.find(0x0a00_0001, 4000), 'a')
  assert.is(table.find(0x0a00_0001, 4002), 'b')
  assert.is(table.find(-1, 4000), 'c')
  assert.is(table.find(0, 65_535), 'd')
  assert.is(table.find(0x0a00_0002, 4000), undefined)
  assert.is(table.find(0, 0), undefined)
  table.set(0x0a00_0001, 4000, 'e')
  assert.is(table.find(0x0a00_0001, 4000), 'e')
  assert.is(table.size, 4)
})

test('port 0 is no source', () => {
  const table = new SourceTable<string>()
  table.set(1, 0, 'a')
  assert.is(table.find(1, 0), undefined)
  assert.is(table.size, 0)
})

test('what is set and deleted in any order is what a Map says', () => {
  const random = seeded(5)
  const table = new SourceTable<number>()
  const map = new Map<string, number>()
  // Few addresses and ports: places are taken, freed and taken again, and neighbours move.
  for (let step = 0; step < 60_000; step++) {
    const address = (0xcb00_7100 | 0) + Math.floor(random() * 24)
    const port = 10_000 + 2 * Math.floor(random() * 24)
    const key = `${address}:${port}`
    if (random() < 0.5) {
      table.set(address, port, step)
      map.set(key, step)
    } else {
      table.delete(address, port)
      map.delete(key)
    }
    assert.is(table.find(address, port), map.get(key))
    assert.is(table.size, map.size)
    if (step % 500 !== 0) continue
    for (const [known, value] of map) {
      const [host = '', number = ''] = known.split(':')
      assert.is(table.find(Number(host), Number(number)), value)
    }
  }
})

test.run()
