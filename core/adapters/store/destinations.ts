import { defaultBlocked } from '../../billing/destinations.ts'
import type { Database } from './database.ts'

export interface DestinationLists {
  readonly blocked: readonly string[]
  readonly allowed: readonly string[]
}

/** Where calls may go: the operator's lists, replaced whole, over the premium and satellite prefixes of the house. */
export class DestinationStore {
  readonly #database: Database
  #lists: DestinationLists
  #current: DestinationLists
  readonly #watchers = new Set<() => void>()

  constructor(database: Database) {
    this.#database = database
    this.#lists = this.#read()
    this.#current = beyondDefaults(this.#lists)
  }

  /** What the operator has set; before that, what is blocked by default. */
  get(): DestinationLists {
    return this.#lists
  }

  /**
   * What the operator's lists add to the premium and satellite prefixes, which stay blocked until they are allowed: one of
   * those that is also written in `blocked`, as `get` shows it at first, does not stand against `allowed`.
   */
  current(): DestinationLists {
    return this.#current
  }

  /** Calls `changed` after every change. Returns what stops it. */
  watch(changed: () => void): () => void {
    this.#watchers.add(changed)
    return () => this.#watchers.delete(changed)
  }

  async replace(lists: DestinationLists): Promise<void> {
    const insert = this.#database.prepare<[string, string]>(
      'INSERT OR IGNORE INTO destinations (prefix, permission) VALUES (?, ?)',
    )
    await this.#database.write(() => {
      this.#database.run(this.#database.sql.deleteFrom('destinations'))
      for (const prefix of lists.blocked) insert.run(prefix.replace(/^\+/, ''), 'blocked')
      for (const prefix of lists.allowed) insert.run(prefix.replace(/^\+/, ''), 'allowed')
      this.#database.run(
        this.#database.sql
          .insertInto('settings')
          .values({ key: 'destinations_set', value: '1' })
          .onConflict(conflict => conflict.column('key').doNothing()),
      )
    })
    this.#lists = this.#read()
    this.#current = beyondDefaults(this.#lists)
    for (const changed of this.#watchers) changed()
  }

  #read(): DestinationLists {
    const { sql } = this.#database
    const wereSet = this.#database.get(sql.selectFrom('settings').select('value').where('key', '=', 'destinations_set'))
    if (wereSet === undefined) return Object.freeze({ blocked: defaultBlocked, allowed: [] })
    const rows = this.#database.all(sql.selectFrom('destinations').selectAll().orderBy('prefix'))
    const of = (permission: 'blocked' | 'allowed') =>
      rows.filter(row => row.permission === permission).map(row => `+${row.prefix}`)
    return Object.freeze({ blocked: of('blocked'), allowed: of('allowed') })
  }
}

export const beyondDefaults = ({ blocked, allowed }: DestinationLists): DestinationLists =>
  Object.freeze({ blocked: blocked.filter(prefix => !defaultBlocked.includes(prefix)), allowed })
