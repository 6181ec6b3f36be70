import type { LoggedEvent } from '../../core/index.ts'
import { liveFrameOf } from './batch.ts'
import { batchMs, maxBatchBytes } from './limits.ts'
import type { Subscriber } from './subscriber.ts'

/** The live events of one account: each is serialised once for all listeners. */
export class AccountFeed {
  readonly subscribers = new Set<Subscriber>()
  #frames: Buffer[] = []
  #size = 0
  #firstSeq = 0
  #lastSeq = 0
  #lastFlush = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  add(logged: LoggedEvent): void {
    const frame = liveFrameOf(logged)
    if (this.#frames.length === 0) this.#firstSeq = logged.seq
    this.#lastSeq = logged.seq
    this.#frames.push(frame)
    this.#size += frame.length
    if (this.#size >= maxBatchBytes) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), Math.max(0, this.#lastFlush + batchMs - performance.now()))
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#frames.length === 0) return
    const batch = { firstSeq: this.#firstSeq, lastSeq: this.#lastSeq, bytes: Buffer.concat(this.#frames, this.#size) }
    this.#frames = []
    this.#size = 0
    this.#lastFlush = performance.now()
    for (const subscriber of this.subscribers) subscriber.take(batch)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#frames = []
  }
}
