import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { TextMap } from '../../../sip/base/text-map.ts'
import { seeded } from '../../core/bed/seeded.ts'

const seed = 0x1234_5678

/** FNV-1a, as the map has it, from a state on. */
function stateAfter(state: number, text: string): number {
  let hash = state
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}

/** Two texts that lead from this state to one and the same. */
function collidingFrom(state: number): readonly [string, string, number] {
  const seen = new Map<number, string>()
  for (let nth = 0; ; nth++) {
    const text = `${nth.toString(36)}.`
    const next = stateAfter(state, text)
    const other = seen.get(next)
    if (other !== undefined) return [other, text, next]
    seen.set(next, text)
  }
}

/** 16 texts of one hash, as an attacker would send them. */
function textsOfOneHash(): readonly string[] {
  let texts = ['']
  let state = seed
  for (let nth = 0; nth < 4; nth++) {
    const [one, other, next] = collidingFrom(state)
    texts = texts.flatMap(text => [text + one, text + other])
    state = next
  }
  return texts
}

const attacked = textsOfOneHash()
const random = seeded(11)
const pick = <T>(of: readonly T[]): T => of[random.below(of.length)]!

test('it holds what a Map holds, whatever comes in which order, texts of one hash among others', () => {
  assert.is(new Set(attacked).size, 16)
  const keys = [...attacked, ...Array.from({ length: 40 }, (_, nth) => `call-${nth}`), '', '€']
  const map = new TextMap<string, number>(seed)
  const model = new Map<string, number>()
  for (let step = 0; step < 40_000; step++) {
    const key = pick(keys)
    // For a while most are set, then most are deleted.
    const isFilling = step % 4000 < 2000
    if (random.below(10) < (isFilling ? 7 : 2)) {
      map.set(key, step)
      model.set(key, step)
    } else assert.is(map.delete(key), model.delete(key))
    assert.is(map.size, model.size)
    const asked = pick(keys)
    assert.is(map.get(asked), model.get(asked))
    assert.is(map.has(asked), model.has(asked))
    if (step % 500 === 0) {
      assert.equal([...map.entries()].sort(), [...model].sort())
      assert.equal([...map.keys()].sort(), [...model.keys()].sort())
      assert.equal([...map.values()].sort(), [...model.values()].sort())
    }
    if (step % 15_000 === 14_999) {
      map.clear()
      model.clear()
    }
  }
})

test('it lists entries in the order in which they came; one that is set again keeps its place', () => {
  const map = new TextMap<string, number>()
  for (const key of ['c', 'a', 'b']) map.set(key, 1)
  map.set('c', 2)
  map.delete('a')
  map.set('a', 3)
  assert.equal(
    [...map.entries()],
    [
      ['c', 2],
      ['b', 1],
      ['a', 3],
    ],
  )
})

test('a value of undefined counts as one that is there', () => {
  const map = new TextMap<string, undefined>()
  map.set('a', undefined)
  assert.ok(map.has('a'))
  assert.is(map.size, 1)
})

test.run()
