import type { AssetRecord } from '../../model/asset.ts'
import type { AccountUuid } from '../../model/ids.ts'
import type { Database } from './database.ts'
import { type Page, type PageRange, pageOf } from './page.ts'
import type { QuotaBook } from './quota-book.ts'
import type { Row } from './schema.ts'

/** What is known of the audio that `<Play asset>` names. */
export class AssetRows {
  readonly #database: Database
  readonly #quotas: QuotaBook
  readonly #find

  constructor(database: Database, quotas: QuotaBook) {
    this.#database = database
    this.#quotas = quotas
    this.#find = database.prepare<[AccountUuid, string], Row<'assets'>>(
      'SELECT * FROM assets WHERE account_uuid = ? AND slug = ?',
    )
  }

  /** Newest first. */
  list(account: AccountUuid, range: PageRange): Promise<Page<AssetRecord>> {
    const of = this.#database.sql.selectFrom('assets').selectAll().where('account_uuid', '=', account)
    return pageOf(of.orderBy('created_unix', 'desc').orderBy('slug'), range, recordOf)
  }

  async find(account: AccountUuid, slug: string): Promise<AssetRecord | undefined> {
    const row = this.#find.get(account, slug)
    return row === undefined ? undefined : recordOf(row)
  }

  /** Rejects with `store.quota` when the account may not store `bytes` more, less what `slug` takes already. */
  makeRoom(account: AccountUuid, slug: string, bytes: number, unixMs: number): Promise<void> {
    return this.#database.write(() => {
      const replaced = this.#find.get(account, slug)?.size_bytes ?? 0
      this.#quotas.take(account, 'assetBytes', bytes - replaced, unixMs)
    })
  }

  /** New or in place of the old one. */
  async put(account: AccountUuid, asset: AssetRecord): Promise<void> {
    const changing = {
      media_format: asset.mediaFormat,
      duration_ms: asset.durationMs,
      size_bytes: asset.sizeBytes,
      path: asset.path,
      created_unix: asset.createdUnix,
    }
    await this.#database.write(() =>
      this.#database.run(
        this.#database.sql
          .insertInto('assets')
          .values({ account_uuid: account, slug: asset.slug, ...changing })
          .onConflict(conflict => conflict.columns(['account_uuid', 'slug']).doUpdateSet(changing)),
      ),
    )
  }

  /** What was known; undefined when there was none. */
  remove(account: AccountUuid, slug: string): Promise<AssetRecord | undefined> {
    return this.#database.write(() => {
      const row = this.#find.get(account, slug)
      if (row === undefined) return undefined
      this.#database.run(
        this.#database.sql.deleteFrom('assets').where('account_uuid', '=', account).where('slug', '=', slug),
      )
      return recordOf(row)
    })
  }
}

const recordOf = (row: Row<'assets'>): AssetRecord => ({
  slug: row.slug,
  mediaFormat: row.media_format,
  durationMs: row.duration_ms,
  sizeBytes: row.size_bytes,
  path: row.path,
  createdUnix: row.created_unix,
})
