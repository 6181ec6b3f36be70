import type BetterSqlite from 'better-sqlite3'
import { StoreError } from './errors.ts'
import { firstSchema } from './first-schema.ts'
import { capsSchema } from './schema-caps.ts'
import { listsSchema } from './schema-lists.ts'
import { mediaHostsSchema } from './schema-media-hosts.ts'
import { outboxAccountSchema } from './schema-outbox-account.ts'
import { secondSchema } from './second-schema.ts'

/** Forward only: entry n takes a database from `user_version` n to n + 1. An entry that was released never changes. */
const migrations: readonly string[] = [
  firstSchema,
  secondSchema,
  mediaHostsSchema,
  capsSchema,
  outboxAccountSchema,
  listsSchema,
]

export const schemaVersion = migrations.length

export const versionOf = (sqlite: BetterSqlite.Database): number =>
  Number(sqlite.pragma('user_version', { simple: true }))

/** Brings the database to `schemaVersion`, each step in a transaction of its own. */
export function migrate(sqlite: BetterSqlite.Database): void {
  for (let version = versionOf(sqlite); version !== schemaVersion; version++) {
    const step = migrations[version]
    if (step === undefined) {
      throw new StoreError(
        'store.too-new',
        `the database has schema ${version}, this program knows ${schemaVersion}: use the newer program`,
      )
    }
    sqlite.transaction(() => {
      sqlite.exec(step)
      sqlite.pragma(`user_version = ${version + 1}`)
    })()
  }
}
