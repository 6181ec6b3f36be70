import { rm } from 'node:fs/promises'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { type PurgePass, pauseAfter, purgeBatch } from '../../recordings/purge-schedule.ts'
import type { BoundedStorage } from '../recordings/bounded-storage.ts'
import { storedOf } from '../recordings/recording-hand-over.ts'
import type { Repositories } from './repositories.ts'

/** Recordings that cannot be purged are skipped, up to this many. */
const maxStuck = 1000

interface RecordingPurgeParts {
  readonly recordings: Pick<Repositories['recordings'], 'due' | 'nextExpiry' | 'purged' | 'fileOf'>
  readonly clock: Clock
  readonly log: Log
  /** Where ended recordings are, when it is not the data folder. It always answers. */
  readonly storage?: Pick<BoundedStorage, 'delete'> | undefined
}

/**
 * Removes the files of expired and of deleted recordings. What is due is in the database, so a restart forgets
 * nothing; the file goes before its row says so, and a crash between the two only removes nothing once more.
 */
export class RecordingPurge {
  readonly #parts: RecordingPurgeParts
  readonly #stuck = new Set<string>()
  #cancel: (() => void) | undefined
  #pass: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(parts: RecordingPurgeParts) {
    this.#parts = parts
  }

  /** The first pass begins at once. */
  start(): void {
    this.#pass = this.#run()
  }

  /** Resolves when the pass that runs, or ran last, has ended. */
  get pass(): Promise<void> {
    return this.#pass
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancel?.()
    await this.#pass
  }

  async #run(): Promise<void> {
    const { recordings, clock, log } = this.#parts
    let pause: number
    try {
      const pass = await this.#purgeDue()
      pause = pauseAfter(pass, await recordings.nextExpiry(), clock.unixMs())
    } catch (fault) {
      log.error({ fault: String(fault) }, 'purging recordings failed')
      pause = pauseAfter({ isFull: false, failed: 1 }, undefined, clock.unixMs())
    }
    if (this.#stopped) return
    this.#cancel = clock.at(clock.now() + pause, () => {
      this.#pass = this.#run()
    })
  }

  async #purgeDue(): Promise<PurgePass> {
    const { recordings, clock, log, storage } = this.#parts
    const due = await recordings.due(clock.unixMs(), purgeBatch + this.#stuck.size)
    const batch = due.filter(({ uuid }) => !this.#stuck.has(uuid)).slice(0, purgeBatch)
    let fault: unknown
    for (const recording of batch) {
      if (this.#stopped) break
      const file = recordings.fileOf(recording)
      try {
        if (file !== undefined) await rm(file, { force: true })
        const stored = storedOf(recording)
        if (stored !== undefined) await storage?.delete(stored)
        await recordings.purged(recording.uuid, clock.unixMs())
      } catch (cause) {
        fault ??= cause
        this.#stuck.add(recording.uuid)
      }
    }
    const failed = this.#stuck.size
    if (fault !== undefined) log.error({ recordings: failed, fault: String(fault) }, 'recordings cannot be purged')
    const isFull = batch.length === purgeBatch && failed < maxStuck
    // After the last full batch the stuck ones are tried again, at the schedule's leisure.
    if (!isFull) this.#stuck.clear()
    return { isFull, failed }
  }
}
