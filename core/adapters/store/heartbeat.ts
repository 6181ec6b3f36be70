import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Database } from './database.ts'

/** A crash is billed to the last beat: no call can lose or gain more than this. */
export const heartbeatMs = 1000

/** Writes once a second that the switch is alive, as long as calls are; after a crash it is their last second known. */
export class Heartbeat {
  readonly #database: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #live
  readonly #beat
  #cancel: () => void = () => {}

  constructor({ database, clock, log }: { readonly database: Database; readonly clock: Clock; readonly log: Log }) {
    this.#database = database
    this.#clock = clock
    this.#log = log
    this.#live = database.prepare<[], { 1: 1 }>(
      "SELECT 1 FROM calls WHERE status IN ('initiated', 'ringing', 'answered') LIMIT 1",
    )
    this.#beat = database.prepare<[number]>('UPDATE heartbeat SET beat_unix = ?')
  }

  start(): void {
    this.#cancel = this.#clock.at(this.#clock.now() + heartbeatMs, () => {
      this.start()
      if (this.#live.get() === undefined) return
      const unixMs = this.#clock.unixMs()
      const beat = () => this.#beat.run(unixMs)
      this.#database.write(beat).catch(fault => this.#log.error({ fault: String(fault) }, 'the heartbeat failed'))
    })
  }

  stop(): void {
    this.#cancel()
  }
}
