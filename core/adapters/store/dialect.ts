import type BetterSqlite from 'better-sqlite3'
import { type Dialect, type Driver, SqliteAdapter, SqliteDriver, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { StoreError } from './errors.ts'

const noTransactions = () =>
  Promise.reject(
    // An open transaction across an await would take in whatever the group commit writes meanwhile.
    new StoreError('store.misuse', 'transactions go through Database.write, which is one step of the event loop'),
  )

/** Kysely over the store's own connection: for reads, and for single statements that stand alone. */
export const sharedConnectionDialect = (sqlite: BetterSqlite.Database): Dialect => ({
  createAdapter: () => new SqliteAdapter(),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createIntrospector: database => new SqliteIntrospector(database),
  createDriver: (): Driver => {
    const driver = new SqliteDriver({ database: sqlite })
    return Object.assign(driver, { beginTransaction: noTransactions, destroy: () => Promise.resolve() })
  },
})
