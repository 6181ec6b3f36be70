import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import type { AudioCache, CachedAudio } from './audio-cache.ts'
import type { AudioConverter } from './audio-converter.ts'
import type { AudioFault } from './audio-fault.ts'

/** An uploaded file as it came. */
export interface AssetFile extends CachedAudio {
  /** `wav`, or a kind that has to be converted. */
  readonly mediaFormat: string
}

/** Uploaded audio that is no WAV: it is converted once. */
export class AssetAudio {
  readonly #cache: AudioCache
  readonly #converter: AudioConverter
  /** Calls that need the same conversion at the same time share it. */
  readonly #underWay = new Map<string, Promise<CachedAudio | AudioFault>>()

  constructor(cache: AudioCache, converter: AudioConverter) {
    this.#cache = cache
    this.#converter = converter
  }

  /** Rejects when the file cannot be read. */
  async load(owner: string, file: AssetFile): Promise<CachedAudio | AudioFault> {
    // An asset that is replaced keeps its path: its time and size distinguish the versions.
    const { mtimeMs, size } = await stat(file.path)
    const key = createHash('sha256')
      .update(JSON.stringify([file.path, mtimeMs, size]))
      .digest('hex')
    const underWay = this.#underWay.get(key)
    if (underWay !== undefined) return underWay
    const result = this.#find(owner, key, file.path).finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, result)
    return result
  }

  async #find(owner: string, key: string, path: string): Promise<CachedAudio | AudioFault> {
    const kept = await this.#cache.find(key)
    if (kept !== undefined) return kept
    const bytes = await readFile(path)
    return this.#cache.make(owner, key, part => this.#converter.convert(owner, bytes, part))
  }
}
