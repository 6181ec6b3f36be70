import { setImmediate as nextTurn } from 'node:timers/promises'
import { isSipPrefix } from '../../billing/sip-prefix.ts'
import { DeckPacker, type PackedDeck, packDeck, piecesOf, ratesIn, ratesInTurn } from '../../deck/index.ts'
import type { Rate } from '../../model/rate.ts'
import type { Database } from './database.ts'
import type { Row } from './schema.ts'

/** What is to be written for a deck to be as it is wanted. */
interface Differences {
  readonly gone: readonly Rate[]
  readonly changed: readonly Rate[]
}

type Columns = [string, string, number, number, number, number]

/** The rate deck: replaced whole, read from memory. Calls use the same thread to write: it works in turns of the event loop. */
export class Rates {
  readonly #database: Database
  #current: readonly Rate[]
  /** `#current`; made when it is needed first. */
  #packed: PackedDeck | undefined
  readonly #watchers = new Set<() => void>()
  /** The last change: the next compares with what it leaves. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(database: Database) {
    this.#database = database
    this.#current = this.#read()
  }

  /** By direction and prefix; the array is a new one after every change. */
  current(): readonly Rate[] {
    return this.#current
  }

  packed(): PackedDeck {
    this.#packed ??= packDeck(this.#current)
    return this.#packed
  }

  /** Calls `changed` after every change. Returns what stops it. */
  watch(changed: () => void): () => void {
    this.#watchers.add(changed)
    return () => this.#watchers.delete(changed)
  }

  /** Resolves when no change is under way that was asked for before. */
  async settled(): Promise<void> {
    await this.#last
  }

  replace(rates: readonly Rate[]): Promise<void> {
    return this.replacePacked(packDeck(rates))
  }

  /**
   * A prefix is digits, with or without `+`, or begins with `sip:`; of two rows of the same prefix and direction the later one
   * counts. Only rows that differ are written: calls wait for the writer, and a deck may have 50,000 rows.
   */
  replacePacked(packed: PackedDeck): Promise<void> {
    const replaced = this.#last.then(() => this.#replace(packed))
    this.#last = replaced.catch(() => {})
    return replaced
  }

  async #replace(packed: PackedDeck): Promise<void> {
    const differences = await this.#differences(packed)
    const { gone, changed } = differences
    if (gone.length + changed.length === 0) return
    if (gone.length + changed.length <= ratesInTurn) await this.#write(differences)
    else await this.#writeMany(differences)
    await this.#readAgain()
    for (const watcher of this.#watchers) watcher()
  }

  async #differences(packed: PackedDeck): Promise<Differences> {
    const wanted = new Map<string, Rate>()
    for (const piece of ratesIn(packed)) {
      for (const rate of piece) wanted.set(keyOf(rate), rate)
      await nextTurn()
    }
    const gone: Rate[] = []
    for (const piece of piecesOf(this.#current)) {
      for (const known of piece) {
        const key = keyOf(known)
        const rate = wanted.get(key)
        if (rate === undefined) gone.push(known)
        else if (isSame(known, rate)) wanted.delete(key)
      }
      await nextTurn()
    }
    return { gone, changed: [...wanted.values()] }
  }

  async #write({ gone, changed }: Differences): Promise<void> {
    const remove = this.#database.prepare<[string, string]>('DELETE FROM rates WHERE direction = ? AND prefix = ?')
    const insert = this.#database.prepare<Columns>(
      'INSERT OR REPLACE INTO rates (direction, prefix, rate_per_minute, increment_seconds, minimum_seconds, connection_fee) VALUES (?, ?, ?, ?, ?, ?)',
    )
    await this.#database.write(() => {
      for (const { direction, prefix } of gone) remove.run(direction, storedPrefix(prefix))
      for (const rate of changed) insert.run(...columnsOf(rate))
    })
  }

  /**
   * The same for many rows, which would keep the writer from calls for some tenths of a second: they are put beside the deck
   * in turns, in order, and the transaction is two statements.
   */
  async #writeMany({ gone, changed }: Differences): Promise<void> {
    for (const text of besideTheDeck) this.#database.prepare(text).run()
    const remove = this.#database.prepare<[string, string]>('INSERT INTO temp.gone_rates VALUES (?, ?)')
    const insert = this.#database.prepare<Columns>('INSERT INTO temp.changed_rates VALUES (?, ?, ?, ?, ?, ?)')
    for (const piece of piecesOf(gone)) {
      this.#database.aside(() => {
        for (const { direction, prefix } of piece) remove.run(direction, storedPrefix(prefix))
      })
      await nextTurn()
    }
    for (const piece of piecesOf(changed)) {
      this.#database.aside(() => {
        for (const rate of piece) insert.run(...columnsOf(rate))
      })
      await nextTurn()
    }
    const removeAll = this.#database.prepare(
      'DELETE FROM rates WHERE (direction, prefix) IN (SELECT direction, prefix FROM temp.gone_rates)',
    )
    const insertAll = this.#database.prepare(
      `INSERT OR REPLACE INTO rates (direction, prefix, rate_per_minute, increment_seconds, minimum_seconds, connection_fee)
       SELECT * FROM temp.changed_rates ORDER BY direction, prefix`,
    )
    await this.#database.write(() => {
      removeAll.run()
      insertAll.run()
    })
    for (const text of emptyBesideTheDeck) this.#database.prepare(text).run()
  }

  /** In pieces: no other than this class writes to the table, and it makes one change at a time. */
  async #readAgain(): Promise<void> {
    const after = this.#database.prepare<[string, string, number], Row<'rates'>>(
      'SELECT * FROM rates WHERE (direction, prefix) > (?, ?) ORDER BY direction, prefix LIMIT ?',
    )
    const rates: Rate[] = []
    const packer = new DeckPacker()
    for (let last = { direction: '', prefix: '' }; ; ) {
      const rows = after.all(last.direction, last.prefix, ratesInTurn)
      const [end] = rows.slice(-1)
      if (end === undefined) break
      const piece = rows.map(rateOf)
      rates.push(...piece)
      packer.add(piece)
      last = end
      await nextTurn()
    }
    this.#current = rates
    this.#packed = packer.packed()
  }

  #read(): readonly Rate[] {
    const { sql } = this.#database
    return this.#database.all(sql.selectFrom('rates').selectAll().orderBy('direction').orderBy('prefix')).map(rateOf)
  }
}

/** In memory, of this connection alone. What a change that failed has left there goes. */
const besideTheDeck = [
  'CREATE TEMP TABLE IF NOT EXISTS gone_rates (direction TEXT, prefix TEXT, PRIMARY KEY (direction, prefix)) WITHOUT ROWID',
  `CREATE TEMP TABLE IF NOT EXISTS changed_rates (direction TEXT, prefix TEXT, rate_per_minute INTEGER,
     increment_seconds INTEGER, minimum_seconds INTEGER, connection_fee INTEGER, PRIMARY KEY (direction, prefix)) WITHOUT ROWID`,
  'DELETE FROM temp.gone_rates',
  'DELETE FROM temp.changed_rates',
]
const emptyBesideTheDeck = besideTheDeck.slice(2)

const columnsOf = (rate: Rate): Columns => [
  rate.direction,
  storedPrefix(rate.prefix),
  rate.ratePerMinute,
  rate.incrementSeconds,
  rate.minimumSeconds,
  rate.connectionFee,
]

/** As the table has it. */
const storedPrefix = (prefix: string): string => (isSipPrefix(prefix) ? plainSip(prefix) : prefix.replace(/^\+/, ''))

const keyOf = ({ direction, prefix }: Rate): string => `${direction} ${storedPrefix(prefix)}`

const isSame = (known: Rate, rate: Rate): boolean =>
  known.ratePerMinute === rate.ratePerMinute &&
  known.incrementSeconds === rate.incrementSeconds &&
  known.minimumSeconds === rate.minimumSeconds &&
  known.connectionFee === rate.connectionFee

/** As hosts are compared: in lower case, without a dot at the end. */
const plainSip = (prefix: string): string => prefix.toLowerCase().replace(/\.(?=:\d+$|$)/, '')

const rateOf = (row: Row<'rates'>): Rate =>
  Object.freeze({
    prefix: isSipPrefix(row.prefix) ? row.prefix : `+${row.prefix}`,
    direction: row.direction,
    ratePerMinute: row.rate_per_minute,
    incrementSeconds: row.increment_seconds,
    minimumSeconds: row.minimum_seconds,
    connectionFee: row.connection_fee,
  })
