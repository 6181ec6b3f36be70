import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Database } from './database.ts'

/** A crash is billed to the last beat, and never beyond what is held: no call loses more than this. */
export const heartbeatMs = 1000
/** It is said so often while the database fails. */
const failureEveryMs = 60_000

/** The row that says when the switch was last seen alive. */
export class HeartbeatRow {
  readonly #database: Database
  readonly #live
  readonly #beat

  constructor(database: Database) {
    this.#database = database
    this.#live = database.prepare<[], { 1: 1 }>(
      "SELECT 1 FROM calls WHERE status IN ('initiated', 'ringing', 'answered') LIMIT 1",
    )
    this.#beat = database.prepare<[number]>('UPDATE heartbeat SET beat_unix = max(beat_unix, ?)')
  }

  /** Written only while a call lives: an idle switch leaves the disk alone. Resolves with whether it was. */
  beatWithLiveCalls(unixMs: number): Promise<boolean> {
    return this.#database.write(() => {
      const isLive = this.#live.get() !== undefined
      if (isLive) this.#beat.run(unixMs)
      return isLive
    })
  }

  /** Resolves when it is on the disk: the database can be written. */
  beat(unixMs: number): Promise<void> {
    return this.#database.write(() => {
      this.#beat.run(unixMs)
    })
  }
}

/** Writes once a second that the switch is alive, as long as calls are; after a crash it is their last second known. */
export class Heartbeat {
  readonly #row: Pick<HeartbeatRow, 'beatWithLiveCalls'>
  readonly #clock: Clock
  readonly #log: Log
  #cancel: () => void = () => {}
  /** When it was said last that it fails; undefined: it does not. */
  #failedAt: number | undefined

  constructor({
    heartbeat,
    clock,
    log,
  }: { readonly heartbeat: Pick<HeartbeatRow, 'beatWithLiveCalls'>; readonly clock: Clock; readonly log: Log }) {
    this.#row = heartbeat
    this.#clock = clock
    this.#log = log
  }

  start(): void {
    this.#cancel = this.#clock.at(this.#clock.now() + heartbeatMs, () => {
      this.start()
      this.#row.beatWithLiveCalls(this.#clock.unixMs()).then(
        isWritten => isWritten && this.#written(),
        fault => this.#failed(fault),
      )
    })
  }

  stop(): void {
    this.#cancel()
  }

  #written(): void {
    if (this.#failedAt === undefined) return
    this.#failedAt = undefined
    this.#log.info({}, 'the database can be written again')
  }

  #failed(fault: unknown): void {
    const now = this.#clock.now()
    if (this.#failedAt !== undefined && now - this.#failedAt < failureEveryMs) return
    this.#failedAt = now
    this.#log.error(
      { fault: String(fault) },
      'the database cannot be written: live calls go on, new ones are refused; make room on the disk, or mend it',
    )
  }
}
