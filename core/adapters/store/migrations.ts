import type BetterSqlite from 'better-sqlite3'
import { StoreError } from './errors.ts'
import { firstSchema } from './first-schema.ts'
import { callProblemSchema } from './schema-call-problem.ts'
import { capsSchema } from './schema-caps.ts'
import { givenUpSchema } from './schema-given-up.ts'
import { listsSchema } from './schema-lists.ts'
import { mediaHostsSchema } from './schema-media-hosts.ts'
import { mediaSourceSchema } from './schema-media-source.ts'
import { openDialsSchema } from './schema-open-dials.ts'
import { outboxAccountSchema } from './schema-outbox-account.ts'
import { portalSchema } from './schema-portal.ts'
import { secondSchema } from './second-schema.ts'

interface Migration {
  /** What it does, for the operator. */
  readonly about: string
  readonly sql: string
}

/** Forward only: entry n takes a database from `user_version` n to n + 1. An entry that was released never changes. */
const migrations: readonly Migration[] = [
  { about: 'makes the tables', sql: firstSchema },
  { about: 'adds the quality of their legs to calls, and an index to callbacks', sql: secondSchema },
  { about: 'adds media_hosts to trunks', sql: mediaHostsSchema },
  { about: 'adds caps of inbound calls and dialled legs to accounts', sql: capsSchema },
  { about: 'adds the account to callbacks that wait', sql: outboxAccountSchema },
  { about: 'adds indices for lists', sql: listsSchema },
  { about: 'adds sessions of the portal, revisions of documents and changes by operators', sql: portalSchema },
  { about: 'adds an index to callbacks that were given up', sql: givenUpSchema },
  { about: 'adds media_source to trunks', sql: mediaSourceSchema },
  { about: 'adds to legs the Dial whose last event is to be written', sql: openDialsSchema },
  { about: 'adds to calls what was not done in them', sql: callProblemSchema },
]

export const schemaVersion = migrations.length

/** What the start of this program would do to a database of an older schema, one line a step. */
export const migrationsFrom = (version: number): readonly string[] =>
  migrations.slice(version).map(({ about }, at) => `${version + at} to ${version + at + 1}: ${about}`)

export const versionOf = (sqlite: BetterSqlite.Database): number =>
  Number(sqlite.pragma('user_version', { simple: true }))

/** Brings the database to `schemaVersion`, each step in a transaction of its own. */
export function migrate(sqlite: BetterSqlite.Database): void {
  for (let version = versionOf(sqlite); version !== schemaVersion; version++) {
    const step = migrations[version]
    if (step === undefined) {
      throw new StoreError(
        'store.too-new',
        `the database has schema ${version}, this program knows ${schemaVersion}: ` +
          'start the newer program that wrote it, or restore a backup from before the upgrade (sauti restore DIR --replace)',
      )
    }
    sqlite.transaction(() => {
      sqlite.exec(step.sql)
      sqlite.pragma(`user_version = ${version + 1}`)
    })()
  }
}
