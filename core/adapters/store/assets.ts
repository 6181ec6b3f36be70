import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AssetRecord } from '../../model/asset.ts'
import type { AccountUuid } from '../../model/ids.ts'
import type { Database } from './database.ts'
import { type Page, type PageRange, pageOf } from './page.ts'
import type { QuotaBook } from './quota-book.ts'
import type { Row } from './schema.ts'
import type { Served } from './served.ts'

const folderMode = 0o700
const fileMode = 0o600
const slugForm = /^[a-z0-9-]{1,64}$/

export interface AudioFacts {
  readonly mediaFormat: string
  readonly durationMs: number
}

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

/** Audio that `<Play asset>` names: a row, and a file `<account>/<slug>` in the assets folder. */
export class Assets {
  readonly #rows: Served['assets']
  readonly #folder: string
  /** Bytes that are being written, by account: the database does not count them yet. */
  readonly #arriving = new Map<AccountUuid, number>()

  constructor(rows: Served['assets'], folder: string) {
    this.#rows = rows
    this.#folder = folder
  }

  /** Newest first. */
  list(account: AccountUuid, range: PageRange): Promise<Page<AssetRecord>> {
    return this.#rows.list(account, range)
  }

  find(account: AccountUuid, slug: string): Promise<AssetRecord | undefined> {
    return this.#rows.find(account, slug)
  }

  /** Where the audio of an asset lies. */
  fileOf(asset: AssetRecord): string {
    return join(this.#folder, asset.path)
  }

  async read(account: AccountUuid, slug: string): Promise<{ asset: AssetRecord; bytes: Buffer } | undefined> {
    const asset = await this.find(account, slug)
    if (asset === undefined) return undefined
    return { asset, bytes: await readFile(this.fileOf(asset)) }
  }

  /** New or in place of the old one; a call that plays the old file at that moment hears it to its end. */
  async put(
    account: AccountUuid,
    slug: string,
    bytes: Uint8Array,
    facts: AudioFacts,
    unixMs: number,
  ): Promise<AssetRecord> {
    if (!slugForm.test(slug)) throw new RangeError(`${slug} is no slug`)
    const arriving = this.#arriving.get(account) ?? 0
    this.#arriving.set(account, arriving + bytes.length)
    try {
      await this.#rows.makeRoom(account, slug, arriving + bytes.length, unixMs)
      return await this.#store(account, slug, bytes, facts, unixMs)
    } finally {
      const left = (this.#arriving.get(account) ?? 0) - bytes.length
      if (left > 0) this.#arriving.set(account, left)
      else this.#arriving.delete(account)
    }
  }

  async #store(
    account: AccountUuid,
    slug: string,
    bytes: Uint8Array,
    facts: AudioFacts,
    unixMs: number,
  ): Promise<AssetRecord> {
    const path = join(account, slug)
    await writeWhole(join(this.#folder, path), bytes)
    const asset: AssetRecord = {
      slug,
      mediaFormat: facts.mediaFormat,
      durationMs: Math.round(facts.durationMs),
      sizeBytes: bytes.length,
      path,
      createdUnix: unixMs,
    }
    await this.#rows.put(account, asset)
    return asset
  }

  async remove(account: AccountUuid, slug: string): Promise<boolean> {
    const removed = await this.#rows.remove(account, slug)
    // The row went first: a crash in between leaves a file that nothing names, not a name without a file.
    if (removed !== undefined) await rm(this.fileOf(removed), { force: true })
    return removed !== undefined
  }
}

/** Beside its place, synced, then renamed: at every moment the name has the whole old file or the whole new one. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: folderMode })
  const temporary = `${path}.${randomBytes(6).toString('hex')}.part`
  try {
    const file = await open(temporary, 'wx', fileMode)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (fault) {
    await rm(temporary, { force: true })
    throw fault
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
