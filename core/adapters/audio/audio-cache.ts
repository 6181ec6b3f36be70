import { randomUUID } from 'node:crypto'
import { copyFile, link, mkdir, open, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { GrowingWav } from './growing-wav.ts'

interface AudioCacheOptions {
  readonly folder: string
  /** Above it the files that were used longest ago are removed. */
  readonly maxBytes: number
  /** A file used within this time stays: a call may be about to open it. Default 60 000. */
  readonly graceMs?: number
  /** Wall clock. Default `Date.now`. */
  readonly unixMs?: () => number
}

export interface CachedAudio {
  readonly path: string
  readonly durationMs: number
}

interface Entry {
  /** The account that caused it; undefined for a file that an earlier run left. */
  readonly owner: string | undefined
  readonly name: string
  readonly bytes: number
  readonly durationMs: number
  /** Whole seconds, which the file system gives back as they were. */
  readonly madeSeconds: number
  usedUnix: number
}

/** `<key>-<durationMs>.wav`: the length is known without opening the file. */
const fileName = /^([0-9a-f]{64})-(\d{1,9})\.wav$/

/**
 * WAV files by the hash of what they hold, written whole or not at all, of a bounded total size. When all of it was
 * used a moment ago the bound gives way, up to twice the size; then `put` rejects. Every account may find them all, but
 * what one has caused is at most half of that, and beyond half of the size it makes room by its own files alone: one
 * that fills the cache is refused for itself, not for the others.
 */
export class AudioCache {
  readonly #options: Required<AudioCacheOptions>
  /** In the order of use, the oldest first; a Map keeps it. */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0
  readonly #bytesOf = new Map<string, number>()
  #opened: Promise<void> | undefined

  constructor(options: AudioCacheOptions) {
    this.#options = { graceMs: 60_000, unixMs: Date.now, ...options }
  }

  get bytes(): number {
    return this.#bytes
  }

  /** `key`: 64 hexadecimal digits. A file that is found counts as used now. */
  async find(key: string): Promise<CachedAudio | undefined> {
    await this.#open()
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    const usedUnix = this.#options.unixMs()
    try {
      // Shows whether the file is still there, and lets the next start know when it was used. When it was made stays: a
      // prompt that is kept encoded is known by it.
      await utimes(this.#pathOf(entry.name), usedUnix / 1000, entry.madeSeconds)
    } catch {
      this.#forget(key)
      return undefined
    }
    entry.usedUnix = usedUnix
    if (this.#entries.delete(key)) this.#entries.set(key, entry)
    return { path: this.#pathOf(entry.name), durationMs: entry.durationMs }
  }

  async put(owner: string, key: string, durationMs: number, content: Uint8Array): Promise<CachedAudio> {
    await this.#open()
    await this.#makeRoom(owner, content.length)
    const name = `${key}-${Math.round(durationMs)}.wav`
    const part = this.#pathOf(`${randomUUID()}.part`)
    try {
      await writeFile(part, content)
      await rename(part, this.#pathOf(name))
    } catch (error) {
      await rm(part, { force: true })
      throw error
    }
    return await this.#made(key, { owner, name, bytes: content.length, durationMs })
  }

  /**
   * The same for a file that `write` makes at the path given to it, or says why it cannot; then there is none.
   * `durationMs` of what was written.
   */
  async make<Fault extends { readonly ok: false }>(
    owner: string,
    key: string,
    write: (path: string) => Promise<{ readonly durationMs: number } | Fault>,
  ): Promise<CachedAudio | Fault> {
    await this.#open()
    const part = this.#pathOf(`${randomUUID()}.part`)
    try {
      const written = await write(part)
      if ('ok' in written) {
        await rm(part, { force: true })
        return written
      }
      const { size } = await stat(part)
      await this.#makeRoom(owner, size)
      const durationMs = Math.round(written.durationMs)
      const name = `${key}-${durationMs}.wav`
      await rename(part, this.#pathOf(name))
      return await this.#made(key, { owner, name, bytes: size, durationMs })
    } catch (error) {
      await rm(part, { force: true })
      throw error
    }
  }

  /** A file that is played while it is written; its bytes count as those of the others do. */
  async grow(owner: string, sampleRate: number): Promise<GrowingWav> {
    await this.#open()
    const path = this.#pathOf(`${randomUUID()}.part`)
    const file = await open(path, 'wx', 0o600)
    const reserve = async (bytes: number) => {
      await this.#makeRoom(owner, bytes)
      this.#count(owner, bytes)
    }
    try {
      return await GrowingWav.begin({ owner, path, file, sampleRate, reserve })
    } catch (error) {
      await file.close()
      await rm(path, { force: true })
      throw error
    }
  }

  /** What has grown to its end is found from now on; its own path stays until it is released. */
  async keep(key: string, grown: GrowingWav): Promise<CachedAudio> {
    const kept = await this.find(key)
    // Another account had the same made meanwhile: a call may be about to open that file.
    if (kept !== undefined) return kept
    const { owner, path, bytes } = grown
    const durationMs = Math.round(grown.durationMs)
    const name = `${key}-${durationMs}.wav`
    await rm(this.#pathOf(name), { force: true })
    // One file by two names, where the file system has that.
    await link(path, this.#pathOf(name)).catch(() => copyFile(path, this.#pathOf(name)))
    this.#count(owner, -grown.disown())
    return await this.#made(key, { owner, name, bytes, durationMs })
  }

  /** No call plays it any more. */
  async release(grown: GrowingWav): Promise<void> {
    this.#count(grown.owner, -grown.disown())
    await rm(grown.path, { force: true })
  }

  #pathOf(name: string): string {
    return join(this.#options.folder, name)
  }

  async #makeRoom(owner: string, wanted: number): Promise<void> {
    const { maxBytes, graceMs, unixMs, folder } = this.#options
    const usedBefore = unixMs() - graceMs
    for (const [key, entry] of this.#entries) {
      if (this.#bytes + wanted <= maxBytes || entry.usedUnix > usedBefore) break
      const isAnothers = entry.owner !== undefined && entry.owner !== owner
      if (isAnothers && this.#ownBytes(owner) + wanted > maxBytes / 2) continue
      this.#forget(key)
      await rm(this.#pathOf(entry.name), { force: true })
    }
    if (this.#ownBytes(owner) + wanted > maxBytes) throw new Error(`the account's share of the cache ${folder} is full`)
    if (this.#bytes + wanted > 2 * maxBytes) throw new Error(`the cache ${folder} is full`)
  }

  async #made(key: string, file: Pick<Entry, 'owner' | 'name' | 'bytes' | 'durationMs'>): Promise<CachedAudio> {
    const usedUnix = this.#options.unixMs()
    const madeSeconds = Math.floor(usedUnix / 1000)
    const path = this.#pathOf(file.name)
    await utimes(path, usedUnix / 1000, madeSeconds)
    this.#remember(key, { ...file, madeSeconds, usedUnix })
    return { path, durationMs: file.durationMs }
  }

  #remember(key: string, entry: Entry): void {
    this.#forget(key)
    this.#entries.set(key, entry)
    this.#count(entry.owner, entry.bytes)
  }

  #forget(key: string): void {
    const entry = this.#entries.get(key)
    if (entry !== undefined) this.#count(entry.owner, -entry.bytes)
    this.#entries.delete(key)
  }

  #ownBytes(owner: string): number {
    return this.#bytesOf.get(owner) ?? 0
  }

  #count(owner: string | undefined, bytes: number): void {
    this.#bytes += bytes
    if (owner === undefined) return
    const own = this.#ownBytes(owner) + bytes
    if (own === 0) this.#bytesOf.delete(owner)
    else this.#bytesOf.set(owner, own)
  }

  #open(): Promise<void> {
    this.#opened ??= this.#scan().catch(error => {
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }

  /** Takes over what an earlier run left; what a crash left half written goes. */
  async #scan(): Promise<void> {
    await mkdir(this.#options.folder, { recursive: true })
    const found: [key: string, entry: Entry][] = []
    for (const name of await readdir(this.#options.folder)) {
      const match = fileName.exec(name)
      if (match === null) {
        if (name.endsWith('.part')) await rm(this.#pathOf(name), { force: true })
        continue
      }
      const { size, atimeMs, mtimeMs } = await stat(this.#pathOf(name))
      const madeSeconds = Math.floor(mtimeMs / 1000)
      const usedUnix = Math.max(atimeMs, mtimeMs)
      const durationMs = Number(match[2])
      found.push([match[1] ?? '', { owner: undefined, name, bytes: size, durationMs, madeSeconds, usedUnix }])
    }
    for (const [key, entry] of found.sort((a, b) => a[1].usedUnix - b[1].usedUnix)) this.#remember(key, entry)
  }
}
