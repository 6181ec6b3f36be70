import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { KnownRates } from '../../../../core/adapters/store/known-setup.ts'
import { Rates } from '../../../../core/adapters/store/rates.ts'
import { type PackedDeck, packDeck, ratesIn, ratesInTurn } from '../../../../core/deck/index.ts'
import type { Rate } from '../../../../core/model/rate.ts'
import { openBed, rateOf } from '../../bed/store-bed.ts'

// A long deck changes while calls go on: no thread works on more than some of its rates at once.

const deckOf = (count: number, ratePerMinute: number): readonly Rate[] =>
  Array.from({ length: count }, (_, at) => rateOf({ prefix: `+9${String(at).padStart(5, '0')}`, ratePerMinute }))

/** The turns of an event loop, one at a time, as the test gives them. */
class Turns {
  #next: (() => void)[] = []

  readonly next = (): Promise<void> => new Promise(resolve => this.#next.push(resolve))

  /** False: nothing waits for one. */
  async pass(): Promise<boolean> {
    await new Promise(setImmediate)
    const waiting = this.#next
    this.#next = []
    for (const resolve of waiting) resolve()
    await new Promise(setImmediate)
    return waiting.length > 0
  }
}

test('a packed deck is what was packed, in lines of a bounded number of rates', () => {
  const odd = [rateOf({ prefix: 'sip:[2001:db8::1]:5080', connectionFee: 7 }), rateOf({ direction: 'inbound' })]
  const deck = [...deckOf(2 * ratesInTurn + 34, 3), ...odd]
  const lines = [...ratesIn(packDeck(deck))]
  assert.equal(lines.flat(), deck)
  assert.equal(
    lines.map(rates => rates.length),
    [ratesInTurn, ratesInTurn, 36],
  )
  assert.equal([...ratesIn(packDeck([]))], [])
})

test('calls are rated by the deck before until all of the new one is there; a turn takes some of its rates', async () => {
  const turns = new Turns()
  const asked: PackedDeck[] = []
  const rows = {
    replacePacked: async (packed: PackedDeck) => {
      asked.push(packed)
      known.changed(packed)
    },
  }
  const known = new KnownRates(rows, packDeck(deckOf(3, 1)), turns.next)
  const before = [known.current(), known.deck()]
  let isAnswered = false
  const replaced = known.replace(deckOf(2600, 2)).then(() => {
    isAnswered = true
  })
  let passed = 0
  while (!isAnswered) {
    assert.equal([known.current() === before[0], known.deck() === before[1]], [true, true])
    if (await turns.pass()) passed++
  }
  await replaced
  // To pack, and to build.
  assert.is(passed, 2 * Math.ceil(2600 / ratesInTurn))
  assert.is(asked.length, 1)
  assert.is(known.current().length, 2600)
  assert.is(known.deck().find('outbound', '+902599123')?.ratePerMinute, 2)
})

test('two changes at once: the last one counts, whole', async () => {
  const turns = new Turns()
  const known = new KnownRates({ replacePacked: async packed => known.changed(packed) }, packDeck([]), turns.next)
  const answers = [known.replacePacked(packDeck(deckOf(3000, 1))), known.replacePacked(packDeck(deckOf(600, 2)))]
  while (await turns.pass()) assert.ok([0, 3000, 600].includes(known.current().length))
  await Promise.all(answers)
  assert.is(known.current().length, 600)
  assert.is(known.deck().find('outbound', '+900000')?.ratePerMinute, 2)
})

test('while a long deck is stored, units of calls are committed between its pieces, and it is written whole', async () => {
  const bed = openBed()
  try {
    const rates = new Rates(bed.database)
    const count = bed.database.prepare<[], { n: number }>('SELECT count(*) AS n FROM rates')
    const seen = new Set<number>()
    let isStored = false
    let units = 0
    const stored = async (deck: readonly Rate[]) => {
      isStored = false
      const replaced = rates.replacePacked(packDeck(deck)).finally(() => {
        isStored = true
      })
      while (!isStored) {
        await bed.database.write(() => {
          units++
          seen.add(count.get()!.n)
        })
      }
      await replaced
    }
    await stored(deckOf(4000, 1))
    assert.equal([...seen].sort(), [0, 4000], 'all of it or nothing')
    assert.ok(units >= 4000 / ratesInTurn, `${units} units`)
    assert.equal(rates.current(), deckOf(4000, 1))
    assert.equal([...ratesIn(rates.packed())].flat(), rates.current())
    // One is dearer, most are gone, one is new.
    const other = [
      rateOf({ prefix: '+1', ratePerMinute: 5 }),
      ...deckOf(700, 1).slice(0, 699),
      rateOf({ prefix: '+900699' }),
    ]
    await stored(other)
    assert.equal(rates.current(), other)
    assert.is(count.get()!.n, 701)
  } finally {
    bed.close()
  }
})

test.run()
