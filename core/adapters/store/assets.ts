import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AssetRecord } from '../../model/asset.ts'
import type { AccountUuid } from '../../model/ids.ts'
import { FairQueue, QueueFull } from '../queue/fair-queue.ts'
import { AssetUpload, type MayChange, storedFile } from './asset-upload.ts'
import { StoreError } from './errors.ts'
import type { Page, PageRange } from './page.ts'
import type { Served } from './served.ts'

/**
 * Uploads that are read at once, those of one account, and those that wait. A slow client occupies a place of its own
 * account.
 */
const arrivingAtOnce = { width: 32, widthPerOwner: 4, maxWaiting: 1000, maxWaitingPerOwner: 64 }
/** One upload is synced at a time: a commit of calls' rows that comes meanwhile waits for one slice of one upload. */
const syncedAtOnce = {
  width: 1,
  widthPerOwner: 1,
  maxWaiting: arrivingAtOnce.width,
  maxWaitingPerOwner: arrivingAtOnce.width,
}
const slugForm = /^[a-z0-9-]{1,64}$/

export interface AudioFacts {
  readonly mediaFormat: string
  readonly durationMs: number
}

/** What was stored, and when its file was written. */
interface ReceivedAsset extends AssetRecord {
  readonly modifiedMs: number
}

/** Audio that `<Play asset>` names: a row, and a file `<account>/<slug>` in the assets folder. */
export class Assets {
  readonly #rows: Served['assets']
  readonly #folder: string
  readonly #queue = new FairQueue(arrivingAtOnce)
  readonly #syncs = new FairQueue(syncedAtOnce)
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

  /** The audio of an asset, as calls play it; undefined: the account has none of that slug. */
  async audioOf(account: AccountUuid, slug: string): Promise<(AudioFacts & { readonly path: string }) | undefined> {
    const asset = await this.find(account, slug)
    if (asset === undefined) return undefined
    return { path: this.fileOf(asset), durationMs: asset.durationMs, mediaFormat: asset.mediaFormat }
  }

  /** Where the audio of an asset is. */
  fileOf(asset: AssetRecord): string {
    return join(this.#folder, asset.path)
  }

  /** New or in place of the old one; a call that plays the old file at that moment plays it to its end. */
  put(account: AccountUuid, slug: string, bytes: Uint8Array, facts: AudioFacts, unixMs: number): Promise<AssetRecord> {
    return this.receive(account, slug, bytes.length, unixMs, async upload => {
      await upload.write(bytes)
      return facts
    })
  }

  /**
   * The same, as the bytes arrive: `fill` writes them and says what they are. It is called when the account has a place;
   * `announced` bytes have room then, or it rejects with `store.quota`. Nothing is stored where `fill` rejects.
   */
  async receive(
    account: AccountUuid,
    slug: string,
    announced: number,
    unixMs: number,
    fill: (upload: AssetUpload) => Promise<AudioFacts>,
  ): Promise<ReceivedAsset> {
    if (!slugForm.test(slug)) throw new RangeError(`${slug} is no slug`)
    return unlessBusy(this.#queue.run(account, () => this.#receive(account, slug, announced, unixMs, fill)))
  }

  async #receive(
    account: AccountUuid,
    slug: string,
    announced: number,
    unixMs: number,
    fill: (upload: AssetUpload) => Promise<AudioFacts>,
  ): Promise<ReceivedAsset> {
    const path = join(account, slug)
    let counted = 0
    const count = async (bytes: number): Promise<void> => {
      const arriving = this.#count(account, bytes - counted)
      counted = bytes
      await this.#rows.makeRoom(account, slug, arriving, unixMs)
    }
    let upload: AssetUpload | undefined
    try {
      await count(announced)
      upload = await AssetUpload.open(join(this.#folder, path), work => this.#syncs.run(account, work))
      const facts = await fill(upload)
      if (upload.length !== announced) await count(upload.length)
      const { modifiedMs } = await upload.place()
      const asset: AssetRecord = {
        slug,
        mediaFormat: facts.mediaFormat,
        durationMs: Math.round(facts.durationMs),
        sizeBytes: upload.length,
        path,
        createdUnix: unixMs,
      }
      await this.#rows.put(account, asset)
      return { ...asset, modifiedMs }
    } finally {
      this.#count(account, -counted)
      await upload?.close()
    }
  }

  /** Bytes of the account that are arriving now. */
  #count(account: AccountUuid, more: number): number {
    const arriving = (this.#arriving.get(account) ?? 0) + more
    if (arriving > 0) this.#arriving.set(account, arriving)
    else this.#arriving.delete(account)
    return arriving
  }

  /** False: there is none. `mayRemove` is asked when no upload can come between it and the end of the file. */
  async remove(account: AccountUuid, slug: string, mayRemove?: MayChange): Promise<boolean> {
    if (mayRemove === undefined) return this.#remove(account, slug)
    const asset = await this.find(account, slug)
    if (asset === undefined) return false
    return unlessBusy(
      this.#syncs.run(account, async () => {
        mayRemove(await storedFile(this.fileOf(asset)))
        return this.#remove(account, slug)
      }),
    )
  }

  async #remove(account: AccountUuid, slug: string): Promise<boolean> {
    const removed = await this.#rows.remove(account, slug)
    // The row went first: a crash in between leaves a file that nothing names, not a name without a file.
    if (removed !== undefined) await rm(this.fileOf(removed), { force: true })
    return removed !== undefined
  }
}

async function unlessBusy<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (fault) {
    if (fault instanceof QueueFull) throw new StoreError('store.busy', 'too many uploads are waiting')
    throw fault
  }
}
