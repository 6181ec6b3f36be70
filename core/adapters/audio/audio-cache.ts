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
 * used a moment ago the bound gives way, up to twice the size; then `put` rejects.
 */
export class AudioCache {
  readonly #options: Required<AudioCacheOptions>
  /** In the order of use, the oldest first; a Map keeps it. */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0
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

  async put(key: string, durationMs: number, content: Uint8Array): Promise<CachedAudio> {
    await this.#open()
    await this.#makeRoom(content.length)
    const name = `${key}-${Math.round(durationMs)}.wav`
    const part = this.#pathOf(`${randomUUID()}.part`)
    try {
      await writeFile(part, content)
      await rename(part, this.#pathOf(name))
    } catch (error) {
      await rm(part, { force: true })
      throw error
    }
    return await this.#made(key, { name, bytes: content.length, durationMs })
  }

  /**
   * The same for a file that `write` makes at the path given to it, or says why it cannot; then there is none.
   * `durationMs` of what was written.
   */
  async make<Fault extends { readonly ok: false }>(
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
      await this.#makeRoom(size)
      const durationMs = Math.round(written.durationMs)
      const name = `${key}-${durationMs}.wav`
      await rename(part, this.#pathOf(name))
      return await this.#made(key, { name, bytes: size, durationMs })
    } catch (error) {
      await rm(part, { force: true })
      throw error
    }
  }

  /** A file that is played while it is written; its bytes count as those of the others do. */
  async grow(sampleRate: number): Promise<GrowingWav> {
    await this.#open()
    const path = this.#pathOf(`${randomUUID()}.part`)
    const file = await open(path, 'wx', 0o600)
    const reserve = async (bytes: number) => {
      await this.#makeRoom(bytes)
      this.#bytes += bytes
    }
    return GrowingWav.begin(path, file, sampleRate, reserve)
  }

  /** What has grown to its end is found from now on; its own path stays until it is released. */
  async keep(key: string, grown: GrowingWav): Promise<CachedAudio> {
    const { path, bytes } = grown
    const durationMs = Math.round(grown.durationMs)
    const name = `${key}-${durationMs}.wav`
    await rm(this.#pathOf(name), { force: true })
    // One file by two names, where the file system has that.
    await link(path, this.#pathOf(name)).catch(() => copyFile(path, this.#pathOf(name)))
    this.#bytes -= grown.disown()
    return await this.#made(key, { name, bytes, durationMs })
  }

  /** No call plays it any more. */
  async release(grown: GrowingWav): Promise<void> {
    this.#bytes -= grown.disown()
    await rm(grown.path, { force: true })
  }

  #pathOf(name: string): string {
    return join(this.#options.folder, name)
  }

  async #makeRoom(wanted: number): Promise<void> {
    const { maxBytes, graceMs, unixMs, folder } = this.#options
    const usedBefore = unixMs() - graceMs
    for (const [key, entry] of this.#entries) {
      if (this.#bytes + wanted <= maxBytes || entry.usedUnix > usedBefore) break
      this.#forget(key)
      await rm(this.#pathOf(entry.name), { force: true })
    }
    if (this.#bytes + wanted > 2 * maxBytes) throw new Error(`the cache ${folder} is full`)
  }

  async #made(key: string, file: Pick<Entry, 'name' | 'bytes' | 'durationMs'>): Promise<CachedAudio> {
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
    this.#bytes += entry.bytes
  }

  #forget(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0
    this.#entries.delete(key)
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
      found.push([match[1] ?? '', { name, bytes: size, durationMs: Number(match[2]), madeSeconds, usedUnix }])
    }
    for (const [key, entry] of found.sort((a, b) => a[1].usedUnix - b[1].usedUnix)) this.#remember(key, entry)
  }
}
