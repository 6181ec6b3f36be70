import { createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import { storedOf } from '../adapters/recordings/recording-hand-over.ts'
import type { Repositories } from '../adapters/store/repositories.ts'
import type { AccountUuid, CallUuid } from '../model/ids.ts'
import type { RecordingStorage } from '../ports/recording-storage.ts'
import { type Range, rangeOf } from './accounts.ts'
import { SwitchError } from './errors.ts'

/** A recording, as the API shows it. */
export interface Recording {
  readonly uuid: string
  readonly callSid: string
  /** Seconds; undefined while it is made. */
  readonly duration: number | undefined
  readonly sizeBytes: number | undefined
  readonly mediaFormat: 'wav' | 'ogg'
  readonly createdAt: Date
}

/** Recordings, as `/recordings/` has them: those that are in the data folder, and those of `recordings` of `Switch.open`. */
export class Recordings {
  readonly #rows: Repositories['recordings']
  readonly #storage: RecordingStorage | undefined
  readonly #waiting: () => number
  readonly #unixMs: () => number

  /** @internal */
  constructor(
    rows: Repositories['recordings'],
    storage: RecordingStorage | undefined,
    waiting: () => number,
    unixMs: () => number,
  ) {
    this.#rows = rows
    this.#storage = storage
    this.#waiting = waiting
    this.#unixMs = unixMs
  }

  /** Recordings that have ended and are not in the storage yet; 0 without one. */
  get waiting(): number {
    return this.#waiting()
  }

  /** Newest first, of one call or of all; without those that are deleted or expired. */
  async list(account: string, options: Range & { readonly call?: string } = {}): Promise<readonly Recording[]> {
    const { call, ...range } = options
    const filter = { ...rangeOf(range), ...(call === undefined ? {} : { callUuid: call as CallUuid }) }
    const rows = await this.#rows.list(account as AccountUuid, filter, this.#unixMs())
    return rows.map(({ uuid, callSid, durationMs, sizeBytes, mediaFormat, createdUnix }) => ({
      uuid,
      callSid,
      duration: durationMs === null ? undefined : durationMs / 1000,
      sizeBytes: sizeBytes ?? undefined,
      mediaFormat,
      createdAt: new Date(createdUnix),
    }))
  }

  /** The audio of an ended recording, WAV or Ogg, wherever it is. Throws `not-found`, and what the storage throws. */
  async audio(account: string, uuid: string): Promise<AsyncIterable<Uint8Array>> {
    const found = await this.#rows.find(account as AccountUuid, uuid, this.#unixMs())
    const stored = found && !found.isGone ? storedOf(found.record) : undefined
    const file = stored && found && this.#rows.fileOf(found.record)
    if (stored === undefined || file === undefined) throw missing(uuid)
    const isHere = await access(file).then(
      () => true,
      () => false,
    )
    if (isHere) return createReadStream(file)
    const audio = await this.#storage?.get(stored, { first: 0, last: stored.sizeBytes - 1 })
    if (audio === undefined) throw missing(uuid)
    return audio
  }

  /** Deletes it: it is no longer listed or served; its audio goes after 7 days, or within the hour where the account has used 80 % of its quota. Throws `not-found`. */
  async delete(account: string, uuid: string): Promise<void> {
    if (!(await this.#rows.remove(account as AccountUuid, uuid, this.#unixMs()))) throw missing(uuid)
  }
}

const missing = (uuid: string) => new SwitchError('not-found', `there is no recording ${uuid}`)
