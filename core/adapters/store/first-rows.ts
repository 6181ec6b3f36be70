import { silentLog } from '../system/silent-log.ts'
import { systemClock } from '../system/system-clock.ts'
import { openDatabase } from './database.ts'
import { openRepositories } from './repositories.ts'
import { storeOver } from './store.ts'

interface FirstRows {
  /** Name of the first account; none when it is missing. */
  readonly account?: string | undefined
  /** Carrier of all outbound calls; none when it is missing. */
  readonly trunk?: { readonly host: string; readonly inboundHosts: readonly string[] } | undefined
}

/** Makes the database of a data folder with its first rows. Gives the account's API key, which nothing else shows. */
export async function makeFirstRows(
  folder: string,
  publicUrl: string,
  { account, trunk }: FirstRows,
): Promise<{ readonly key: string | undefined }> {
  const database = openDatabase(folder)
  try {
    const { accounts, trunks } = openRepositories(
      storeOver(database, { clock: systemClock, log: silentLog }),
      publicUrl,
    )
    const unixMs = systemClock.unixMs()
    if (trunk !== undefined)
      await trunks.create(
        { name: 'carrier', host: trunk.host, inboundHosts: trunk.inboundHosts, prefixes: ['+'] },
        unixMs,
      )
    return { key: account === undefined ? undefined : (await accounts.create({ name: account }, unixMs)).key }
  } finally {
    database.close()
  }
}
