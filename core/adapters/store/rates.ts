import { isSipPrefix } from '../../billing/sip-prefix.ts'
import type { Rate } from '../../model/rate.ts'
import type { Database } from './database.ts'
import type { Row } from './schema.ts'

/** The rate deck: replaced whole, read from memory. */
export class Rates {
  readonly #database: Database
  #current: readonly Rate[]
  readonly #watchers = new Set<() => void>()

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

  /** A prefix is digits, with or without `+`, or begins with `sip:`; of two rows of the same prefix and direction the later one counts. */
  async replace(rates: readonly Rate[]): Promise<void> {
    const insert = this.#database.prepare<[string, string, number, number, number, number]>(
      'INSERT OR REPLACE INTO rates (direction, prefix, rate_per_minute, increment_seconds, minimum_seconds, connection_fee) VALUES (?, ?, ?, ?, ?, ?)',
    )
    await this.#database.write(() => {
      this.#database.run(this.#database.sql.deleteFrom('rates'))
      for (const rate of rates) {
        insert.run(
          rate.direction,
          isSipPrefix(rate.prefix) ? plainSip(rate.prefix) : rate.prefix.replace(/^\+/, ''),
          rate.ratePerMinute,
          rate.incrementSeconds,
          rate.minimumSeconds,
          rate.connectionFee,
        )
      }
    })
    this.#current = this.#read()
    for (const changed of this.#watchers) changed()
  }

  #read(): readonly Rate[] {
    const { sql } = this.#database
    return this.#database.all(sql.selectFrom('rates').selectAll().orderBy('direction').orderBy('prefix')).map(rateOf)
  }
}

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
