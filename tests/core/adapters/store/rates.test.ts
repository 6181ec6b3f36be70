import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Rates } from '../../../../core/adapters/store/rates.ts'
import type { Rate } from '../../../../core/model/rate.ts'
import { openBed } from '../../bed/store-bed.ts'

// The rate deck: replaced whole, written by what differs.

const rate = (prefix: string, ratePerMinute: number, more: Partial<Rate> = {}): Rate => ({
  prefix,
  direction: 'outbound',
  ratePerMinute,
  incrementSeconds: 60,
  minimumSeconds: 0,
  connectionFee: 0,
  ...more,
})

/** A deck in a database of its own; `changes`: rows that SQLite has changed, `reports`: how often watchers were called. */
async function withRates(work: (rates: Rates, of: { changes(): number; reports(): number }) => Promise<void>) {
  const bed = openBed()
  try {
    const rates = new Rates(bed.database)
    let reports = 0
    rates.watch(() => reports++)
    const changed = bed.database.prepare<[], { n: number }>('SELECT total_changes() AS n')
    await work(rates, { changes: () => changed.get()!.n, reports: () => reports })
  } finally {
    bed.close()
  }
}

test('only rows that differ are written; the same deck again writes nothing', () =>
  withRates(async (rates, of) => {
    const deck = Array.from({ length: 200 }, (_, at) => rate(`+9${at}`, at))
    await rates.replace(deck)
    const [first, reported] = [of.changes(), of.reports()]
    await rates.replace(deck.map(({ prefix, ...rest }) => ({ ...rest, prefix: prefix.slice(1) })))
    assert.equal([of.changes(), of.reports()], [first, reported])
    // One is dearer, one is gone, one is new.
    const other = [...deck.slice(2), rate('+91', 7, { connectionFee: 1 }), rate('+254', 3)]
    await rates.replace(other)
    assert.is(of.reports(), reported + 1)
    assert.ok(of.changes() - first <= 4, `${of.changes() - first} rows written`)
    const byPrefix = (one: Rate, two: Rate) => (one.prefix < two.prefix ? -1 : 1)
    assert.equal([...rates.current()].sort(byPrefix), [...other].sort(byPrefix))
    await rates.replace([])
    assert.equal(rates.current(), [])
  }))

test('every field counts, and so does the direction', () =>
  withRates(async rates => {
    const changes: Partial<Rate>[] = [
      { ratePerMinute: 2 },
      { incrementSeconds: 1 },
      { minimumSeconds: 5 },
      { connectionFee: 9 },
      { direction: 'inbound' },
    ]
    for (const change of changes) {
      await rates.replace([rate('+254', 1)])
      await rates.replace([rate('+254', 1, change)])
      assert.equal(rates.current(), [rate('+254', 1, change)])
    }
  }))

test('of two rows of one prefix the later one counts; hosts are compared as hosts are', () =>
  withRates(async (rates, of) => {
    await rates.replace([rate('+254', 1), rate('254', 2), rate('sip:Peer.Example.', 3)])
    assert.equal(rates.current(), [rate('+254', 2), rate('sip:peer.example', 3)])
    const before = of.changes()
    await rates.replace([rate('sip:peer.example', 3), rate('+254', 2)])
    assert.is(of.changes(), before)
  }))

test('two replacements at once: the deck is the last one whole', () =>
  withRates(async rates => {
    await rates.replace([rate('+1', 1)])
    await Promise.all([rates.replace([rate('+2', 2), rate('+3', 3)]), rates.replace([rate('+1', 1)])])
    assert.equal(rates.current(), [rate('+1', 1)])
  }))

test.run()
