import { access, readdir, rm } from 'node:fs/promises'
import type { VoiceEvent } from '../../events/voice-event.ts'
import type { RecordingRecord } from '../../model/call-record.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { StoredRecording } from '../../ports/recording-storage.ts'
import { handedAtOnce, lookEveryMs, pauseAfterFailures } from '../../recordings/hand-over-schedule.ts'
import type { BoundedStorage } from './bounded-storage.ts'

/** What is asked of the rows, here or on another thread. */
interface Rows {
  get(uuid: string, unixMs: number): Found | undefined | Promise<Found | undefined>
  /** Undefined for a path that would lead out of the folder. */
  fileOf(record: RecordingRecord): string | undefined
}

interface Found {
  readonly record: RecordingRecord
  readonly isGone: boolean
}

interface Logged {
  readonly event: Pick<VoiceEvent, 'code' | 'data'>
}

export interface HandOverParts {
  /** It always answers. */
  readonly storage: Pick<BoundedStorage, 'put' | 'delete'>
  readonly recordings: Rows
  /** Where ended recordings are until the storage has them. */
  readonly folder: string
  /** Events as they are stored. Returns what ends it. */
  readonly subscribe: (listener: (logged: Logged) => void) => () => void
  readonly clock: Clock
  readonly log: Log
}

/** What a recording that has not ended lacks. */
export const storedOf = (record: RecordingRecord): StoredRecording | undefined =>
  record.durationMs === null || record.sizeBytes === null
    ? undefined
    : { ...record, durationMs: record.durationMs, sizeBytes: record.sizeBytes }

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )

/**
 * Gives ended recordings to the storage. What waits for it is what is in the folder, so a restart forgets nothing: a file
 * is removed only when the storage has said that it keeps it.
 */
export class RecordingHandOver {
  readonly #parts: HandOverParts
  /** By uuid. */
  readonly #waiting: Set<string> = new Set()
  readonly #running = new Map<string, Promise<void>>()
  readonly #retries = new Map<string, () => void>()
  readonly #failures = new Map<string, number>()
  readonly #endSubscription: () => void
  #cancelLook: (() => void) | undefined
  #looking: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(parts: HandOverParts) {
    this.#parts = parts
    this.#endSubscription = parts.subscribe(event => this.#onEvent(event))
    this.#looking = this.#look()
  }

  /** Recordings that have ended and are not in the storage yet. */
  get waiting(): number {
    return this.#waiting.size + this.#running.size + this.#retries.size
  }

  /** Resolves when what is under way now has ended. For tests in virtual time. */
  async settled(): Promise<void> {
    await this.#looking
    while (this.#running.size > 0) await Promise.all(this.#running.values())
  }

  stop(): void {
    this.#isStopped = true
    this.#endSubscription()
    this.#cancelLook?.()
    for (const cancel of this.#retries.values()) cancel()
  }

  #onEvent({ event: { code, data } }: Logged): void {
    if (code !== 'REC.0200' && code !== 'REC.0400') return
    const { uuid } = (data.recording ?? {}) as { readonly uuid?: unknown }
    if (typeof uuid === 'string') this.#add(uuid)
  }

  #add(uuid: string): void {
    if (this.#isStopped || this.#running.has(uuid) || this.#retries.has(uuid)) return
    this.#waiting.add(uuid)
    this.#next()
  }

  #next(): void {
    for (const uuid of this.#waiting) {
      if (this.#running.size >= handedAtOnce) return
      this.#waiting.delete(uuid)
      const done = this.#hand(uuid).then(() => {
        this.#running.delete(uuid)
        if (!this.#isStopped) this.#next()
      })
      this.#running.set(uuid, done)
    }
  }

  /** Never rejects. */
  async #hand(uuid: string): Promise<void> {
    const { recordings, storage, clock, log } = this.#parts
    try {
      const found = await recordings.get(uuid, clock.unixMs())
      const stored = found && storedOf(found.record)
      const file = found && recordings.fileOf(found.record)
      // What was deleted meanwhile stays where it is until it is purged.
      if (found === undefined || found.isGone || stored === undefined || file === undefined) return
      if (!(await isThere(file))) return
      await storage.put(stored, file)
      if (this.#isStopped) return
      const after = await recordings.get(uuid, clock.unixMs())
      // Deleted, perhaps purged, while it was on its way: the purge would not find it there.
      if (after === undefined || after.isGone) await storage.delete(stored)
      else await rm(file, { force: true })
      if (this.#failures.delete(uuid)) log.info({ recording: uuid }, 'the storage has taken the recording')
    } catch (fault) {
      this.#failed(uuid, fault)
    }
  }

  #failed(uuid: string, fault: unknown): void {
    if (this.#isStopped) return
    const { clock, log } = this.#parts
    const failures = (this.#failures.get(uuid) ?? 0) + 1
    this.#failures.set(uuid, failures)
    const pauseMs = pauseAfterFailures(failures)
    const detail = String(fault).slice(0, 400)
    log.error(
      { recording: uuid, failures, againInMs: pauseMs, detail },
      'the storage did not take a recording: its file stays',
    )
    const again = () => {
      this.#retries.delete(uuid)
      this.#add(uuid)
    }
    this.#retries.set(uuid, clock.at(clock.now() + pauseMs, again))
  }

  /** What is in the folder has not ended, waits, or was left by an earlier run. */
  async #look(): Promise<void> {
    const { folder, clock, log } = this.#parts
    try {
      for (const name of await readdir(folder, { recursive: true })) {
        const uuid = /-([0-9a-f-]{36})\.(?:wav|ogg)$/.exec(name)?.[1]
        if (uuid !== undefined) this.#add(uuid)
      }
    } catch (fault) {
      log.error({ detail: String(fault).slice(0, 400) }, 'the folder of recordings cannot be read')
    }
    if (this.#isStopped) return
    this.#cancelLook = clock.at(clock.now() + lookEveryMs, () => {
      this.#looking = this.#look()
    })
  }
}
