import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { OctetPool } from '../../../sip/base/octet-pool.ts'

const message = (length: number, fill: number): Uint8Array => new Uint8Array(length).fill(fill)

test('what is kept stays as it was, whatever is kept after it and whatever becomes of the original', () => {
  const pool = new OctetPool()
  const kept: Uint8Array[] = []
  for (let at = 0; at < 1000; at++) {
    const original = message(1 + ((at * 37) % 900), at % 256)
    kept.push(pool.copy(original))
    original.fill(255 - (at % 256))
  }
  for (const [at, octets] of kept.entries())
    assert.equal(octets, message(1 + ((at * 37) % 900), at % 256), `message ${at}`)
})

test('messages of a usual length share memory', () => {
  const pool = new OctetPool()
  const kept = Array.from({ length: 100 }, () => pool.copy(message(500, 1)))
  assert.is(new Set(kept.map(({ buffer }) => buffer)).size, 1)
})

test('a long message has memory of its own, and does not use up that of others', () => {
  const pool = new OctetPool()
  const first = pool.copy(message(500, 1))
  const long = pool.copy(message(20_000, 2))
  assert.is(long.length, 20_000)
  assert.is.not(long.buffer, first.buffer)
  assert.is(pool.copy(message(500, 3)).buffer, first.buffer)
})

test('nothing is kept of an empty message', () => {
  assert.is(new OctetPool().copy(message(0, 0)).length, 0)
})

test.run()
