import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AssetRecord } from '../../model/asset.ts'
import type { AccountUuid } from '../../model/ids.ts'
import type { Database } from './database.ts'
import { type Page, type PageRange, pageOf } from './page.ts'
import type { QuotaBook } from './quota-book.ts'
import type { Row } from './schema.ts'

const folderMode = 0o700
const fileMode = 0o600
const slugForm = /^[a-z0-9-]{1,64}$/

export interface AudioFacts {
  readonly mediaFormat: string
  readonly durationMs: number
}

/** Audio that `<Play asset>` names: a row, and a file `<account>/<slug>` in the assets folder. */
export class Assets {
  readonly #database: Database
  readonly #folder: string
  readonly #quotas: QuotaBook
  /** Bytes that are being written, by account: the database does not count them yet. */
  readonly #arriving = new Map<AccountUuid, number>()
  readonly #find

  constructor(database: Database, folder: string, quotas: QuotaBook) {
    this.#database = database
    this.#folder = folder
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

  find(account: AccountUuid, slug: string): AssetRecord | undefined {
    const row = this.#find.get(account, slug)
    return row === undefined ? undefined : recordOf(row)
  }

  /** Where the audio of an asset lies; undefined when there is none. */
  fileOf(account: AccountUuid, slug: string): string | undefined {
    const asset = this.find(account, slug)
    return asset === undefined ? undefined : join(this.#folder, asset.path)
  }

  async read(account: AccountUuid, slug: string): Promise<{ asset: AssetRecord; bytes: Buffer } | undefined> {
    const asset = this.find(account, slug)
    if (asset === undefined) return undefined
    return { asset, bytes: await readFile(join(this.#folder, asset.path)) }
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
      await this.#database.write(() => {
        const replaced = this.#find.get(account, slug)?.size_bytes ?? 0
        this.#quotas.take(account, 'assetBytes', arriving + bytes.length - replaced, unixMs)
      })
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
    const row: Row<'assets'> = {
      account_uuid: account,
      slug,
      media_format: facts.mediaFormat,
      duration_ms: Math.round(facts.durationMs),
      size_bytes: bytes.length,
      path,
      created_unix: unixMs,
    }
    const { account_uuid: _account, slug: _slug, ...changing } = row
    await this.#database.write(() =>
      this.#database.run(
        this.#database.sql
          .insertInto('assets')
          .values(row)
          .onConflict(conflict => conflict.columns(['account_uuid', 'slug']).doUpdateSet(changing)),
      ),
    )
    return recordOf(row)
  }

  async remove(account: AccountUuid, slug: string): Promise<boolean> {
    const file = this.fileOf(account, slug)
    const removed = await this.#database.write(() =>
      this.#database.run(
        this.#database.sql.deleteFrom('assets').where('account_uuid', '=', account).where('slug', '=', slug),
      ),
    )
    // The row went first: a crash in between leaves a file that nothing names, not a name without a file.
    if (file !== undefined) await rm(file, { force: true })
    return removed > 0
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
