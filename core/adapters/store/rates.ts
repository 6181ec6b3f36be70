import { isSipPrefix } from '../../billing/sip-prefix.ts'
import type { Rate } from '../../model/rate.ts'
import type { Database } from './database.ts'
import type { Row } from './schema.ts'

/** The rate deck: replaced whole, read from memory. */
export class Rates {
  readonly #database: Database
  #current: readonly Rate[]
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

  /** Calls `changed` after every change. Returns what stops it. */
  watch(changed: () => void): () => void {
    this.#watchers.add(changed)
    return () => this.#watchers.delete(changed)
  }

  /**
   * A prefix is digits, with or without `+`, or begins with `sip:`; of two rows of the same prefix and direction the later one
   * counts. Only rows that differ are written: calls wait for the writer, and a deck may have 50,000 rows.
   */
  replace(rates: readonly Rate[]): Promise<void> {
    const replaced = this.#last.then(() => this.#replace(rates))
    this.#last = replaced.catch(() => {})
    return replaced
  }

  async #replace(rates: readonly Rate[]): Promise<void> {
    const known = new Map(this.#current.map(rate => [keyOf(rate), rate]))
    const wanted = new Map(rates.map(rate => [keyOf(rate), rate]))
    const gone = [...known].filter(([key]) => !wanted.has(key)).map(([, rate]) => rate)
    const changed = [...wanted].filter(([key, rate]) => !isSame(known.get(key), rate)).map(([, rate]) => rate)
    if (gone.length + changed.length === 0) return
    const remove = this.#database.prepare<[string, string]>('DELETE FROM rates WHERE direction = ? AND prefix = ?')
    const insert = this.#database.prepare<[string, string, number, number, number, number]>(
      'INSERT OR REPLACE INTO rates (direction, prefix, rate_per_minute, increment_seconds, minimum_seconds, connection_fee) VALUES (?, ?, ?, ?, ?, ?)',
    )
    await this.#database.write(() => {
      for (const { direction, prefix } of gone) remove.run(direction, storedPrefix(prefix))
      for (const rate of changed) {
        insert.run(
          rate.direction,
          storedPrefix(rate.prefix),
          rate.ratePerMinute,
          rate.incrementSeconds,
          rate.minimumSeconds,
          rate.connectionFee,
        )
      }
    })
    this.#current = this.#read()
    for (const watcher of this.#watchers) watcher()
  }

  #read(): readonly Rate[] {
    const { sql } = this.#database
    return this.#database.all(sql.selectFrom('rates').selectAll().orderBy('direction').orderBy('prefix')).map(rateOf)
  }
}

/** As the table has it. */
const storedPrefix = (prefix: string): string => (isSipPrefix(prefix) ? plainSip(prefix) : prefix.replace(/^\+/, ''))

const keyOf = ({ direction, prefix }: Rate): string => `${direction} ${storedPrefix(prefix)}`

const isSame = (known: Rate | undefined, rate: Rate): boolean =>
  known !== undefined &&
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
