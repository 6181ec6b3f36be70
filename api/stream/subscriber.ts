import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Batch, Page } from './batch.ts'
import { pingFrame } from './frame.ts'
import { goingAway, maxUnsentBytes, readAgainMs, readTries, resumePage, tooSlow, tryAgain } from './limits.ts'

interface SubscriberParts {
  readonly socket: WebSocket
  /** Below the WebSocket: frames that many share are written here as they are. */
  readonly wire: Duplex
  /** The events after this one are wanted. */
  readonly afterSeq: number
  /** The account's events from the log, oldest first; undefined: there are no more. */
  readonly read: (afterSeq: number, limit: number) => Promise<Page | undefined>
}

/**
 * One open stream. It knows the last event that it has written: whatever comes must be the next one, and when it is not,
 * the subscriber goes back to the log. So it neither misses an event nor sends one twice, and what it keeps in memory is
 * bounded by `maxUnsentBytes` and one batch, or by one page of the log.
 */
export class Subscriber {
  readonly #parts: SubscriberParts
  #lastSeq: number
  #isCatchingUp = false
  /** The newest event that came while the log was read. */
  #missedSeq = 0
  #isAlive = true
  /** Reads of the log that failed one after another. */
  #failures = 0

  constructor(parts: SubscriberParts) {
    this.#parts = parts
    this.#lastSeq = parts.afterSeq
    parts.socket.on('pong', () => {
      this.#isAlive = true
    })
  }

  /** Live events. */
  take(batch: Batch): void {
    const { socket, wire } = this.#parts
    if (batch.lastSeq <= this.#lastSeq || !this.#isOpen) return
    if (this.#isCatchingUp) {
      this.#missedSeq = batch.lastSeq
      return
    }
    if (batch.firstSeq !== this.#lastSeq + 1) this.catchUp()
    else if (wire.writableLength > maxUnsentBytes) socket.close(tooSlow, 'slow reader')
    else {
      this.#lastSeq = batch.lastSeq
      wire.write(batch.bytes)
    }
  }

  /** Reads the log up to its end, a page when the one before has left. */
  catchUp(): void {
    this.#isCatchingUp = true
    this.#readPage().then(
      () => {
        this.#failures = 0
      },
      () => this.#failed(),
    )
  }

  /** As while many resume at once: later there is room. In the end the reader comes back with the last event that it has. */
  #failed(): void {
    this.#failures++
    if (this.#failures >= readTries) this.#parts.socket.close(tryAgain, 'the events cannot be read now')
    else setTimeout(() => this.catchUp(), readAgainMs * this.#failures).unref()
  }

  async #readPage(): Promise<void> {
    if (!this.#isOpen) return
    const missedBefore = this.#missedSeq
    const page = await this.#parts.read(this.#lastSeq, resumePage)
    if (!this.#isOpen) return
    if (page === undefined) {
      // What has come since the log was asked is there now.
      if (this.#missedSeq !== missedBefore) this.catchUp()
      else this.#isCatchingUp = false
      return
    }
    this.#lastSeq = page.lastSeq
    this.#parts.wire.write(page.bytes, fault => {
      if (fault === undefined || fault === null) this.catchUp()
    })
  }

  /** Called every heartbeat. */
  beat(): void {
    if (!this.#isOpen) return
    if (this.#isAlive) this.#parts.wire.write(pingFrame)
    else this.#parts.socket.terminate()
    this.#isAlive = false
  }

  leave(): void {
    this.#parts.socket.close(goingAway, 'closing')
  }

  get #isOpen(): boolean {
    return this.#parts.socket.readyState === this.#parts.socket.OPEN
  }
}
